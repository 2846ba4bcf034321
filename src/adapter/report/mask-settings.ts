import { isJsonObject, type JsonObject } from '../../util/json.js';
import { REDACTED } from '../logging/redact.js';

/** Keys whose values may be secrets, wherever in the settings they stand. */
const HOLDS_VALUES = new Set(['env', 'headers']);

/** Settings without the values of variables and headers. */
export function maskSettings(settings: JsonObject): JsonObject {
  return mask(settings) as JsonObject;
}

function mask(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mask);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      HOLDS_VALUES.has(key) && isJsonObject(inner) ? masked(inner) : mask(inner),
    ]),
  );
}

function masked(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(values).map((name) => [name, REDACTED]));
}
