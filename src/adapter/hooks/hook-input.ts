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

/** Input of a hook that is not what the CLI sends. Caught by the safe wrapper. */
export class HookInputError extends Error {
  override name = 'HookInputError';
}

/** `undefined` when the input is no object or names no tool. */
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

/** A text field of what may be no object. */
export function textField(value: unknown, field: string): string | undefined {
  return isJsonObject(value) ? stringField(value, field) : undefined;
}
