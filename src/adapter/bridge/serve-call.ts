import type { ToolCallExtra } from '../../index.js';
import type { JsonObject } from '../../util/json.js';
import type { AnyTool, ToolHandler } from '../prompt/index.js';
import type { ServedResult } from '../runtime/agent-runtime.js';
import type { BridgeInput } from './bridge-input.js';
import { callOutcome } from './call-outcome.js';
import { publishCall } from './publish-call.js';

/** One call of a bridged tool. */
export interface BridgedCall {
  readonly tool: AnyTool;
  readonly handler: ToolHandler<unknown, unknown>;
  /** Unchecked. */
  readonly args: JsonObject;
  readonly extra: ToolCallExtra;
}

/** Answers a call and reports it, exactly once. Never rejects. */
export async function serveCall(call: BridgedCall, bridge: BridgeInput): Promise<ServedResult> {
  const startedAt = performance.now();
  const callId = callIdOf(call, bridge);
  const outcome = await callOutcome(call, callId, bridge);
  publishCall(call, { ...outcome, callId, durationMs: performance.now() - startedAt }, bridge);
  return { content: [{ type: 'text', text: outcome.text }], isError: !outcome.result.success };
}

/** The request names the call; where it does not, the oldest equal call that PreToolUse saw is meant. */
function callIdOf({ tool, args, extra }: BridgedCall, { run }: BridgeInput): string | undefined {
  const named: unknown = extra._meta?.['claudecode/toolUseId'];
  if (typeof named !== 'string' || named === '') return run.callIds.take(tool.name, args);
  run.callIds.forget(named);
  return named;
}
