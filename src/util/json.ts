/** A decoded JSON object whose fields nobody has checked yet. */
export type JsonObject = { [key: string]: unknown };

/** True for a JSON object: not null, not an array, not a primitive. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `value[key]` when it is a string, else `undefined`. */
export function stringField(value: JsonObject, key: string): string | undefined {
  const field = value[key];
  return typeof field === 'string' ? field : undefined;
}
