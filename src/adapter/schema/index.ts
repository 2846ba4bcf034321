/** The JSON Schema toolkit. Other folders import from here, not from the files inside. */

export { apiSchema, requireObjectRoot, withObjectRoot } from './api-schema.js';
export { type JsonSchema, mapSchema } from './json-schema.js';
export {
  type ExtraKeys,
  type ParseOptions,
  parseValue,
  parseValueAsync,
  valueError,
} from './parse-value.js';
export {
  type DefinedType,
  defineType,
  ResolvedType,
  resolveType,
  type TypeSpec,
} from './type-spec.js';
