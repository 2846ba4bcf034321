import { CallIdQueue } from '../../../src/adapter/hooks/call-id-queue.js';
import { createHooks } from '../../../src/adapter/hooks/create-hooks.js';
import type { HookRun, HookState } from '../../../src/adapter/hooks/hook-run.js';
import type { AdapterLogger } from '../../../src/adapter/logging/log.js';
import { createLog } from '../../../src/adapter/logging/log.js';
import { Session } from '../../../src/adapter/state/session.js';
import type { HookEvent, SyncHookJSONOutput } from '../../../src/index.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';

export interface Logged {
  readonly level: keyof AdapterLogger;
  readonly event: string;
  readonly context: JsonObject;
}

/** A logger that keeps what it is told. */
export function keepingLogger(): { readonly logger: AdapterLogger; readonly logged: Logged[] } {
  const logged: Logged[] = [];
  const write =
    (level: keyof AdapterLogger): AdapterLogger['info'] =>
    (_message, { event, context }) =>
      void logged.push({ level, event, context });
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  return { logger, logged };
}

export interface TestRun {
  readonly run: HookRun;
  readonly session: Session;
  readonly state: HookState;
  readonly logged: readonly Logged[];
  /** Calls the hook of an event with whatever is given, as the SDK would. */
  call(event: HookEvent, input: unknown, toolUseId?: string): Promise<SyncHookJSONOutput>;
  /** PreToolUse for a tool. */
  pre(toolName: string, toolInput?: JsonObject, more?: JsonObject): Promise<SyncHookJSONOutput>;
  /** PostToolUse for a tool. */
  post(toolName: string, toolInput?: JsonObject, response?: unknown, more?: JsonObject): Promise<SyncHookJSONOutput>;
}

/** A run with no limits, an empty session and no workspace, but for `overrides`. */
export function makeRun(overrides: Partial<HookRun> = {}): TestRun {
  const { logger, logged } = keepingLogger();
  const session = overrides.session ?? new Session({ logger });
  const run: HookRun = {
    session,
    adapterName: 'claude_agent_sdk',
    promptName: 'tests:one',
    bridgePrefix: 'mcp__wink__',
    deadline: undefined,
    budgetTracker: undefined,
    log: createLog(logger),
    signal: new AbortController().signal,
    timeouts: { preToolUse: 30, postToolUse: 30, userPromptSubmit: 10, stop: 10 },
    failureMode: undefined,
    stopOnStructuredOutput: true,
    outsideWorkspacePaths: 'allow',
    insideDirs: [],
    mounts: [],
    isolation: undefined,
    contextProviders: [],
    callIds: new CallIdQueue(),
    ...overrides,
  };
  const { hooks, state } = createHooks(run);
  const call: TestRun['call'] = async (event, input, toolUseId) => {
    const callback = hooks[event]?.[0]?.hooks[0];
    if (callback === undefined) throw new Error(`no hook for ${event}`);
    const output = await callback(input as never, toolUseId, { signal: new AbortController().signal });
    return (output ?? {}) as SyncHookJSONOutput;
  };
  const toolCall = (
    event: 'PreToolUse' | 'PostToolUse',
    toolName: string,
    toolInput: JsonObject,
    more: JsonObject,
  ): Promise<SyncHookJSONOutput> => {
    const input = { hook_event_name: event, tool_name: toolName, tool_input: toolInput, ...more };
    return call(event, { tool_use_id: 'toolu_1', cwd: '/', ...input });
  };
  return {
    run,
    session,
    state,
    logged,
    call,
    pre: (toolName, toolInput = {}, more = {}) => toolCall('PreToolUse', toolName, toolInput, more),
    post: (toolName, toolInput = {}, response = undefined, more = {}) =>
      toolCall('PostToolUse', toolName, toolInput, { tool_response: response, ...more }),
  };
}

/** The reason of a denial; `undefined` when the answer denies nothing. */
export function reasonOf(output: SyncHookJSONOutput): string | undefined {
  const { permissionDecision, permissionDecisionReason } = specificOf(output);
  return permissionDecision === 'deny' ? String(permissionDecisionReason) : undefined;
}

/** The input that the tool gets instead; `undefined` when it keeps its own. */
export function updatedInputOf(output: SyncHookJSONOutput): JsonObject | undefined {
  const { updatedInput } = specificOf(output);
  return isJsonObject(updatedInput) ? updatedInput : undefined;
}

function specificOf(output: SyncHookJSONOutput): JsonObject {
  const specific: unknown = output.hookSpecificOutput;
  return isJsonObject(specific) ? specific : {};
}
