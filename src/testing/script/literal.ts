import { isJsonObject } from '../../util/json.js';

/** The same data as a pattern or template in which no text is a variable: `$5` stays `$5`. */
export function literal<T>(value: T): T {
  // Every branch keeps the shape of what came in.
  return walk(value) as T;
}

function walk(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('$') ? `$${value}` : value;
  if (Array.isArray(value)) return value.map(walk);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each)]));
}
