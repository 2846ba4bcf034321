import type { JsonObject } from './json.js';

/** Keywords whose value is a number. */
export const BOUNDS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties'],
];

/** Such as the `maximum` of `z.number().max(Infinity)`. zod 4 has made it `null`, as JSON would. */
export function isEndless(keyword: string, value: unknown): boolean {
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  return !isNumber && (value === null || typeof value === 'number') && BOUNDS.includes(keyword);
}

/** The schema without bounds that are none. The very schema where it has no such bound. */
export function withoutEndless(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema);
  const kept = entries.filter(([keyword, value]) => !isEndless(keyword, value));
  return kept.length === entries.length ? schema : Object.fromEntries(kept);
}
