import { describeValue } from '../../util/describe-value.js';
import { AdapterConfigError } from '../errors/adapter-error.js';

declare const HOLDS: unique symbol;

/** Stands for a type at run time: a slice, an event, or both. Two tokens are never the same, whatever their names. */
export interface Token<T> {
  readonly name: string;
  /** Of the type only. */
  readonly [HOLDS]?: (value: T) => T;
}

/** Accepted wherever a token is. */
export type Constructor<T> = abstract new (...args: never[]) => T;

/** Names a slice of a session. */
export type SliceKey<S> = Token<S> | Constructor<S>;
/** Names an event. */
export type EventKey<E> = Token<E> | Constructor<E>;

/** Any of them, where the type does not matter. */
export type AnyKey = object & { readonly name: string };

/** @param name - For logs, and for snapshots as JSON; best unique in a program. */
export function defineSlice<S>(name: string): Token<S> {
  return createToken(name, 'defineSlice');
}

/** @param name - Also the `type` under which a plain object of that event is published on a bus. */
export function defineEvent<E>(name: string): Token<E> {
  return createToken(name, 'defineEvent');
}

function createToken<T>(name: unknown, of: string): Token<T> {
  if (typeof name !== 'string' || name.trim() === '') {
    throw new AdapterConfigError(`\`name\` of ${of}() must be a non-blank string, got ${describeValue(name)}`, [
      'name',
    ]);
  }
  return Object.freeze({ name });
}

/** In a circle of modules, an import that is not loaded yet is `undefined` instead of a token. */
export function assertKey(key: unknown): asserts key is AnyKey {
  const isKey = (typeof key === 'object' && key !== null && 'name' in key) || typeof key === 'function';
  if (isKey) return;
  throw new AdapterConfigError(
    `A slice is named by a token of defineSlice() or by a class, not by ${describeValue(key)}`,
    ['slice'],
  );
}

/** The class of an instance. Plain objects, arrays and primitives have none. */
export function classOf(value: unknown): Constructor<object> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  // Used as a key of a map only.
  const made = value.constructor;
  return typeof made === 'function' ? (made as unknown as Constructor<object>) : undefined;
}
