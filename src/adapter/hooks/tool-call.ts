import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';

/** A tool hook's input, as far as it is well formed. */
export interface ToolCall {
  readonly toolName: string;
  /** Empty when the CLI sent none. */
  readonly toolInput: JsonObject;
  readonly toolUseId: string | undefined;
  /** The whole input of the hook. */
  readonly input: JsonObject;
}

/** Input of a hook that the CLI does not send. Caught by `safeHook()`. */
export class HookInputError extends Error {
  override name = 'HookInputError';
}

/** `undefined` when the input is not an object or names no tool. */
export function readToolCall(input: unknown, toolUseId?: string): ToolCall | undefined {
  if (!isJsonObject(input)) return undefined;
  const toolName = stringField(input, 'tool_name');
  if (toolName === undefined || toolName === '') return undefined;
  const toolInput = input.tool_input;
  return {
    toolName,
    toolInput: isJsonObject(toolInput) ? toolInput : {},
    toolUseId: stringField(input, 'tool_use_id') ?? toolUseId,
    input,
  };
}

/** A string field of a value that may not be an object. */
export function textField(value: unknown, field: string): string | undefined {
  return isJsonObject(value) ? stringField(value, field) : undefined;
}

/** What a check of PreToolUse says about a call. `undefined`: no objection. */
export type Verdict =
  | { readonly kind: 'deny'; readonly reason: string; readonly logEvent: string }
  | { readonly kind: 'rewrite'; readonly updatedInput: JsonObject; readonly field: string }
  | undefined;

export function deny(reason: string, logEvent = 'hook.tool_blocked'): Verdict {
  return { kind: 'deny', reason, logEvent };
}

/** The answer of PreToolUse that keeps the tool from running. The model reads the reason. */
export function denial(reason: string): SyncHookJSONOutput {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason },
  };
}
