import { isStandardSchema, type StandardSchemaLike } from '../../mcp/standard-schema.js';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject } from '../../util/json.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import { wrongArgument } from '../options/read-fields.js';
import { compileJsonSchema, type SchemaCheck } from './compile-json-schema.js';
import type { JsonSchema } from './json-schema.js';
import { ownJsonSchema } from './own-json-schema.js';

/**
 * Names a type: a Standard Schema that describes itself as JSON Schema (zod 4.2 and later, arktype, valibot with its
 * extension), the result of {@link defineType}, or a bare JSON Schema (then ajv decides and `T` is unknown).
 */
export type TypeSpec<T> = StandardSchemaLike<unknown, T> | DefinedType<T> | JsonSchema;

/** The result of {@link defineType}. */
export class DefinedType<T> {
  readonly standard: StandardSchemaLike<unknown, T> | undefined;
  readonly jsonSchema: JsonSchema | undefined;
  /** Never set; carries `T`. A name that no JSON Schema has. */
  declare readonly '~type'?: T;

  constructor(standard: StandardSchemaLike<unknown, T> | undefined, jsonSchema: JsonSchema | undefined) {
    this.standard = standard;
    this.jsonSchema = jsonSchema;
  }
}

/**
 * A Standard Schema together with the JSON Schema that the model sees. The second may be left out when the first
 * describes itself.
 */
export function defineType<T>(standardSchema: StandardSchemaLike<unknown, T>, jsonSchema?: JsonSchema): DefinedType<T>;
/** A bare JSON Schema whose type the caller asserts: `defineType<{ a: string }>({ type: 'object', ... })`. */
export function defineType<T = unknown>(jsonSchema: JsonSchema): DefinedType<T>;
export function defineType<T>(
  spec: StandardSchemaLike<unknown, T> | JsonSchema,
  jsonSchema?: JsonSchema,
): DefinedType<T> {
  if (isStandardSchema(spec)) return new DefinedType(spec as StandardSchemaLike<unknown, T>, jsonSchema);
  if (jsonSchema !== undefined) {
    throw new PromptValidationError(
      'defineType() got a JSON Schema as second argument, but the first is not a Standard Schema',
      { hint: 'Pass the JSON Schema alone, or a schema of zod, valibot or arktype first.' },
    );
  }
  return new DefinedType<T>(undefined, spec);
}

/** A type that is ready for use: it has a JSON Schema, and that schema compiles. */
export class ResolvedType<T> {
  /** What the model sees. */
  readonly jsonSchema: JsonSchema;
  /** Validates values. `undefined`: the JSON Schema does. */
  readonly standard: StandardSchemaLike<unknown, T> | undefined;
  /** @internal */
  readonly check: SchemaCheck | undefined;

  constructor(
    jsonSchema: JsonSchema,
    standard: StandardSchemaLike<unknown, T> | undefined,
    check: SchemaCheck | undefined,
  ) {
    this.jsonSchema = jsonSchema;
    this.standard = standard;
    this.check = check;
  }
}

/**
 * @param where - Names the type in errors, such as `Parameters of tool "find"`.
 * @throws {@link PromptValidationError} not a type, a Standard Schema without JSON Schema, or a JSON Schema that ajv
 * cannot compile.
 */
export function resolveType<T>(spec: TypeSpec<T> | ResolvedType<T>, where: string): ResolvedType<T> {
  if (typeof where !== 'string') {
    const cure = 'It names the type in errors, such as "Parameters of tool find".';
    throw wrongArgument('where', 'resolveType() takes a string as its second argument', where, cure);
  }
  if (spec instanceof ResolvedType) return spec;
  // `defineType` tells the two kinds of schema apart.
  const { standard, jsonSchema } = spec instanceof DefinedType ? spec : defineType<T>(spec as JsonSchema);
  if (standard !== undefined && jsonSchema === undefined) {
    return new ResolvedType(ownJsonSchema(standard, where), standard, undefined);
  }
  const schema = plain(jsonSchema, where);
  const check = compileJsonSchema(schema, where);
  return new ResolvedType(schema, standard, standard === undefined ? check : undefined);
}

function plain(schema: unknown, where: string): JsonSchema {
  if (!isJsonObject(schema)) {
    throw new PromptValidationError(
      `${where}: must be a Standard Schema or a JSON Schema object, got ${describeValue(schema)}`,
      { hint: 'Use a schema of zod, valibot or arktype, or a plain JSON Schema.' },
    );
  }
  // ajv ignores keywords it does not know, so this mistake would accept everything.
  const field = Object.keys(schema).find((key) => isStandardSchema(schema[key]));
  if (field === undefined) return schema;
  throw new PromptValidationError(`${where}: is an object of schemas (\`${field}\` is one), not a JSON Schema`, {
    hint: 'Wrap it: `z.object({ ... })`.',
  });
}
