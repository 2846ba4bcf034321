import { describeValue } from '../util/describe-value.js';
import { isJsonObject } from '../util/json.js';
import {
  array,
  custom,
  func,
  object,
  type Problem,
  problemOf,
  problemText,
  string,
  type Validator,
} from '../util/validate.js';
import { ClaudeSDKError, type ClaudeSDKErrorOptions } from './claude-sdk-error.js';

/** An option whose value cannot be used. Thrown before anything is spawned. */
export class InvalidOptionError extends ClaudeSDKError {
  override name = 'InvalidOptionError';
  /** The option's path, such as `hooks.PreToolUse[0].timeout`. Of a request: the argument, such as `payload`. */
  readonly option: string;

  constructor(option: string, message: string, options: ClaudeSDKErrorOptions = {}) {
    super(message, 'invalid_option', options);
    this.option = option;
  }
}

/** What was called exists for imports to resolve, and this package does not do it. */
export class NotSupportedError extends ClaudeSDKError {
  override name = 'NotSupportedError';
  /** The name that was called, such as `createCodeSession`. */
  readonly feature: string;

  constructor(feature: string, message: string, hint?: string) {
    super(message, 'not_supported', hint === undefined ? {} : { hint });
    this.feature = feature;
  }
}

/** @throws InvalidOptionError the option's value cannot be used. */
export function requireOption(validator: Validator, value: unknown, path: string): void {
  const problem = validator(value, path);
  if (problem !== undefined) throw optionError(problem);
}

/** The error for a value of the wrong kind: the option's path, what was expected, the value and its type. */
export function invalidOption(path: string, expected: string, value: unknown, hint?: string): InvalidOptionError {
  return optionError(problemOf(path, expected, value, hint));
}

function optionError(problem: Problem): InvalidOptionError {
  const { path, hint } = problem;
  return new InvalidOptionError(path, `${problemText(problem)}.`, hint === undefined ? {} : { hint });
}

/** The error for an argument of the wrong kind. See {@link argumentText}. */
export function invalidArgument(name: string, takes: string, value: unknown, cure: string): InvalidOptionError {
  return new InvalidOptionError(name, argumentText(takes, value, cure));
}

/**
 * Says what is wrong with an argument.
 * @param takes - What the function expects, such as `query() takes an object`.
 * @param cure - What to pass, as one sentence. A promise gets another one: to await it.
 */
export function argumentText(takes: string, value: unknown, cure: string): string {
  const sentence = value instanceof Promise ? 'Await the promise first.' : cure;
  return `${takes}, got ${describeValue(value)}. ${sentence}`;
}

const KINDS = {
  string,
  list: array,
  object,
  function: func,
  path: custom('a path or a file URL', isPath),
  map: custom('a Map', (value) => value instanceof Map),
} as const;

/**
 * For the entry points that take an object which another function of the package makes.
 * @param name - The argument.
 * @param takes - As for {@link argumentText}.
 * @param fields - What the function reads of it.
 * @throws InvalidOptionError it is not an object, or a field has another type.
 */
export function requireObject(
  name: string,
  takes: string,
  value: unknown,
  cure: string,
  fields: Readonly<Record<string, keyof typeof KINDS>> = {},
): void {
  if (!isJsonObject(value)) throw invalidArgument(name, takes, value, cure);
  for (const [field, kind] of Object.entries(fields)) {
    const own = value[field];
    const path = `${name}.${field}`;
    const problem = KINDS[kind](own, path);
    if (problem === undefined) continue;
    throw invalidArgument(path, `${takes} whose \`${field}\` is ${problem.expected}`, own, cure);
  }
}

/** @throws InvalidOptionError it is not an object, or has a field that `owner` does not know: a misspelt one. */
export function requireKnown<T extends object>(owner: string, name: string, value: T, known: readonly string[]): T {
  requireObject(name, `${owner} takes an object of ${name}`, value, 'Leave it out.');
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return value;
  throw new InvalidOptionError(`${name}.${unknown}`, `${owner} knows no \`${unknown}\`. It knows ${known.join(', ')}.`);
}

/** A number would be a file descriptor, and reading one can wait for ever. */
export function isPath(value: unknown): value is string | URL {
  if (value instanceof URL) return value.protocol === 'file:';
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}
