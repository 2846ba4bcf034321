/** A decoded JSON object with unchecked fields. */
export type JsonObject = { [key: string]: unknown };

/** True for a JSON object: not null, not an array, not a primitive. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object in a JSON text; `undefined` when the text is broken or something else. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** The value of a JSON text; `undefined` when it is broken. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value as JSON text; `undefined` when it has none (a cycle, a BigInt, nesting that is too deep). */
export function jsonTextOf(value: unknown, replacer?: (name: string, value: unknown) => unknown): string | undefined {
  try {
    return JSON.stringify(value, replacer);
  } catch {
    return undefined;
  }
}

/** `value[key]` when it is a string, else `undefined`. */
export function stringField(value: JsonObject, key: string): string | undefined {
  const field = value[key];
  return typeof field === 'string' ? field : undefined;
}

/** The texts in a list, trimmed. Blank ones are left out, and a bare string counts as a list of one. */
export function usableTexts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value])
    .filter((entry): entry is string => typeof entry === 'string')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The object without the fields that are `undefined`. `null` is a value. The object itself when there are none. */
export function omitUndefined<T extends object>(object: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(object);
  const kept = entries.filter(([, value]) => value !== undefined);
  // Exactly the fields that were left out are missing, which the type allows.
  return (kept.length === entries.length ? object : Object.fromEntries(kept)) as ReturnType<typeof omitUndefined<T>>;
}

/** Deeper values, and all cycles, are left to `JSON`. */
const MAX_COPY_DEPTH = 64;

/**
 * What `JSON.parse(JSON.stringify(value))` gives, with the same strings: an image of 30 MB is not copied.
 * @throws TypeError the value cannot become JSON.
 */
export function jsonCopy<T extends object>(value: T): T {
  const copy = copyOf(value, 0);
  if (copy === undefined) throw new TypeError('The value has no form in JSON');
  return copy as T;
}

function copyOf(value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || depth > MAX_COPY_DEPTH || !isPlain(value)) {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? undefined : JSON.parse(text);
  }
  if (Array.isArray(value)) return Array.from(value, (each) => copyOf(each, depth + 1) ?? null);
  const entries = Object.entries(value).map(([key, each]) => [key, copyOf(each, depth + 1)] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}

/** JSON takes such a value by its own fields. */
function isPlain(value: object): boolean {
  if ('toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
