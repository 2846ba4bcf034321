import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import type { ToolCallExtra } from '../../index.js';
import { describeValue } from '../../util/describe-value.js';
import { errorText } from '../../util/error-text.js';
import type { JsonObject } from '../../util/json.js';
import { untilAborted } from '../../util/race.js';
import type { VisibilityExpansionRequired } from '../errors/prompt-errors.js';
import { type HookRun, reachedLimit } from '../hooks/hook-run.js';
import {
  type AnyTool,
  type EvaluatingAdapter,
  type Prompt,
  type RenderedPrompt,
  type ToolContext,
  type ToolHandler,
  ToolResult,
} from '../prompt/index.js';
import { parseValueAsync } from '../schema/index.js';

/** What the tools of one run need to be served. */
export interface BridgeInput {
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
export interface BridgedCall {
  readonly tool: AnyTool;
  readonly handler: ToolHandler<unknown, unknown>;
  /** Unchecked. */
  readonly args: JsonObject;
  readonly extra: ToolCallExtra;
}

/** How a call ended. */
export interface CallOutcome {
  readonly result: ToolResult;
  /** What the model sees. */
  readonly text: string;
}

/** Checks limits and arguments, then calls the handler. The model gets the first failure. Never rejects. */
export async function callOutcome(
  call: BridgedCall,
  callId: string | undefined,
  bridge: BridgeInput,
): Promise<CallOutcome> {
  const { run } = bridge;
  const { tool, extra } = call;
  // Time may have passed since PreToolUse looked.
  const limit = reachedLimit(run);
  if (limit !== undefined) {
    run.log.warn(limit.logEvent, { toolName: tool.name });
    return failed(limit.reason);
  }
  const signal = AbortSignal.any([run.signal, extra.signal]);
  const parsed = await parseArguments(call, bridge, signal);
  if ('error' in parsed) return failed(parsed.error);
  try {
    const context = contextOf(bridge, callId, signal);
    return rendered(await untilAborted(signal, () => call.handler(parsed.params, { context }), hasEnded));
  } catch (error) {
    if (isVisibilityRequest(error)) return keepRequest(error, bridge);
    run.log.error('bridge.handler_error', { toolName: tool.name, error: errorText(error) });
    return failed(`Error: ${errorText(error)}`);
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

function rendered(result: unknown): CallOutcome {
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

function failed(text: string): CallOutcome {
  return { result: ToolResult.failed(text), text };
}
