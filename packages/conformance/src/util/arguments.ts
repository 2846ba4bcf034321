import { InvalidOptionError } from 'claudewire';

const KINDS = {
  list: ['an array', Array.isArray],
  object: ['an object', isObject],
  path: ['a path or a file URL', isPath],
  map: ['a Map', (value: unknown) => value instanceof Map],
} as const;

/** The error for an argument of the wrong kind. */
export function invalidArgument(
  name: string,
  takes: string,
  value: unknown,
  cure: string,
  cause?: unknown,
): InvalidOptionError {
  const sentence = value instanceof Promise ? 'Await the promise first.' : cure;
  const message = `${takes}, got ${describe(value)}. ${sentence}`;
  return new InvalidOptionError(name, message, cause === undefined ? {} : { cause });
}

/**
 * @param fields - What the function reads of the argument.
 * @throws InvalidOptionError the argument is no object, or a field is of another kind.
 */
export function requireObject(
  name: string,
  takes: string,
  value: unknown,
  cure: string,
  fields: Readonly<Record<string, keyof typeof KINDS>> = {},
): void {
  if (!isObject(value)) throw invalidArgument(name, takes, value, cure);
  for (const [field, kind] of Object.entries(fields)) {
    const [expected, isFit] = KINDS[kind];
    const own: unknown = Reflect.get(value, field);
    if (isFit(own)) continue;
    const whose = `${takes} whose \`${field}\` is ${expected}`;
    throw invalidArgument(`${name}.${field}`, whose, own, cure);
  }
}

/** @throws InvalidOptionError it is no executable with its arguments. */
export function requireCommand(call: string, command: unknown): void {
  const isText = (each: unknown): boolean => typeof each === 'string' && !each.includes('\0');
  if (Array.isArray(command) && command.every(isText) && command[0]) return;
  const cure = 'Pass an array such as `["node", "driver.mjs"]`.';
  const takes = `${call}() takes an executable and its arguments`;
  throw invalidArgument('command', takes, command, cure);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number would be a file descriptor, and reading one can wait for ever. */
export function isPath(value: unknown): value is string | URL {
  if (value instanceof URL) return value.protocol === 'file:';
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

/** The kind of a value, and the value where it is short. The contents of objects are not shown. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value === 'string') return `string ${JSON.stringify(value.slice(0, 40))}`;
  const isShown = ['number', 'boolean', 'bigint'].includes(typeof value);
  return isShown ? `${typeof value} ${String(value)}` : typeof value;
}
