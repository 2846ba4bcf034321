/** The JSON Schema toolkit. All of it is public. */

export type { JsonSchema } from './json-schema.js';
export { type ExtraKeys, type ParseOptions, parseValue, parseValueAsync } from './parse-value.js';
export { type DefinedType, defineType, ResolvedType, resolveType, type TypeSpec } from './type-spec.js';
