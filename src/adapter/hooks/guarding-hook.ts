import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import { untilAborted } from '../../util/race.js';
import { denial } from './denial.js';
import { textField } from './hook-input.js';
import type { HookRun, HookState } from './hook-run.js';
import { type HookBody, type SafeHook, safeHook } from './safe-hook.js';

const ABORTED = 'Evaluation aborted';

/** PreToolUse's wrapper: also denies as soon as the run is aborted, and keeps what was denied. */
export function guardingHook(body: HookBody, run: HookRun, state: HookState): SafeHook {
  const safe = safeHook('PreToolUse', body, run, state);
  return async (input, toolUseId) => {
    const output = await unlessAborted(run.signal, safe(input, toolUseId));
    const reason = textField(output.hookSpecificOutput, 'permissionDecisionReason');
    if (reason !== undefined) {
      const toolName = textField(input, 'tool_name') ?? '';
      state.denials.push({ toolName, toolUseId: idOf(input) ?? toolUseId, reason });
    }
    return output;
  };
}

async function unlessAborted(
  signal: AbortSignal,
  answer: Promise<SyncHookJSONOutput>,
): Promise<SyncHookJSONOutput> {
  const first = await untilAborted(
    signal,
    () => answer,
    () => denial(ABORTED),
  );
  return signal.aborted ? denial(ABORTED) : first;
}

function idOf(input: unknown): string | undefined {
  return textField(input, 'tool_use_id');
}
