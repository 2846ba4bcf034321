import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import type { ToolCallExtra } from '../../index.js';
import { describeValue } from '../../util/describe-value.js';
import { errorText } from '../../util/error-text.js';
import type { JsonObject } from '../../util/json.js';
import { untilAborted } from '../../util/race.js';
import type { VisibilityExpansionRequired } from '../errors/prompt-errors.js';
import { type HookRun, reachedLimit } from '../hooks/hook-run.js';
import { deliver } from '../logging/log.js';
import {
  type AnyTool,
  type EvaluatingAdapter,
  type Prompt,
  type RenderedPrompt,
  type ToolContext,
  type ToolHandler,
  ToolResult,
} from '../prompt/index.js';
import type { ServedResult, ServedTool, ToolServer } from '../runtime/agent-runtime.js';
import { parseValueAsync } from '../schema/index.js';
import { createToolInvoked } from '../state/internal.js';

const VERSION = '1.0.0';
/** Without it, the CLI hides the tool behind its tool search when there are many tools. */
const ALWAYS_LOAD = { 'anthropic/alwaysLoad': true } as const;

/** What the tools of one run need to be served. */
interface BridgeInput {
  /** Key and name of the server; the model sees `mcp__<bridgeName>__<tool>`. */
  readonly bridgeName: string;
  /** Those without a handler are left out. */
  readonly tools: readonly AnyTool[];
  readonly run: HookRun;
  readonly prompt: Prompt<unknown>;
  readonly renderedPrompt: RenderedPrompt<unknown>;
  readonly adapter: EvaluatingAdapter;
  /** A handler asked to open sections: `evaluate()` throws this. */
  onVisibilityRequest(request: VisibilityExpansionRequired): void;
  /** Ends the turn, after {@link BridgeInput.onVisibilityRequest}. */
  stopTurn(): void;
}

/** One call of a bridged tool. */
interface BridgedCall {
  readonly tool: AnyTool;
  readonly handler: ToolHandler<unknown, unknown>;
  /** Unchecked. */
  readonly args: JsonObject;
  readonly extra: ToolCallExtra;
}

/** How a call ended. */
interface CallOutcome {
  readonly result: ToolResult;
  /** What the model sees. */
  readonly text: string;
}

/** The prompt's tools as an in-process MCP server; `undefined` when none of them has a handler. */
export function createBridge(input: BridgeInput): ToolServer | undefined {
  const { bridgeName, run } = input;
  const tools = input.tools.flatMap((tool): ServedTool[] => {
    const { name, description, handler, inputSchema } = tool;
    if (handler === undefined) return [];
    run.log.debug('bridge.tool_registered', { toolName: name });
    return [
      {
        name,
        description,
        inputSchema,
        _meta: ALWAYS_LOAD,
        call: (args, extra) => serveCall({ tool, handler, args, extra }, input),
      },
    ];
  });
  if (tools.length === 0) return undefined;
  run.log.info('bridge.mcp_server_created', { serverName: bridgeName, toolCount: tools.length });
  return { name: bridgeName, version: VERSION, tools };
}

/** Answers a call and reports it, exactly once. Never rejects. */
async function serveCall(call: BridgedCall, bridge: BridgeInput): Promise<ServedResult> {
  const startedAt = performance.now();
  const callId = callIdOf(call, bridge);
  const outcome = await callOutcome(call, callId, bridge);
  publishCall(call, outcome, { callId, durationMs: performance.now() - startedAt }, bridge);
  return { content: [{ type: 'text', text: outcome.text }], isError: !outcome.result.success };
}

/** The id in the request, else the id of the oldest equal call that PreToolUse saw. */
function callIdOf({ tool, args, extra }: BridgedCall, { run }: BridgeInput): string | undefined {
  const named: unknown = extra._meta?.['claudecode/toolUseId'];
  if (typeof named !== 'string' || named === '') return run.callIds.take(tool.name, args);
  run.callIds.forget(named);
  return named;
}

/** Checks limits and arguments, then calls the handler. The model gets the first failure. Never rejects. */
async function callOutcome(call: BridgedCall, callId: string | undefined, bridge: BridgeInput): Promise<CallOutcome> {
  const { run } = bridge;
  const { tool, extra } = call;
  // Time may have passed since PreToolUse looked.
  const limit = reachedLimit(run);
  if (limit !== undefined) {
    run.log.warn(limit.logEvent, { toolName: tool.name });
    return toolFailed(limit.reason);
  }
  const signal = AbortSignal.any([run.signal, extra.signal]);
  const parsed = await parseArguments(call, bridge, signal);
  if ('error' in parsed) return toolFailed(parsed.error);
  try {
    const context = contextOf(bridge, callId, signal);
    return render(await untilAborted(signal, () => call.handler(parsed.params, { context }), hasEnded));
  } catch (error) {
    if (isVisibilityRequest(error)) return keepRequest(error, bridge);
    run.log.error('bridge.handler_error', { toolName: tool.name, error: errorText(error) });
    return toolFailed(`Error: ${errorText(error)}`);
  }
}

/** Handlers that ignore the signal are abandoned. */
function hasEnded(): never {
  throw new Error('the evaluation has ended');
}

async function parseArguments(
  { tool, args }: BridgedCall,
  { run }: BridgeInput,
  signal: AbortSignal,
): Promise<{ readonly params: unknown } | { readonly error: string }> {
  try {
    const { params: type } = tool;
    if (type === undefined) return { params: nothing(args) };
    const parse = () => parseValueAsync(type, args, { extra: 'forbid' });
    return { params: await untilAborted(signal, parse, hasEnded) };
  } catch (error) {
    run.log.warn('bridge.validation_error', { toolName: tool.name, error: errorText(error) });
    return { error: `Validation error: ${errorText(error)}` };
  }
}

function nothing(args: JsonObject): undefined {
  const [unknown] = Object.keys(args);
  if (unknown !== undefined) throw new TypeError(`${unknown}: the tool takes no arguments`);
}

function contextOf(bridge: BridgeInput, callId: string | undefined, signal: AbortSignal): ToolContext {
  const { prompt, renderedPrompt, adapter, run } = bridge;
  const { session, deadline, budgetTracker } = run;
  return { prompt, renderedPrompt, adapter, session, deadline, budgetTracker, callId, signal };
}

function render(result: unknown): CallOutcome {
  const text: unknown = isToolResult(result) ? result.render() : undefined;
  if (isToolResult(result) && typeof text === 'string') return { result, text };
  throw new TypeError(`a ToolResult was expected, but the handler gave ${describeValue(result)}`);
}

/** By shape: it may come from another copy of this package. */
function isToolResult(value: unknown): value is ToolResult {
  if (value instanceof ToolResult) return true;
  if (typeof value !== 'object' || value === null) return false;
  const { message, success, render } = value as Partial<ToolResult>;
  return typeof message === 'string' && typeof success === 'boolean' && typeof render === 'function';
}

function isVisibilityRequest(error: unknown): error is VisibilityExpansionRequired {
  return isClaudeSDKError(error) && error.errorClass === 'visibility_expansion_required';
}

function keepRequest(request: VisibilityExpansionRequired, bridge: BridgeInput): CallOutcome {
  const text = 'The sections will be opened.';
  bridge.onVisibilityRequest(request);
  bridge.stopTurn();
  return { result: ToolResult.ok(text), text };
}

function toolFailed(text: string): CallOutcome {
  return { result: ToolResult.failed(text), text };
}

/** A failing event bus never affects the tool result. */
function publishCall(
  { tool, args }: BridgedCall,
  { result, text }: CallOutcome,
  { callId, durationMs }: { readonly callId: string | undefined; readonly durationMs: number },
  { run }: BridgeInput,
): void {
  deliver(run.log, { handler: 'bus', type: 'toolInvoked' }, () =>
    run.session.eventBus.publish(
      createToolInvoked({
        adapter: run.adapterName,
        sessionId: run.session.sessionId,
        promptName: run.promptName,
        name: tool.name,
        params: args,
        result,
        success: result.success,
        error: result.success ? undefined : text,
        value: result.value,
        renderedOutput: text,
        callId,
        durationMs,
        source: 'bridge',
        resultSlice: tool.resultSlice,
      }),
    ),
  );
}
