import { isJsonObject, type JsonObject } from '../util/json.js';

/** Lists that the higher source replaces. Every other list is joined. */
const REPLACED_LISTS: ReadonlySet<string> = new Set(['fallbackModel']);

/** Those that a policy replaces. */
export const REPLACED_BY_POLICY: ReadonlySet<string> = new Set(['fallbackModel', 'availableModels']);

/** No setting is nested so deep. Below it the higher source replaces, so that a hostile file cannot exhaust the stack. */
const MAX_DEPTH = 500;

/**
 * Two sources as one: objects key by key, lists joined without doubles, anything else from the higher source. `null` is
 * a value. Neither argument is changed.
 * @param firstItems - The source whose items come first in a joined list.
 */
export function mergeSettings(
  lower: JsonObject,
  higher: JsonObject,
  replacedLists: ReadonlySet<string> = REPLACED_LISTS,
  firstItems: 'lower' | 'higher' = 'lower',
  depth = 0,
): JsonObject {
  const result: JsonObject = { ...lower };
  for (const [key, value] of Object.entries(higher)) {
    const below = Object.hasOwn(lower, key) ? lower[key] : undefined;
    if (isJsonObject(below) && isJsonObject(value) && depth < MAX_DEPTH) {
      result[key] = mergeSettings(below, value, replacedLists, firstItems, depth + 1);
    } else if (Array.isArray(below) && Array.isArray(value) && !replacedLists.has(key)) {
      const [first, then] = firstItems === 'lower' ? [below, value] : [value, below];
      result[key] = [...new Set<unknown>([...first, ...then])];
    } else {
      result[key] = value;
    }
  }
  return result;
}
