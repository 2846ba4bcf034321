import { isClaudeSDKError } from '../../src/index.js';

const ID = '11111111-1111-4111-8111-111111111111';

/** What a caller's own getter throws is the caller's, and passes through as it is. */
class CallersOwn extends Error {}
const fail = (): never => {
  throw new CallersOwn('a getter of the caller');
};
const hostileProxy: unknown = new Proxy({}, { get: fail, has: fail, ownKeys: fail });
const cycle: Record<string, unknown> = {};
cycle.self = cycle;

export const HOSTILE_VALUES: readonly (readonly [name: string, value: unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 5],
  ['NaN', Number.NaN],
  ['a bigint', 5n],
  ['a text', 'x'],
  ['an empty text', ''],
  ['a text with NUL', 'a\0b'],
  ['true', true],
  ['a symbol', Symbol('s')],
  ['a function', () => {}],
  ['an object', {}],
  ['an object without a prototype', Object.create(null)],
  ['a list', []],
  ['a list of null', [null]],
  ['a cycle', cycle],
  ['an object nested 20,000 deep', JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)],
  ['a proxy that throws', hostileProxy],
];

/** Errors are made by whoever throws them, not by an argument of a stranger. */
const isError = (value: unknown): boolean => typeof value === 'function' && value.prototype instanceof Error;

type Callable = (...args: unknown[]) => unknown;

/** Every function, class and static method. What two entry points share is there once. */
export function callablesOf(
  entries: Readonly<Record<string, object>>,
): readonly (readonly [name: string, call: Callable])[] {
  const found: [string, Callable][] = [];
  const seen = new Set<unknown>();
  for (const [entry, exports] of Object.entries(entries)) {
    for (const [name, value] of Object.entries(exports)) {
      if (typeof value !== 'function' || isError(value) || seen.has(value)) continue;
      seen.add(value);
      const isClass = Function.prototype.toString.call(value).startsWith('class');
      const call = isClass ? (...args: unknown[]) => Reflect.construct(value, args) : value;
      found.push([`${entry}.${name}`, call as Callable]);
      for (const member of isClass ? Object.getOwnPropertyNames(value) : []) {
        const own: unknown = Reflect.get(value, member);
        if (typeof own !== 'function') continue;
        found.push([`${entry}.${name}.${member}`, (...args) => Reflect.apply(own, value, args)]);
      }
    }
  }
  return found;
}

/** The error that is neither ours nor the caller's own. */
export async function foreignError(call: () => unknown): Promise<unknown> {
  try {
    const value = call();
    // A query, or another iterator: it is closed, and its end is looked at.
    const { return: close } = Object(value) as { readonly return?: unknown };
    await (typeof close === 'function' ? close.call(value) : value);
    return undefined;
  } catch (error) {
    return isClaudeSDKError(error) || error instanceof CallersOwn ? undefined : error;
  }
}

/** What `call` throws of others, for each hostile value in each of the first places. */
export async function foreignErrors(call: Callable): Promise<readonly unknown[]> {
  const foreign: unknown[] = [];
  for (const [name, value] of HOSTILE_VALUES) {
    for (const args of [[value], [ID, value], [{}, value], [value, value, value]]) {
      const error = await foreignError(() => call(...args));
      if (error !== undefined) foreign.push([args.length, name, error]);
    }
  }
  const none = await foreignError(() => call());
  if (none !== undefined) foreign.push([0, 'no argument', none]);
  return foreign;
}
