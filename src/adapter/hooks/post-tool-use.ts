import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import { isJsonObject, stringField } from '../../util/json.js';
import { deliver } from '../logging/log.js';
import { createToolInvoked, FileModified, ModifiedFiles, type Session } from '../state/index.js';
import { type HookRun, type HookState, limitOf } from './hook-run.js';
import { recordPlan } from './plan-steps.js';
import { readToolCall, type ToolCall } from './tool-call.js';

/** A tool has run. */
export function postToolUse(
  input: unknown,
  run: HookRun,
  state: HookState,
  toolUseId: string | undefined,
): SyncHookJSONOutput {
  const call = endedCall(input, run, state, toolUseId);
  if (call === undefined) return {};
  const response = call.input.tool_response;
  const success = !hasFailed(response);
  publishToolInvoked(call, { result: response, success }, run);
  if (success) {
    recordModifiedFile(call, run.session);
    recordPlan(call, response, run.session);
  }
  return isFinalOutput(call) ? takeOutput(call, run, state) : {};
}

/** A tool failed: the CLI calls this in place of PostToolUse. */
export function postToolUseFailure(
  input: unknown,
  run: HookRun,
  state: HookState,
  toolUseId: string | undefined,
): SyncHookJSONOutput {
  const call = endedCall(input, run, state, toolUseId);
  if (call === undefined) return {};
  const error = stringField(call.input, 'error') ?? 'The tool failed';
  publishToolInvoked(call, { result: error, success: false, error }, run);
  return {};
}

/** Counts the call. `undefined` when it is not to be reported here: the bridge reports its own calls. */
function endedCall(
  input: unknown,
  run: HookRun,
  state: HookState,
  toolUseId: string | undefined,
): ToolCall | undefined {
  const call = readToolCall(input, toolUseId);
  if (call === undefined) return undefined;
  state.toolCount += 1;
  state.toolsUsed.set(call.toolName, (state.toolsUsed.get(call.toolName) ?? 0) + 1);
  if (call.toolUseId !== undefined) run.callIds.forget(call.toolUseId);
  return call.toolName.startsWith(run.bridgePrefix) ? undefined : call;
}

function hasFailed(response: unknown): boolean {
  if (!isJsonObject(response)) return false;
  return ['is_error', 'isError', 'interrupted'].some((flag) => response[flag] === true);
}

/** How a native call ended. */
interface ToolOutcome {
  /** As the CLI gave it. */
  readonly result: unknown;
  readonly success: boolean;
  readonly error?: string | undefined;
}

/** Tells the session. A failing event bus never affects the hook, except for the limits it reports. */
function publishToolInvoked(call: ToolCall, outcome: ToolOutcome, run: HookRun): void {
  const { toolName, toolInput, toolUseId, input } = call;
  const { duration_ms: durationMs, agent_id: agentId } = input;
  run.log.debug('hook.tool_invoked', { toolName, success: outcome.success, callId: toolUseId });
  let limit: unknown;
  const publish = () =>
    run.session.eventBus.publish(
      createToolInvoked({
        adapter: run.adapterName,
        sessionId: run.session.sessionId,
        promptName: run.promptName,
        name: toolName,
        params: toolInput,
        result: outcome.result,
        success: outcome.success,
        error: outcome.error,
        renderedOutput: renderedOutput(outcome.result),
        callId: toolUseId,
        durationMs: typeof durationMs === 'number' ? durationMs : undefined,
        source: 'native',
        agentId: typeof agentId === 'string' ? agentId : undefined,
      }),
    );
  deliver(run.log, { handler: 'bus', type: 'toolInvoked' }, () => {
    try {
      return publish();
    } catch (error) {
      if (limitOf(error) === undefined) throw error;
      limit = error;
      return undefined;
    }
  });
  if (limit !== undefined) throw limit;
}

/** A tool's response as text for an event: its stdout, else its text, else its JSON. */
function renderedOutput(response: unknown): string {
  return stdoutOf(response) ?? textOf(response) ?? jsonOf(response);
}

function stdoutOf(response: unknown): string | undefined {
  const stdout = isJsonObject(response) ? response.stdout : undefined;
  return typeof stdout === 'string' && stdout !== '' ? stdout : undefined;
}

/** Of a string, of text blocks, or of an object that has either as its `content`. */
function textOf(response: unknown): string | undefined {
  if (typeof response === 'string') return response;
  if (isJsonObject(response)) {
    const { content } = response;
    return typeof content === 'string' || Array.isArray(content) ? textOf(content) : undefined;
  }
  if (!Array.isArray(response)) return undefined;
  const texts = response
    .filter(isJsonObject)
    .filter(({ type, text }) => type === 'text' && typeof text === 'string')
    .map(({ text }) => text);
  return texts.length === 0 ? undefined : texts.join('\n');
}

function jsonOf(response: unknown): string {
  try {
    return JSON.stringify(response) ?? '';
  } catch {
    return '';
  }
}

const PATH_FIELDS: ReadonlyMap<string, string> = new Map([
  ['Write', 'file_path'],
  ['Edit', 'file_path'],
  ['MultiEdit', 'file_path'],
  ['NotebookEdit', 'notebook_path'],
]);

/** Notes the file that a successful call wrote. */
function recordModifiedFile({ toolName, toolInput }: ToolCall, session: Session): void {
  const field = PATH_FIELDS.get(toolName);
  const path = field === undefined ? undefined : stringField(toolInput, field);
  if (path === undefined) return;
  session.mutate(ModifiedFiles).dispatch(FileModified, { path, tool: toolName });
}

/** A sub-agent's structured output is its own, not the run's. */
function isFinalOutput({ toolName, input }: ToolCall): boolean {
  return toolName === 'StructuredOutput' && input.agent_id === undefined;
}

function takeOutput(call: ToolCall, run: HookRun, state: HookState): SyncHookJSONOutput {
  state.structuredOutput = { value: call.input.tool_input };
  if (!run.stopOnStructuredOutput) return {};
  run.log.debug('hook.structured_output_stop', { toolName: call.toolName });
  return { continue: false };
}
