import { isJsonObject } from '../../util/json.js';

/** A plain JSON Schema object. Without `$schema` it is read as draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What a `$ref` of the form `#` or `#/...` points to; `undefined` for all others. */
export function localTarget({ $ref }: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  if ($ref === '#') return root;
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const segment of $ref.slice(2).split('/')) {
    const key = decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return isJsonObject(at) ? at : undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The schemas in the list that a keyword such as `anyOf` has. */
export function schemasIn(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/**
 * False when the schema certainly refuses the value: another type, a required key that is missing, a constant that
 * differs (the tag of a union). Looks no deeper than the constants of direct members, so a union of unions stays cheap.
 * @param known - Answers for the same value, to be shared between calls.
 */
export function couldFit(
  schema: JsonSchema,
  value: unknown,
  root: JsonSchema,
  known: Map<JsonSchema, boolean>,
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
  if (each(required).some((key) => typeof key === 'string' && !Object.hasOwn(value, key))) return false;
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
  return types.length === 0 || types.includes(jsonType(value)) || isNumberOf(types, value);
}

function isNumberOf(types: readonly unknown[], value: unknown): boolean {
  return typeof value === 'number' && types.includes('integer') && Number.isInteger(value);
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function each(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
