import { StoreError } from '../errors.js';
import { DEFAULT_TIMEOUT_MS } from './attempt.js';

/** The names of options, all of them: one that is missing here does not compile. */
export type Known<T> = { readonly [Name in keyof T]-?: true };

/** Of any store: one object may be given to several of them. */
const OF_OTHERS: readonly string[] = [
  ...['client', 'pool', 'bucket', 'prefix', 'timeoutMs', 'tenant', 'retentionMs', 'now'],
  ...['maxEvents', 'maxBytes', 'maxEntryBytes', 'pollMs'],
];

/**
 * A misspelt option would be one that never takes effect. Those that another store has are let through.
 * @param call - Whose options they are, such as `new RedisEventLog()`. @throws StoreError `invalid`.
 */
export function requireOptions<T>(call: string, options: unknown, known: Known<T>): void {
  if (typeof options !== 'object' || options === null) {
    throw new StoreError('invalid', `${call} takes an object with its options, got ${described(options)}.`);
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name) && !OF_OTHERS.includes(name));
  if (unknown === undefined) return;
  throw new StoreError('invalid', `${call} has no option \`${unknown}\`. There are: ${Object.keys(known).join(', ')}.`);
}

/** @throws StoreError `invalid`, with the name of the option, what was expected and what came. */
export function requireOption(is: boolean, name: string, expected: string, value: unknown): void {
  if (is) return;
  throw new StoreError('invalid', `Option \`${name}\` must be ${expected}, got ${described(value)}.`);
}

export function requireText(value: unknown, name: string): asserts value is string {
  requireOption(typeof value === 'string' && value !== '', name, 'a non-empty string', value);
}

export function wholeNumber(value: number | undefined, name: string, otherwise: number): number {
  const number = value ?? otherwise;
  requireOption(Number.isSafeInteger(number) && number > 0, name, 'a whole number above 0', value);
  return number;
}

/** @throws StoreError `invalid`. Node's timers end at once above 2^31 - 1. */
export function timeoutOf(timeoutMs: number | undefined): number {
  const value = wholeNumber(timeoutMs, 'timeoutMs', DEFAULT_TIMEOUT_MS);
  requireOption(value < 2 ** 31, 'timeoutMs', 'below 2147483648', timeoutMs);
  return value;
}

/** @throws StoreError `invalid`: the client of another library, or none. */
export function requireClient(client: unknown, method: string, expected: string): void {
  const is = typeof client === 'object' && client !== null && typeof Reflect.get(client, method) === 'function';
  requireOption(is, expected.includes('Pool') ? 'pool' : 'client', expected, client);
}

/** @throws StoreError `invalid`. */
export function requireDate(value: unknown): asserts value is Date {
  if (value instanceof Date && Number.isFinite(value.getTime())) return;
  throw new StoreError('invalid', `Pass a Date: everything older is deleted. Got ${described(value)}.`);
}

function described(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return `number ${value}`;
  if (value === '') return 'an empty string';
  return typeof value;
}
