import { isStandardSchema, type StandardSchemaLike } from '../../mcp/standard-schema.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import type { JsonSchema } from './json-schema.js';

/**
 * Names a type: a Standard Schema that describes itself as JSON Schema (zod 4.2 and later, arktype, valibot with its
 * extension), the answer of {@link defineType}, or a bare JSON Schema (then ajv decides and nobody knows `T`).
 */
export type TypeSpec<T> = StandardSchemaLike<unknown, T> | DefinedType<T> | JsonSchema;

/** The answer of {@link defineType}. */
export class DefinedType<T> {
  readonly standard: StandardSchemaLike<unknown, T> | undefined;
  readonly jsonSchema: JsonSchema | undefined;
  /** Never set; carries `T`. A name that no JSON Schema has. */
  declare readonly '~type'?: T;

  constructor(
    standard: StandardSchemaLike<unknown, T> | undefined,
    jsonSchema: JsonSchema | undefined,
  ) {
    this.standard = standard;
    this.jsonSchema = jsonSchema;
  }
}

/**
 * A Standard Schema together with the JSON Schema that the model sees. The second may be left out when the first
 * describes itself.
 */
export function defineType<T>(
  standardSchema: StandardSchemaLike<unknown, T>,
  jsonSchema?: JsonSchema,
): DefinedType<T>;
/** A bare JSON Schema whose type the caller asserts: `defineType<{ a: string }>({ type: 'object', ... })`. */
export function defineType<T = unknown>(jsonSchema: JsonSchema): DefinedType<T>;
export function defineType<T>(
  spec: StandardSchemaLike<unknown, T> | JsonSchema,
  jsonSchema?: JsonSchema,
): DefinedType<T> {
  if (isStandardSchema(spec)) {
    return new DefinedType(spec as StandardSchemaLike<unknown, T>, jsonSchema);
  }
  if (jsonSchema !== undefined) {
    throw new PromptValidationError(
      'defineType() got a JSON Schema as second argument, but the first is no Standard Schema',
      { hint: 'Pass the JSON Schema alone, or a schema of zod, valibot or arktype first.' },
    );
  }
  return new DefinedType<T>(undefined, spec);
}
