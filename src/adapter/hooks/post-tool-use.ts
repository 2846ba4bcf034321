import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { countCall } from './count-call.js';
import { readToolCall, type ToolCall } from './hook-input.js';
import type { HookRun, HookState } from './hook-run.js';
import { recordPlan } from './plan-steps.js';
import { recordModifiedFile } from './record-modified-file.js';
import { publishToolInvoked } from './tool-invoked.js';

/** A tool has run. What the bridge serves, the bridge reports. */
export function postToolUse(
  input: unknown,
  run: HookRun,
  state: HookState,
  toolUseId: string | undefined,
): SyncHookJSONOutput {
  const call = readToolCall(input, toolUseId);
  if (call === undefined) return {};
  countCall(call, run, state);
  if (call.toolName.startsWith(run.bridgePrefix)) return {};
  const response = call.input.tool_response;
  const success = !hasFailed(response);
  publishToolInvoked(call, { result: response, success }, run);
  if (success) {
    recordModifiedFile(call, run.session);
    recordPlan(call, response, run.session);
  }
  return isFinalOutput(call) ? takeOutput(call, run, state) : {};
}

function hasFailed(response: unknown): boolean {
  if (!isJsonObject(response)) return false;
  return ['is_error', 'isError', 'interrupted'].some((flag) => response[flag] === true);
}

/** A sub-agent's structured output is its own, not the run's. */
function isFinalOutput({ toolName, input }: ToolCall): boolean {
  return toolName === 'StructuredOutput' && input.agent_id === undefined;
}

function takeOutput(call: ToolCall, run: HookRun, state: HookState): SyncHookJSONOutput {
  state.structuredOutput = { value: outputOf(call.input) };
  if (!run.stopOnStructuredOutput) return {};
  run.log.debug('hook.structured_output_stop', { toolName: call.toolName });
  return { continue: false };
}

function outputOf(input: JsonObject): unknown {
  return input.tool_input;
}
