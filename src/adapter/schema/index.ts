/** The JSON Schema toolkit. Other folders import from here, not from the files inside. */

export { apiSchema, requireObjectRoot, withObjectRoot } from './api-schema.js';
export { type JsonSchema, mapSchema } from './json-schema.js';
export * from './parse-value.js';
export * from './type-spec.js';
