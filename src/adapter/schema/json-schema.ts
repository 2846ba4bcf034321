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

/** Keywords whose value is a schema, a list of schemas, or a map of schemas by name. All others have data. */
const SCHEMA = new Set([
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]);
const LIST = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']);
const MAP = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);

/** A copy in which `change` was made to the schema and every schema inside of it, the inner ones first. */
export function mapSchema(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const each = (value: unknown): unknown => (isJsonObject(value) ? mapSchema(value, change) : value);
  const inside = (keyword: string, value: unknown): unknown => {
    if (Array.isArray(value)) return LIST.has(keyword) ? value.map(each) : value;
    if (SCHEMA.has(keyword)) return each(value);
    if (!MAP.has(keyword) || !isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, each(inner)]));
  };
  return change(
    Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, inside(keyword, value)])),
  );
}

/** The schemas in the list that a keyword such as `anyOf` has. */
export function schemasIn(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
