import { isJsonObject } from '../../util/json.js';
import type { JsonSchema } from './json-schema.js';
import { localTarget } from './json-schema.js';

/**
 * False when the schema certainly refuses the value: another type, a required key that is missing, a constant that
 * differs (the tag of a union). Looks no deeper than the constants of direct members, so a union of unions stays cheap.
 *
 * @param known - Answers for the same value, to be shared between calls.
 */
export function couldFit(
  schema: JsonSchema,
  value: unknown,
  root: JsonSchema,
  known: Map<JsonSchema, boolean> = new Map(),
): boolean {
  return fits(schema, value, root, true, known);
}

/** False when the schema certainly refuses every object. */
export function couldBeObject(schema: JsonSchema): boolean {
  return fits(schema, {}, schema, false, new Map());
}

function fits(
  schema: JsonSchema,
  value: unknown,
  root: JsonSchema,
  looksInside: boolean,
  known: Map<JsonSchema, boolean>,
): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  // A `$ref` that leads back here adds nothing.
  known.set(schema, true);
  const again = (each: unknown): boolean =>
    each === false ? false : !isJsonObject(each) || fits(each, value, root, looksInside, known);
  const target = localTarget(schema, root);
  const answer =
    hasType(schema.type, value) &&
    isAmong(schema, value) &&
    (!looksInside || membersFit(schema, value, root)) &&
    (target === undefined || again(target)) &&
    each(schema.allOf).every(again) &&
    ['anyOf', 'oneOf'].every((keyword) => {
      const branches = each(schema[keyword]);
      return branches.length === 0 || branches.some(again);
    });
  known.set(schema, answer);
  return answer;
}

function membersFit(schema: JsonSchema, value: unknown, root: JsonSchema): boolean {
  if (!isJsonObject(value)) return true;
  const { required, properties } = schema;
  if (each(required).some((key) => typeof key === 'string' && !Object.hasOwn(value, key))) {
    return false;
  }
  if (!isJsonObject(properties)) return true;
  return Object.keys(properties).every((key) => {
    const member = properties[key];
    if (!Object.hasOwn(value, key) || !isJsonObject(member)) return true;
    // Only tags: a wrong type elsewhere is an error to report, not a sign of another branch.
    const isTag = 'const' in member || 'enum' in member || '$ref' in member;
    return !isTag || fits(member, value[key], root, false, new Map());
  });
}

function isAmong(schema: JsonSchema, value: unknown): boolean {
  const allowed = 'const' in schema ? [schema.const] : each(schema.enum);
  if (allowed.length === 0) return true;
  // The validation that follows compares objects.
  return isObject(value) ? allowed.some(isObject) : allowed.includes(value);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function hasType(type: unknown, value: unknown): boolean {
  const types = typeof type === 'string' ? [type] : each(type);
  return types.length === 0 || types.includes(typeOf(value)) || isNumberOf(types, value);
}

function isNumberOf(types: readonly unknown[], value: unknown): boolean {
  return typeof value === 'number' && types.includes('integer') && Number.isInteger(value);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function each(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
