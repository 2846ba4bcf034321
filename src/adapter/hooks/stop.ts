import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import { textField } from './hook-input.js';
import type { HookRun, HookState } from './hook-run.js';

/** The turn is about to end. The CLI names no reason; one that is named all the same is kept. */
export function stop(input: unknown, run: HookRun, state: HookState): SyncHookJSONOutput {
  state.stopReason = textField(input, 'stopReason') ?? 'end_turn';
  run.log.debug('hook.stop', { stopReason: state.stopReason });
  return {};
}
