import { HostError } from './errors.js';

/** @throws HostError `invalid`: the value cannot be used. `path` is where it stands, such as `limits.processes`. */
export type Check = (value: unknown, path: string) => void;

/** One for each field, so that a new field does not compile without. */
export type Checks<T> = { readonly [Field in keyof T]-?: Check };

const MAX_TIMER_MS = 2 ** 31 - 1;

/** @param expected - Completes "must be …". */
export function custom(expected: string, accepts: (value: unknown) => boolean): Check {
  return (value, path) => {
    if (!accepts(value)) throw unfit(path, expected, shown(value));
  };
}

export const string = custom('a string', (value) => typeof value === 'string');
export const boolean = custom('true or false', (value) => typeof value === 'boolean');
export const object = custom('an object', isObject);

/** @param example - As code, with what quotes it. */
export function text(example: string): Check {
  return custom(`a non-empty string, such as ${example}`, (value) => typeof value === 'string' && value !== '');
}

/** An array, each of whose elements passes. */
export function arrayOf(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) throw unfit(path, 'an array', shown(value));
    for (const [index, each] of value.entries()) check(each, `${path}[${index}]`);
  };
}

export function func(expected = 'a function'): Check {
  return custom(expected, (value) => typeof value === 'function');
}

/** A timer or a count that is none would be taken for 1 or for forever. */
export function integer(least = 1, most = MAX_TIMER_MS): Check {
  return custom(
    `an integer from ${least} to ${most}`,
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
  );
}

export function optional(check: Check): Check {
  return (value, path) => {
    if (value !== undefined) check(value, path);
  };
}

/** An object of any class: only what will be called is looked at. */
export function withMethods(expected: string, methods: readonly string[]): Check {
  return (value, path) => {
    if (!isObject(value)) throw unfit(path, expected, shown(value));
    const missing = methods.filter((method) => typeof Reflect.get(value, method) !== 'function');
    if (missing.length > 0) throw unfit(path, expected, `an object without ${missing.join('(), ')}()`);
  };
}

/** An object with these fields and no others: a misspelt one would be a setting that never takes effect. */
export function fields<T>(checks: Checks<T>): Check {
  return (value, path) => {
    object(value, path);
    const given: Readonly<Record<string, unknown>> = { ...(value as object) };
    const known = Object.keys(checks);
    const unknown = Object.keys(given).find((name) => !known.includes(name));
    if (unknown !== undefined) {
      throw new HostError('invalid', `There is no \`${member(path, unknown)}\`. There are: ${known.join(', ')}.`);
    }
    for (const [name, check] of Object.entries<Check>(checks)) check(given[name], member(path, name));
  };
}

/** @param call - Whose options they are, such as `serve()`. */
export function assertOptions<T>(call: string, options: unknown, checks: Checks<T>): void {
  if (!isObject(options)) {
    throw new HostError('invalid', `${call} takes an object with its options, got ${shown(options)}.`);
  }
  fields(checks)(options, '');
}

/** For stores in files: an empty path would be the working directory. @param call - Such as `new FileEventLog()`. */
export function assertDirectory(call: string, directory: unknown): void {
  if (typeof directory === 'string' && directory !== '') return;
  const got = directory === '' ? 'an empty string' : shown(directory);
  throw new HostError('invalid', `${call} takes the path of its directory, such as \`'data'\`, got ${got}.`);
}

/** For contracts. @param call - Such as `eventLogContract()`. */
export function assertMaker(call: string, make: unknown): void {
  if (typeof make === 'function') return;
  throw new HostError('invalid', `${call} takes a function that makes the store to be tested, got ${shown(make)}.`);
}

function unfit(path: string, expected: string, got: string): HostError {
  return new HostError('invalid', `\`${path}\` must be ${expected}, got ${got}.`);
}

/** Never a text or what is in an object: they may be secret. */
function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function member(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
