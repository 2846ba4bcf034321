import type { JsonObject } from '../../../util/json.js';
import type { ToolCall } from '../hook-input.js';
import type { HookRun } from '../hook-run.js';

/** What a check of PreToolUse says. `undefined`: no objection. */
export type Verdict =
  | { readonly kind: 'deny'; readonly reason: string; readonly logEvent: string }
  | { readonly kind: 'rewrite'; readonly updatedInput: JsonObject; readonly field: string }
  | undefined;

/** A throw counts as a denial, by way of the safe wrapper. */
export type Check = (call: ToolCall, run: HookRun) => Verdict | Promise<Verdict>;

export function deny(reason: string, logEvent = 'hook.tool_blocked'): Verdict {
  return { kind: 'deny', reason, logEvent };
}
