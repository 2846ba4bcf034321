import type { JsonObject } from '../util/json.js';

/**
 * Any Standard Schema (version 1): zod 3.25 and 4, valibot, arktype and others. Structural, so that the published types
 * need none of them.
 * @see https://standardschema.dev
 */
export interface StandardSchemaLike<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | PromiseLike<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A Standard Schema that can also describe itself as JSON Schema. May throw when it cannot. */
export interface StandardJsonSchemaLike {
  readonly '~standard': {
    readonly jsonSchema: { readonly input: (options: { target: string; libraryOptions?: object }) => JsonObject };
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** Checks the arguments of one call and gives what the handler gets. */
export type ValidateArgs = (args: JsonObject) => StandardResult<unknown> | PromiseLike<StandardResult<unknown>>;

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The keys on the way to the value that an issue is about. */
export function keysOf({ path = [] }: StandardIssue): PropertyKey[] {
  return path.map((segment) => (typeof segment === 'object' ? segment.key : segment));
}

/** What a schema turns its input into. */
export type InferOutput<Schema extends StandardSchemaLike> = NonNullable<Schema['~standard']['types']>['output'];

export function isStandardSchema(value: unknown): value is StandardSchemaLike {
  // Callable schemas exist (arktype), so a function counts as well.
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return false;
  const standard: unknown = (value as Partial<StandardSchemaLike>)['~standard'];
  return (
    typeof standard === 'object' &&
    standard !== null &&
    'validate' in standard &&
    typeof standard.validate === 'function'
  );
}

export function describesItself(schema: StandardSchemaLike): schema is StandardSchemaLike & StandardJsonSchemaLike {
  const { jsonSchema } = schema['~standard'] as Partial<StandardJsonSchemaLike['~standard']>;
  return typeof jsonSchema?.input === 'function';
}
