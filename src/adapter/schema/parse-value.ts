import { keysOf, type StandardIssue, type StandardResult, type StandardSchemaLike } from '../../mcp/standard-schema.js';
import { isThenable } from '../../util/deferred.js';
import { memberPath } from '../../util/member-path.js';
import { custom } from '../../util/validate.js';
import { ValidationError, type ValueIssue } from '../errors/prompt-errors.js';
import { checkValue } from '../options/read-fields.js';
import { type ExtraKey, splitExtraKeys } from './extra-keys.js';
import type { JsonSchema } from './json-schema.js';
import { ResolvedType, resolveType, type TypeSpec } from './type-spec.js';
import { type Validated, validateUnlisted } from './unlisted-keys.js';

/**
 * What happens to keys that a type does not know: `forbid` rejects them, `ignore` removes them, `allow` keeps them (a
 * Standard Schema may still strip them). They are those that the JSON Schema does not list, unless the Standard Schema
 * keeps them by itself. A level that lists no `properties`, or says what else is allowed, has none.
 */
export type ExtraKeys = 'forbid' | 'ignore' | 'allow';

export interface ParseOptions {
  readonly extra: ExtraKeys;
}

const extraKeys = custom(
  "'forbid', 'ignore' or 'allow'",
  (extra) => ['forbid', 'ignore', 'allow'].includes(extra as string),
  "Pass it as in `parseValue(type, value, { extra: 'forbid' })`.",
);

/**
 * The value as its type has it. Nothing is coerced and no default is filled in, unless the Standard Schema does.
 * @throws {@link ValidationError} it does not fit, or the schema is asynchronous (use {@link parseValueAsync}).
 */
export function parseValue<T>(spec: TypeSpec<T> | ResolvedType<T>, value: unknown, options: ParseOptions): T {
  const result = begin(spec, value, options);
  if (!isThenable(result)) return unwrap(result);
  // A late rejection must not end the process.
  result.then(undefined, () => undefined);
  throw valueError([{ path: '', message: 'the schema is asynchronous, and a value is needed at once' }]);
}

/** As {@link parseValue}, also for asynchronous schemas. Rejects where that throws. */
export async function parseValueAsync<T>(
  spec: TypeSpec<T> | ResolvedType<T>,
  value: unknown,
  options: ParseOptions,
): Promise<T> {
  const result = begin(spec, value, options);
  try {
    return unwrap(await result);
  } catch (error) {
    throw unreadableValue(error);
  }
}

function begin<T>(
  spec: TypeSpec<T> | ResolvedType<T>,
  value: unknown,
  options: ParseOptions,
): StandardResult<T> | PromiseLike<StandardResult<T>> {
  checkValue((options as ParseOptions | undefined | null)?.extra, 'extra', extraKeys);
  const { extra } = options;
  const type = resolved(spec);
  try {
    if (type.standard !== undefined) return validated(type.standard, type.jsonSchema, value, extra);
    const checked = extra === 'allow' ? value : withoutExtraKeys(type.jsonSchema, value, extra);
    const issues = type.check?.(checked) ?? [];
    if (issues.length > 0) throw valueError(issues);
    // A bare JSON Schema: the caller asserted `T`.
    return { value: checked as T };
  } catch (error) {
    throw unreadableValue(error);
  }
}

function validated<T>(
  standard: StandardSchemaLike<unknown, T>,
  schema: JsonSchema,
  value: unknown,
  extra: ExtraKeys,
): StandardResult<T> | PromiseLike<StandardResult<T>> {
  if (extra === 'allow') return standard['~standard'].validate(value);
  const found = validateUnlisted(standard, schema, value, extra === 'forbid');
  const finish = ({ result, unknown }: Validated<T>): StandardResult<T> => {
    if (extra === 'forbid') forbid(unknown);
    return result;
  };
  return isThenable(found) ? found.then(finish) : finish(found);
}

function withoutExtraKeys(schema: JsonSchema, value: unknown, extra: 'forbid' | 'ignore'): unknown {
  const { kept, extraKeys } = splitExtraKeys(schema, value);
  if (extra === 'forbid') forbid(extraKeys);
  return kept;
}

function forbid(keys: readonly ExtraKey[]): void {
  if (keys.length > 0) throw valueError(keys.map(({ path, message }) => ({ path, message })));
}

const known = new WeakMap<object, ResolvedType<unknown>>();

/** Each schema is compiled once. */
function resolved<T>(spec: TypeSpec<T> | ResolvedType<T>): ResolvedType<T> {
  if (spec instanceof ResolvedType) return spec;
  const before = known.get(spec) as ResolvedType<T> | undefined;
  if (before !== undefined) return before;
  const type = resolveType(spec, 'The type');
  known.set(spec, type);
  return type;
}

function unwrap<T>(result: StandardResult<T>): T {
  if (result.issues === undefined) return result.value;
  throw valueError(result.issues.map(toValueIssue));
}

function toValueIssue(issue: StandardIssue): ValueIssue {
  const keys = keysOf(issue).map((key) => (typeof key === 'symbol' ? String(key) : key));
  return { path: keys.reduce<string>(memberPath, ''), message: issue.message };
}

/** A hostile value may have any number of faults. */
const MAX_ISSUES = 100;
const MAX_IN_MESSAGE = 5;

export function valueError(issues: readonly ValueIssue[], cause?: unknown): ValidationError {
  const shown = issues
    .slice(0, MAX_IN_MESSAGE)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = issues.length - shown.length;
  if (more > 0) shown.push(`and ${more} more`);
  return new ValidationError(`The value does not fit its type: ${shown.join('; ')}`, issues.slice(0, MAX_ISSUES), {
    ...(cause === undefined ? {} : { cause }),
    hint: 'See `issues` for each place.',
  });
}

/** For an error while a value is read: a getter that throws, a nesting deeper than the stack. */
function unreadableValue(error: unknown): ValidationError {
  if (error instanceof ValidationError) return error;
  const message =
    error instanceof RangeError
      ? 'is nested too deeply, or the schema refers to itself without end'
      : 'cannot be read: a getter, a proxy or the schema itself throws';
  return valueError([{ path: '', message }], error);
}
