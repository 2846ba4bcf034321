import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import type { HookEvent } from '../../control/hook-types.js';
import { denial } from './denial.js';
import { textField } from './hook-input.js';
import { logHookError } from './hook-log.js';
import type { HookRun, HookState } from './hook-run.js';
import { limitOf } from './limit-of.js';

/** @param input - unchecked: whatever the CLI sent */
export type HookBody = (
  input: unknown,
  toolUseId: string | undefined,
) => SyncHookJSONOutput | Promise<SyncHookJSONOutput>;

/** Never rejects. */
export type SafeHook = (
  input: unknown,
  toolUseId: string | undefined,
) => Promise<SyncHookJSONOutput>;

/**
 * A hook that always answers. What guards a policy closes when its body fails: PreToolUse denies. What only keeps books
 * lets the run go on.
 */
export function safeHook(
  event: HookEvent,
  body: HookBody,
  run: HookRun,
  state: HookState,
): SafeHook {
  return async (input, toolUseId) => {
    try {
      return await body(input, toolUseId);
    } catch (error) {
      return answerTo(error, event, input, run, state);
    }
  };
}

function answerTo(
  error: unknown,
  event: HookEvent,
  input: unknown,
  run: HookRun,
  state: HookState,
): SyncHookJSONOutput {
  const isGuard = event === 'PreToolUse';
  const limit = limitOf(error);
  if (limit === undefined) {
    logHookError(run.log, event, error);
    return isGuard && run.failureMode !== 'open' ? denial('Hook failed') : {};
  }
  run.log.warn(limit.logEvent, { toolName: textField(input, 'tool_name'), hookEvent: event });
  if (isGuard) return denial(limit.reason);
  state.limitStop ??= limit.kind;
  return { continue: false, stopReason: limit.reason };
}
