import { isJsonObject, type JsonObject } from '../../../util/json.js';
import { isUnicodePattern } from '../../../util/unicode-pattern.js';

/*
 * A schema that is sent has to accept all that the type accepts: the CLI refuses an answer that does not fit it, and the
 * model can do nothing about that. What cannot be said in JSON Schema, or means something else there, is told in the
 * description, and the type checks it.
 */

const TOLD = ' Expected: ';

/** Replaces `keywords` of a schema by words in its description. Once more, it replaces what it told before. */
export function tell(schema: JsonObject, keywords: JsonObject): void {
  const before = typeof schema.description === 'string' ? schema.description : '';
  const at = before.lastIndexOf(TOLD.trimStart());
  const own = at < 0 ? before : before.slice(0, at).trimEnd();
  const told = at < 0 ? {} : parsed(before.slice(at + TOLD.trimStart().length));
  for (const keyword of Object.keys(keywords)) delete schema[keyword];
  schema.description = `${own}${TOLD}${JSON.stringify({ ...told, ...keywords })}`.trimStart();
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Makes it a schema for any value, which says what is expected. */
export function acceptAnything(schema: JsonObject): void {
  const { description, title, default: preset, $defs, definitions, ...keywords } = schema;
  for (const keyword of Object.keys(keywords)) delete schema[keyword];
  if (Object.keys(keywords).length > 0) tell(schema, keywords);
}

/** Makes it a schema that no JSON value fits. */
export function acceptNothing(schema: JsonObject): void {
  for (const keyword of Object.keys(schema)) if (keyword !== 'description') delete schema[keyword];
  schema.not = {};
}

/** Keywords about what a value is like, beside its type. They do not hold for a value that is changed before it is checked. */
const ABOUT_VALUES = [
  ...['pattern', 'format', 'minLength', 'maxLength', 'contentEncoding', 'allOf', 'const', 'enum'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
];

/** Tells what was said about the value: it is changed before it is checked. */
export function acceptUnchecked(schema: JsonObject): void {
  tellAll(schema, ABOUT_VALUES);
}

/** Tells what the patterns say, by their expressions: one of them would refuse what the type takes. */
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
 * What means less in JSON Schema than in libraries: lengths count code points there and code units here, and 0.3 is no
 * multiple of 0.1 there. Patterns have the flag `u`.
 */
export function withoutDifferences(schema: JsonObject): JsonObject {
  const changed = { ...schema };
  const { minLength, multipleOf, pattern } = schema;
  if (typeof minLength === 'number' && minLength > 1) {
    tell(changed, { minLength });
    changed.minLength = Math.ceil(minLength / 2);
  }
  if (typeof multipleOf === 'number' && !Number.isInteger(multipleOf)) tell(changed, { multipleOf });
  if (typeof pattern === 'string' && !isSamePattern(pattern)) tell(changed, { pattern });
  if (Array.isArray(schema.type)) changed.type = [...new Set<unknown>(schema.type)];
  return changed;
}

/** Whether something of a schema, or of one inside of it, is told in words. */
export function isTold(schema: JsonObject): boolean {
  return JSON.stringify(schema).includes(TOLD.trimStart());
}

function tellAll(schema: JsonObject, keywords: readonly string[]): void {
  const present = keywords.filter((keyword) => keyword in schema);
  if (present.length > 0) tell(schema, Object.fromEntries(present.map((keyword) => [keyword, schema[keyword]])));
}

/** Whether an expression matches as much when only its source is known, and it has the flag `u`. */
export function isSafe({ source, flags }: RegExp): boolean {
  return /^[dguy]*$/.test(flags) && (flags.includes('u') ? isUnicodePattern(source) : isSamePattern(source));
}

/** The same for one without flags. */
function isSamePattern(source: string): boolean {
  return isUnicodePattern(source) && !COUNTS_UNITS.test(source.replace(/\\[.[\\]/g, ''));
}

/** With the flag `u` these match a whole code point: they differ wherever they count. */
const COUNTS_UNITS = /(?:\.|\[\^(?:\\.|[^\]])*\]|\\[DWS])(?![*+])|\\u[dD][89a-fA-F]/;
