/** What the adapter itself also needs of the JSON Schema toolkit. */

export { apiSchema, requireObjectRoot, withObjectRoot } from './api-schema.js';
export { valueError } from './parse-value.js';
