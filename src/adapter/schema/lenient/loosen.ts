import { BOUNDS, isEndless, withoutEndless } from '../../../util/endless-bounds.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../../util/json.js';
import { mapSchema } from '../../../util/map-schema.js';
import { isUnicodePattern } from '../../../util/unicode-pattern.js';

/*
 * The CLI refuses an answer that does not fit the schema it was given, so that schema has to accept everything that the
 * type accepts. What JSON Schema cannot express, or reads differently, moves into the description for the model, and the
 * type checks it.
 */

const TOLD = 'Expected: ';

/** Moves `keywords` of a schema into its description, beside those that were moved before. */
export function tell(schema: JsonObject, keywords: JsonObject): void {
  const { own, told } = partsOf(schema.description);
  for (const keyword of Object.keys(keywords)) delete schema[keyword];
  const words = JSON.stringify({ ...told, ...keywords }, (key, value) => (isEndless(key, value) ? undefined : value));
  if (words !== '{}') schema.description = `${own} ${TOLD}${words}`.trimStart();
}

/** The caller's own description, and the keywords behind it. */
function partsOf(description: unknown): { readonly own: string; readonly told?: JsonObject } {
  const own = typeof description === 'string' ? description : '';
  const at = own.lastIndexOf(TOLD);
  const told = at < 0 ? undefined : parseJsonObject(own.slice(at + TOLD.length));
  return told === undefined ? { own } : { own: own.slice(0, at).trimEnd(), told };
}

/** Makes it a schema that accepts any value, and describes the expected one. */
export function acceptAnything(schema: JsonObject): void {
  const { description, title, default: preset, $defs, definitions, ...keywords } = schema;
  for (const keyword of Object.keys(keywords)) delete schema[keyword];
  if (Object.keys(keywords).length > 0) tell(schema, keywords);
}

/** Types whose values cannot be written in JSON, by the names that zod and valibot share. */
export const NOT_IN_JSON: ReadonlySet<string> = new Set([
  ...['bigint', 'date', 'symbol', 'undefined', 'void', 'map', 'set', 'function', 'nan', 'promise', 'blob', 'file'],
]);

/** Makes it a schema that accepts nothing. */
export function acceptNothing(schema: JsonObject): void {
  for (const keyword of Object.keys(schema)) if (keyword !== 'description') delete schema[keyword];
  schema.not = {};
}

/** Keywords about the value itself, beside its type. */
const ABOUT_VALUES = [...['pattern', 'format', 'contentEncoding', 'allOf', 'const', 'enum', 'uniqueItems'], ...BOUNDS];

/** For a value that is changed before it is checked: these keywords hold for the changed one only. */
export function acceptUnchecked(schema: JsonObject): void {
  tellAll(schema, ABOUT_VALUES);
}

/** Describes the patterns by their expressions, of which one would refuse what the type accepts. */
export function tellPatterns(schema: JsonObject, patterns: readonly RegExp[]): void {
  delete schema.pattern;
  if (Array.isArray(schema.allOf)) {
    const rest = schema.allOf.filter((each) => !(isJsonObject(each) && 'pattern' in each));
    if (rest.length === 0) delete schema.allOf;
    else schema.allOf = rest;
  }
  tell(schema, { pattern: patterns.map(String).join(' and ') });
}

/**
 * Loosens what JSON Schema reads differently: it counts code points where libraries count code units, it divides without
 * rounding (0.3 by 0.1), its patterns have the flag `u`, and a bound that is not finite would be `null` in JSON.
 */
export function withoutDifferences(schema: JsonObject): JsonObject {
  const changed = { ...withoutEndless(schema) };
  const { minLength, multipleOf, pattern } = changed;
  if (typeof minLength === 'number' && minLength > 1) {
    tell(changed, { minLength });
    changed.minLength = Math.ceil(minLength / 2);
  }
  if (typeof multipleOf === 'number' && !Number.isInteger(multipleOf)) tell(changed, { multipleOf });
  if (typeof pattern === 'string' && !isSamePattern(pattern)) tell(changed, { pattern });
  if (Array.isArray(schema.type)) changed.type = [...new Set<unknown>(schema.type)];
  return changed;
}

/** Whether {@link tell} was at work in a schema, or in one inside of it. */
export function isTold(schema: JsonObject): boolean {
  let isFound = false;
  mapSchema(schema, (each) => {
    isFound ||= partsOf(each.description).told !== undefined;
    return each;
  });
  return isFound;
}

function tellAll(schema: JsonObject, keywords: readonly string[]): void {
  const present = keywords.filter((keyword) => keyword in schema);
  if (present.length > 0) tell(schema, Object.fromEntries(present.map((keyword) => [keyword, schema[keyword]])));
}

/** Whether the source of an expression, with the flag `u` alone, matches everything that the expression matches. */
export function isSafe({ source, flags }: RegExp): boolean {
  return /^[dguy]*$/.test(flags) && (flags.includes('u') ? isUnicodePattern(source) : isSamePattern(source));
}

/** The same for one without flags. */
function isSamePattern(source: string): boolean {
  return isUnicodePattern(source) && !COUNTS_UNITS.test(source.replace(/\\[.[\\]/g, ''));
}

/** With the flag `u` these match a whole code point in place of half of one, which matters unless they repeat freely. */
const COUNTS_UNITS = /(?:\.|\[\^(?:\\.|[^\]])*\]|\\[DWS])(?![*+])|\\u[dD][89a-fA-F]/;
