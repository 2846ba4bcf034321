import { isJsonObject, type JsonObject } from '../../util/json.js';

/** The same data as a template: nothing in it is a variable, also inside of a text. */
export function verbatim(frame: JsonObject): JsonObject {
  const fill = (text: string): unknown => (text.includes('$') ? { $repeat: text, times: 1 } : text);
  // An object stays one.
  return walk(frame, fill) as JsonObject;
}

/** The same data as a pattern or template in which no text is a variable: `$5` stays `$5`. */
export function literal<T>(value: T): T {
  // Every branch keeps the shape of what came in.
  return walk(value, (text) => (text.startsWith('$') ? `$${text}` : text)) as T;
}

function walk(value: unknown, fill: (text: string) => unknown): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((each) => walk(each, fill));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each, fill)]));
}
