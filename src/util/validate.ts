import { describeValue } from './describe-value.js';
import { isJsonObject } from './json.js';
import { memberPath } from './member-path.js';

/** Why a value cannot be used. The caller turns it into an error of its own class. */
export interface Problem {
  /** Which value: `hooks.Stop[0].timeout`. */
  readonly path: string;
  /** The rest of "must be …": `a non-empty string`. */
  readonly expected: string;
  /** What came instead, type first: `number 7`. Never the content of an object. */
  readonly got: string;
  /** What to try next, as one sentence. */
  readonly hint?: string;
  /** Replaces the usual sentence where the official SDK has one of its own. */
  readonly text?: string;
}

/** Checks one value. It never throws, unless a getter of the value does. */
export type Validator = (value: unknown, path: string) => Problem | undefined;

/** A sentence without its full stop: ``Option `title` must be a string, got number 7`` */
export function problemText({ path, expected, got, text }: Problem, subject = 'Option'): string {
  return text ?? `${subject} \`${path}\` must be ${expected}, got ${got}`.trimStart();
}

/** A problem with this value. */
export function problemOf(path: string, expected: string, value: unknown, hint?: string): Problem {
  const problem = { path, expected, got: describeValue(value) };
  return hint === undefined ? problem : { ...problem, hint };
}

/** A validator for one kind of value; `expected` completes "must be …". */
export function custom(expected: string, accepts: (value: unknown) => boolean, hint?: string): Validator {
  return (value, path) => (accepts(value) ? undefined : problemOf(path, expected, value, hint));
}

export const string = custom('a string', (value) => typeof value === 'string');
export const nonEmptyString = custom('a non-empty string', (value) => typeof value === 'string' && value !== '');
export const nonBlankString = custom('a non-blank string', (value) => typeof value === 'string' && value.trim() !== '');
export const boolean = custom('true or false', (value) => typeof value === 'boolean');
export const func = custom('a function', (value) => typeof value === 'function');
export const array = custom('an array', Array.isArray);
/** For a field that is checked elsewhere. */
export const anything: Validator = () => undefined;

/** An object whose keys are the data: not an array, and not a `Map` or `Set`, which would read as empty. */
export const object = custom('an object', (value) => isJsonObject(value) && !(Symbol.iterator in value));

/** A string that becomes an argument, a variable or a path: the operating system ends those at a NUL. */
export const argumentString: Validator = (value, path) =>
  typeof value === 'string' && value.includes('\0')
    ? { path, expected: 'a string without NUL characters', got: 'one that contains NUL' }
    : string(value, path);

export const nonEmptyArgument: Validator = (value, path) => nonEmptyString(value, path) ?? argumentString(value, path);

/** For what may be a secret: the problem shows the type of the value only. */
export const secretString: Validator = (value, path) => {
  const problem = argumentString(value, path);
  return problem && { ...problem, got: typeof value === 'string' ? problem.got : typeof value };
};

/** From 0 up, `Infinity` included. */
export const amount = custom('a number, 0 or more', (value) => typeof value === 'number' && value >= 0);

/** More than 0, and finite. */
export const positive = custom('a positive number', (value) => Number.isFinite(value) && Number(value) > 0);

/** From 0 up. */
export const count = integerFrom(0);

/** From 0 up, or `Infinity` for "no limit". */
export const countOrInfinity: Validator = (value, path) =>
  value === Number.POSITIVE_INFINITY ? undefined : count(value, path);

export const number = custom('a number', (value) => typeof value === 'number');

export function integerFrom(min: number): Validator {
  return custom(`a whole number, ${min} or more`, (value) => Number.isSafeInteger(value) && Number(value) >= min);
}

export function numberFrom(min: number, max: number): Validator {
  return custom(`a number from ${min} to ${max}`, (value) => typeof value === 'number' && value >= min && value <= max);
}

export function oneOf(...allowed: readonly unknown[]): Validator {
  const names = allowed.map((each) => (typeof each === 'string' ? `'${each}'` : String(each)));
  const last = names.pop() ?? 'nothing';
  const expected = names.length === 0 ? last : `${names.join(', ')} or ${last}`;
  return custom(expected, (value) => allowed.includes(value));
}

/** The same, with a hint for every problem that has none. */
export function hinted(validator: Validator, hint: string): Validator {
  return (value, path) => {
    const problem = validator(value, path);
    return problem && { hint, ...problem };
  };
}

/** `null` and `undefined` count as absent. */
export function nullOr(validator: Validator): Validator {
  return (value, path) => (value === null || value === undefined ? undefined : validator(value, path));
}

export function arrayOf(item: Validator): Validator {
  return (value, path) => {
    if (!Array.isArray(value)) return array(value, path);
    // By index: iterating methods would skip holes.
    for (let index = 0; index < value.length; index += 1) {
      const problem = item(value[index], memberPath(path, index));
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

export function recordOf(member: Validator): Validator {
  return (value, path) => {
    const problem = object(value, path);
    return problem ?? firstProblem(Object.keys(value as object), () => member, value, path);
  };
}

/** An object with these members. Others are not looked at; an optional one may be `null`. */
export function shape(members: Readonly<Record<string, Validator>>, required: readonly string[] = []): Validator {
  const names = Object.keys(members);
  const validators = Object.fromEntries(
    Object.entries(members).map(([name, validator]) => [name, required.includes(name) ? validator : nullOr(validator)]),
  );
  return (value, path) => object(value, path) ?? firstProblem(names, (name) => validators[name], value, path);
}

/** An object of any class: only what will be called is looked at. */
export function withMethods(required: readonly string[], optional: readonly string[] = []): Validator {
  const names = [...required, ...optional];
  const optionalFunc = nullOr(func);
  return (value, path) => {
    if (typeof value !== 'object' || value === null) return object(value, path);
    const validatorOf = (name: string) => (required.includes(name) ? func : optionalFunc);
    return firstProblem(names, validatorOf, value, path);
  };
}

function firstProblem(
  names: readonly string[],
  validatorOf: (name: string) => Validator | undefined,
  value: unknown,
  path: string,
): Problem | undefined {
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of names) {
    const problem = validatorOf(name)?.(members[name], memberPath(path, name));
    if (problem !== undefined) return problem;
  }
  return undefined;
}
