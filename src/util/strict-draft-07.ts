import { segmentsOf, valueAt } from './hoisted-references.js';
import { isJsonObject, type JsonObject } from './json.js';
import { isUnicodePattern } from './unicode-pattern.js';

/*
 * What other drafts and OpenAPI allow and Ajv refuses as strict draft-07. Each function gives the very schema where there is
 * nothing to change, and else one that accepts at least as much.
 */

/** Expressions that are not valid with the flag `u`, and those that a listed property matches too. */
export function withoutBadPatterns(schema: JsonObject): JsonObject {
  const { pattern, ...others } = schema;
  const isGood = typeof pattern !== 'string' || isUnicodePattern(pattern);
  const rest = isGood ? schema : others;
  const { patternProperties, additionalProperties: _, ...open } = rest;
  if (!isJsonObject(patternProperties)) return rest;
  const listed = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
  const isFit = (source: string): boolean =>
    isUnicodePattern(source) && !listed.some((name) => new RegExp(source, 'u').test(name));
  // With an expression left out, any other key must be allowed.
  return Object.keys(patternProperties).every(isFit) ? rest : open;
}

/** `exclusiveMinimum: true` beside a `minimum`, as in draft-04 and OpenAPI 3.0. */
export function withNumberBounds(schema: JsonObject): JsonObject {
  let changed = schema;
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof changed[flag] !== 'boolean') continue;
    const { [flag]: isExclusive, [bound]: value, ...rest } = changed;
    const kept = value === undefined ? {} : { [isExclusive === true ? flag : bound]: value };
    changed = { ...rest, ...kept };
  }
  return changed;
}

/** Keywords that say nothing without another one: `nullable` without `type`, `then` without `if`, `additionalItems` without a tuple. */
export function withoutLoose(schema: JsonObject): JsonObject {
  const isConditional = 'if' in schema && ('then' in schema || 'else' in schema);
  const isLoose = (keyword: string): boolean =>
    (keyword === 'nullable' && !('type' in schema)) ||
    (keyword === 'additionalItems' && !Array.isArray(schema.items)) ||
    (['if', 'then', 'else'].includes(keyword) && !isConditional);
  const entries = Object.entries(schema);
  const kept = entries.filter(([keyword]) => !isLoose(keyword));
  return kept.length === entries.length ? schema : Object.fromEntries(kept);
}

/** A `contains` that need not be there: draft-07 does not know `minContains`, and wants one. */
export function withoutOptionalContains(schema: JsonObject): JsonObject {
  const { contains, ...rest } = schema;
  return contains !== undefined && schema.minContains === 0 ? rest : schema;
}

/** Lists that have a value twice. */
export function withoutRepeats(schema: JsonObject): JsonObject {
  let changed = schema;
  for (const keyword of ['enum', 'required', 'type']) {
    const values = changed[keyword];
    if (!Array.isArray(values)) continue;
    const different = [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
    if (different.length < values.length) changed = { ...changed, [keyword]: different };
  }
  return changed;
}

/** Lists that are empty or none, `nullable: false`, which says nothing, and steps of nothing or less. */
export function withoutMisshapen(schema: JsonObject): JsonObject {
  const isMisshapen = ([keyword, value]: [string, unknown]): boolean =>
    (NEVER_EMPTY.has(keyword) && Array.isArray(value) && value.length === 0) ||
    (LISTS.has(keyword) && !Array.isArray(value)) ||
    (keyword === 'nullable' && value === false) ||
    (keyword === 'multipleOf' && typeof value === 'number' && value <= 0);
  const entries = Object.entries(schema);
  const kept = entries.filter((entry) => !isMisshapen(entry));
  return kept.length === entries.length ? schema : Object.fromEntries(kept);
}

const NEVER_EMPTY = new Set(['enum', 'items', 'type', 'anyOf', 'oneOf', 'allOf']);
const LISTS = new Set(['required', 'examples', 'enum']);

/** Numbers of characters, elements or keys that are negative or no whole numbers. */
export function withWholeCounts(schema: JsonObject): JsonObject {
  let changed = schema;
  for (const kind of ['Length', 'Items', 'Properties']) {
    for (const [keyword, round] of [[`min${kind}`, Math.ceil] as const, [`max${kind}`, Math.floor] as const]) {
      const value = changed[keyword];
      if (typeof value !== 'number' || (Number.isInteger(value) && value >= 0)) continue;
      const { [keyword]: _, ...rest } = changed;
      changed = value < 0 ? rest : { ...rest, [keyword]: round(value) };
    }
  }
  return changed;
}

/**
 * References as a URI has them, and none that lead nowhere: to an `$anchor`, which is unknown to draft-07, or to a name that
 * decoding changes, as `50%` of zod's `.meta({ id: '50%' })`. A reference to another document is left alone.
 */
export function withGoodReference(root: JsonObject): (schema: JsonObject) => JsonObject {
  return (schema) => {
    const { $ref: reference, ...rest } = schema;
    if (typeof reference !== 'string' || !reference.startsWith('#') || reference === '#') return schema;
    if (valueAt(root, segmentsOf(reference, true)) !== undefined) return schema;
    const raw = segmentsOf(reference, false);
    if (valueAt(root, raw) === undefined) return rest;
    const encoded = reference.slice(2).split('/').map(encodeURIComponent).join('/');
    return { ...rest, $ref: `#/${encoded}` };
  };
}
