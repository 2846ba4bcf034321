import { isJsonObject, type JsonObject } from '../../util/json.js';

/** Fields that some releases spell in another way, with the name that is read here. */
const WIRE_NAMES: ReadonlyMap<string, string> = new Map([
  ...['session_id', 'parent_tool_use_id', 'tool_use_id', 'tool_use_result', 'tool_result_meta'].map(alias),
  ...['is_error', 'terminal_reason', 'duration_ms', 'total_cost_usd', 'permission_decision'].map(alias),
  ...['rate_limit_info', 'mcp_servers', 'slash_commands', 'claude_code_version', 'input_tokens'].map(alias),
  ...['output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'cost_usd'].map(alias),
  ['costUSD', 'cost_usd'],
  ['permission_mode', 'permissionMode'],
  ['model_usage', 'modelUsage'],
  ['rate_limit_type', 'rateLimitType'],
]);

function alias(name: string): [string, string] {
  return [name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), name];
}

/** The object, with the fields that have another spelling under their wire names too. */
export function withWireNames(object: JsonObject): JsonObject {
  let renamed = object;
  for (const key of Object.keys(object)) {
    const name = WIRE_NAMES.get(key);
    if (name === undefined) continue;
    renamed = { ...renamed, [name]: renamed[name] ?? object[key] };
  }
  return renamed;
}

/** A string that is not empty. */
export function textField(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An object with its wire names; empty when the field has none. */
export function objectField(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? withWireNames(value) : {};
}

/** The content blocks of a message, with their wire names. A text is one block. */
export function blocksOf(message: JsonObject): readonly JsonObject[] {
  const content = isJsonObject(message.message) ? message.message.content : message.content;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject).map(withWireNames) : [];
}
