import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import { stringField } from '../../util/json.js';
import { countCall } from './count-call.js';
import { readToolCall } from './hook-input.js';
import type { HookRun, HookState } from './hook-run.js';
import { publishToolInvoked } from './tool-invoked.js';

/** A tool failed: the CLI calls this in place of PostToolUse. */
export function postToolUseFailure(
  input: unknown,
  run: HookRun,
  state: HookState,
  toolUseId: string | undefined,
): SyncHookJSONOutput {
  const call = readToolCall(input, toolUseId);
  if (call === undefined) return {};
  countCall(call, run, state);
  if (call.toolName.startsWith(run.bridgePrefix)) return {};
  const error = stringField(call.input, 'error') ?? 'The tool failed';
  publishToolInvoked(call, { result: error, success: false, error }, run);
  return {};
}
