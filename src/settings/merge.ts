import { isJsonObject, type JsonObject } from '../util/json.js';

/** Lists that the higher source replaces. Every other list is joined. */
const REPLACED_LISTS: ReadonlySet<string> = new Set(['fallbackModel']);

/** Those that a policy replaces. */
export const REPLACED_BY_POLICY: ReadonlySet<string> = new Set([
  'fallbackModel',
  'availableModels',
]);

/**
 * Two sources as one: objects key by key, lists joined without doubles (lower source first), anything else from
 * the higher source. `null` is a value. Neither argument is changed.
 */
export function mergeSettings(
  lower: JsonObject,
  higher: JsonObject,
  replacedLists: ReadonlySet<string> = REPLACED_LISTS,
): JsonObject {
  const result: JsonObject = { ...lower };
  for (const [key, value] of Object.entries(higher)) {
    const below = Object.hasOwn(lower, key) ? lower[key] : undefined;
    if (isJsonObject(below) && isJsonObject(value)) {
      result[key] = mergeSettings(below, value, replacedLists);
    } else if (Array.isArray(below) && Array.isArray(value) && !replacedLists.has(key)) {
      result[key] = [...new Set<unknown>([...below, ...value])];
    } else {
      result[key] = value;
    }
  }
  return result;
}
