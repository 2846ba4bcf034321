import {
  describesItself,
  isStandardSchema,
  type StandardSchemaLike,
} from '../../mcp/standard-schema.js';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject } from '../../util/json.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import { wrongArgument } from '../options/read-fields.js';
import { type Check, compileJsonSchema } from './compile-json-schema.js';
import type { JsonSchema } from './json-schema.js';
import { DefinedType, type TypeSpec } from './type-spec.js';

/** A type that is ready for use: it has a JSON Schema, and that schema compiles. */
export class ResolvedType<T> {
  /** What the model sees. */
  readonly jsonSchema: JsonSchema;
  /** What decides; `undefined`: the JSON Schema does. */
  readonly standard: StandardSchemaLike<unknown, T> | undefined;
  /** @internal */
  readonly check: Check | undefined;

  constructor(
    jsonSchema: JsonSchema,
    standard: StandardSchemaLike<unknown, T> | undefined,
    check: Check | undefined,
  ) {
    this.jsonSchema = jsonSchema;
    this.standard = standard;
    this.check = check;
  }
}

/**
 * @param where - Names the type in errors, such as `Parameters of tool "find"`.
 * @throws {@link PromptValidationError} no type, a Standard Schema without JSON Schema, or a JSON Schema that ajv cannot
 * compile.
 */
export function resolveType<T>(
  spec: TypeSpec<T> | ResolvedType<T>,
  where: string,
): ResolvedType<T> {
  if (typeof where !== 'string') {
    const cure = 'It names the type in errors, such as "Parameters of tool find".';
    throw wrongArgument(
      'where',
      'resolveType() takes a string as its second argument',
      where,
      cure,
    );
  }
  if (spec instanceof ResolvedType) return spec;
  const { standard, jsonSchema } = partsOf(spec, where);
  if (jsonSchema === undefined) {
    return new ResolvedType(ownJsonSchema(standard, where), standard, undefined);
  }
  const check = compileJsonSchema(jsonSchema, where);
  return new ResolvedType(jsonSchema, standard, standard === undefined ? check : undefined);
}

type Parts<T> =
  | { standard: StandardSchemaLike<unknown, T>; jsonSchema: undefined }
  | { standard: StandardSchemaLike<unknown, T> | undefined; jsonSchema: JsonSchema };

function partsOf<T>(spec: TypeSpec<T>, where: string): Parts<T> {
  if (spec instanceof DefinedType) {
    const { standard, jsonSchema } = spec;
    if (jsonSchema !== undefined) return { standard, jsonSchema: plain(jsonSchema, where) };
    if (standard !== undefined) return { standard, jsonSchema };
  } else if (isStandardSchema(spec)) {
    return { standard: spec as StandardSchemaLike<unknown, T>, jsonSchema: undefined };
  }
  return { standard: undefined, jsonSchema: plain(spec, where) };
}

function plain(schema: unknown, where: string): JsonSchema {
  if (!isJsonObject(schema)) {
    throw new PromptValidationError(
      `${where}: must be a Standard Schema or a JSON Schema object, but is ${describeValue(schema)}`,
      { hint: 'Use a schema of zod, valibot or arktype, or a plain JSON Schema.' },
    );
  }
  // ajv ignores keywords it does not know, so this mistake would accept everything.
  const field = Object.keys(schema).find((key) => isStandardSchema(schema[key]));
  if (field === undefined) return schema;
  throw new PromptValidationError(
    `${where}: is an object of schemas (\`${field}\` is one), not a JSON Schema`,
    { hint: 'Wrap it: `z.object({ ... })`.' },
  );
}

function ownJsonSchema(standard: StandardSchemaLike, where: string): JsonSchema {
  const { vendor } = standard['~standard'];
  const hint =
    'Pass one as second argument: `defineType(schema, jsonSchema)`. With zod 4.0 and 4.1 that is `z.toJSONSchema(schema)`; from 4.2 on zod gives it by itself.';
  if (!describesItself(standard)) {
    throw new PromptValidationError(
      `${where}: the schema (${vendor}) comes without a JSON Schema, and the model needs one. Pass one: \`defineType(schema, jsonSchema)\``,
      { hint },
    );
  }
  try {
    return standard['~standard'].jsonSchema.input({ target: 'draft-07' });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PromptValidationError(
      `${where}: the schema (${vendor}) cannot be written as JSON Schema: ${why}`,
      { cause: error, hint },
    );
  }
}
