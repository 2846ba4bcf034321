import type { JsonSchema } from './json-schema.js';
import { mapSchema } from './map-schema.js';

/**
 * The schema of a tool as the API reads it: draft 2020-12, which writes tuples `prefixItems`. A `$schema` that says
 * otherwise goes.
 */
export function apiSchema(schema: JsonSchema): JsonSchema {
  let isChanged = false;
  const modern = mapSchema(schema, (each) => {
    const { items, additionalItems, ...rest } = each;
    if (!Array.isArray(items)) return each;
    isChanged = true;
    return {
      ...rest,
      prefixItems: items,
      ...(additionalItems === undefined ? {} : { items: additionalItems }),
    };
  });
  if (!isChanged) return schema;
  const { $schema: _, ...rest } = modern;
  return rest;
}
