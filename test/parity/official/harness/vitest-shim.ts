/**
 * Stands in for `vitest` when rows run outside of it, beside another package: as much of `expect`, `vi` and
 * the hooks as the rows and their stage use.
 */
import { isDeepStrictEqual } from 'node:util';
import { clock } from './clock.js';
import { firstDifference, show } from './show.js';

const cleanups: (() => unknown)[] = [];

export function onTestFinished(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** For the check of every written frame against the schema: here both packages' frames are compared instead. */
export function beforeEach(): void {}
export function afterEach(): void {}

/** Last in, first out, as vitest does it. */
export async function runCleanups(): Promise<void> {
  for (let next = cleanups.pop(); next !== undefined; next = cleanups.pop()) await next();
}

export function expect(actual: unknown, what = 'value') {
  const check = (holds: boolean, expectation: string): void => {
    if (!holds) throw new Error(`${what}: expected ${expectation}, got ${show(actual)}`);
  };
  const equal = (expected: unknown): void => {
    if (isDeepStrictEqual(actual, expected)) return;
    throw new Error(
      firstDifference(actual, expected, what).replace(': official ', ': got ').replace(', ours ', ', expected '),
    );
  };
  return {
    toEqual: equal,
    toStrictEqual: equal,
    toBe: (expected: unknown) => check(Object.is(actual, expected), show(expected)),
    toBeUndefined: () => check(actual === undefined, 'undefined'),
    toBeInstanceOf: (type: new (...args: never[]) => unknown) =>
      check(actual instanceof type, `an instance of ${type.name}`),
    toContain: (part: string) => check(String(actual).includes(part), `to contain ${show(part)}`),
  };
}

type Method = (this: unknown, ...args: never[]) => unknown;

function spyOn<T extends object>(target: T, name: keyof T) {
  const original = target[name] as Method;
  const own = Object.hasOwn(target, name);
  const calls: unknown[][] = [];
  let replacement: Method = original;
  const replaced = function (this: unknown, ...args: never[]): unknown {
    calls.push(args);
    return replacement.apply(this, args);
  };
  Reflect.defineProperty(target, name, { value: replaced, configurable: true, writable: true });
  const spy = {
    mock: { calls },
    mockImplementation: (implementation: Method) => {
      replacement = implementation;
      return spy;
    },
    mockRestore: () => {
      if (own) Reflect.defineProperty(target, name, { value: original, configurable: true, writable: true });
      else Reflect.deleteProperty(target, name);
    },
  };
  return spy;
}

export const vi = {
  spyOn,
  useFakeTimers: () => clock.stop(),
  useRealTimers: () => clock.start(),
  isFakeTimers: () => clock.isStopped,
  advanceTimersByTime: (ms: number) => clock.advance(ms),
  advanceTimersByTimeAsync: (ms: number) => clock.advanceAsync(ms),
};
