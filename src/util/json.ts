/** A decoded JSON object whose fields nobody has checked yet. */
export type JsonObject = { [key: string]: unknown };

/** True for a JSON object: not null, not an array, not a primitive. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a JSON text holds; `undefined` when it is broken or holds something else. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `value[key]` when it is a string, else `undefined`. */
export function stringField(value: JsonObject, key: string): string | undefined {
  const field = value[key];
  return typeof field === 'string' ? field : undefined;
}
