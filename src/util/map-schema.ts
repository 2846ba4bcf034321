import { isJsonObject, type JsonObject } from './json.js';

/** Keywords whose value is a schema, a list of schemas, or a map of schemas by name. All others have data. */
const SCHEMA = new Set([
  ...['items', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
]);
const LIST = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']);
const MAP = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);

/** A copy in which `change` was made to the schema and every schema inside of it, the inner ones first. */
export function mapSchema(schema: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
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

/** Removes the keywords that accept less when the schemas inside accept more. */
export function withoutExclusions(schema: JsonObject): JsonObject {
  const { oneOf, not: _, if: __, then: ___, else: ____, ...rest } = schema;
  if (oneOf === undefined) return rest;
  if (!('anyOf' in rest)) return { ...rest, anyOf: oneOf };
  const { allOf } = rest;
  return { ...rest, allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }] };
}
