import type { InferOutput, StandardSchemaLike } from '../../mcp/standard-schema.js';
import { describeValue } from '../../util/describe-value.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import { type ResolvedType, resolveType, type TypeSpec } from '../schema/index.js';

/**
 * Names a set of parameters. Sections say which one they use, prompts bind values to it. Two tokens are never the same,
 * whatever their names.
 */
export class ParamsToken<P, Input = P> {
  /** For errors and events. */
  readonly name: string;
  /** Validates bound values. `undefined`: they are not validated. */
  readonly type: ResolvedType<P> | undefined;
  /** Never set. Carries the type of the values. */
  declare readonly input?: Input;

  constructor(name: string, type: ResolvedType<P> | undefined) {
    this.name = name;
    this.type = type;
  }
}

type InferInput<Schema extends StandardSchemaLike> = NonNullable<Schema['~standard']['types']>['input'];

/**
 * @param name - For errors and events.
 * @param schema - Checks what is bound; its defaults and transformations apply.
 */
export function defineParams<Schema extends StandardSchemaLike>(
  name: string,
  schema: Schema,
): ParamsToken<InferOutput<Schema>, InferInput<Schema>>;
export function defineParams<P extends object>(name: string, spec?: TypeSpec<P>): ParamsToken<P>;
export function defineParams(name: string, spec?: TypeSpec<unknown>): ParamsToken<unknown> {
  if (typeof name !== 'string' || name.trim() === '') {
    throw new PromptValidationError(
      `The name of a parameter set must be a non-blank string, got ${describeValue(name)}`,
    );
  }
  return new ParamsToken(name, spec === undefined ? undefined : resolveType(spec, `Parameter set "${name}"`));
}
