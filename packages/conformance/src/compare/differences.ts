import { isJsonObject } from '../util/json.js';

/** One place where the two programs are not the same. `undefined`: it has nothing there. */
export interface Difference {
  readonly path: readonly string[];
  readonly left: unknown;
  readonly right: unknown;
}

/** Deeper values are compared as texts. */
const MAX_DEPTH = 100;
/** The report shows the first; the rest is counted. */
const MAX_DIFFERENCES = 1_000;

/** All places where two JSON values differ, in the order of the left one. The order of keys does not count. */
export function differencesOf(left: unknown, right: unknown): readonly Difference[] {
  const found: Difference[] = [];
  collect(left, right, [], found);
  return found;
}

function collect(left: unknown, right: unknown, path: readonly string[], found: Difference[]): void {
  if (Object.is(left, right) || found.length >= MAX_DIFFERENCES) return;
  const isDeep = path.length >= MAX_DEPTH;
  if (!isDeep && Array.isArray(left) && Array.isArray(right)) {
    const length = Math.max(left.length, right.length);
    for (let index = 0; index < length; index += 1)
      collect(left[index], right[index], [...path, `${index + 1}`], found);
  } else if (!isDeep && isJsonObject(left) && isJsonObject(right)) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      collect(own(left, key), own(right, key), [...path, key], found);
    }
  } else if (!(isDeep && JSON.stringify(left) === JSON.stringify(right))) {
    found.push({ path, left, right });
  }
}

function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
