import { isJsonObject, type JsonObject } from '../../util/json.js';

/** The first of these fields that is set. Some versions spell some fields in camelCase. */
export function field(object: JsonObject, ...names: readonly string[]): unknown {
  for (const name of names) {
    const value = object[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

export function textField(object: JsonObject, ...names: readonly string[]): string | undefined {
  const value = field(object, ...names);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A finite number that is not negative. */
export function countField(object: JsonObject, ...names: readonly string[]): number | undefined {
  const value = field(object, ...names);
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function objectField(object: JsonObject, ...names: readonly string[]): JsonObject {
  const value = field(object, ...names);
  return isJsonObject(value) ? value : {};
}

/** The content blocks of a message. A text is one block. */
export function blocksOf(message: JsonObject): readonly JsonObject[] {
  const content = isJsonObject(message.message) ? message.message.content : message.content;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

/** The texts of the blocks, joined. */
export function textOf(message: JsonObject): string {
  return blocksOf(message)
    .map((block) => textField(block, 'text') ?? '')
    .filter((text) => text !== '')
    .join('\n');
}
