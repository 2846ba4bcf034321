import { AssertionError } from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';

const SHOWN = { depth: 4, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 80 } as const;

/**
 * Compares as JSON, so that the order of keys, prototypes and the realm of an object do not matter.
 *
 * @param what - Begins the message: `load()`.
 * @throws `AssertionError` with `actual` and `expected`, which every test runner shows as a difference.
 */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  const plain = asJson(actual);
  if (isDeepStrictEqual(plain, asJson(expected))) return;
  throw new AssertionError({
    message: `${what} must give ${inspect(expected, SHOWN)}, but gave ${inspect(actual, SHOWN)}`,
    actual: plain,
    expected,
    operator: 'deepStrictEqual',
  });
}

/** A flat object as JSON text, its keys in order. */
export function sortedText(value: object | undefined): string {
  const fields = Object.entries(value ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(fields);
}

/** @throws `AssertionError` when `claim` is not true. */
export function expectThat(claim: boolean, message: string): void {
  if (!claim) throw new AssertionError({ message, actual: claim, expected: true, operator: '==' });
}

/** `undefined` is not `null`, and what has no JSON is shown as it is. */
function asJson(value: unknown): unknown {
  if (value === undefined) return undefined;
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? value : JSON.parse(text);
}

/** The list, sorted, for results whose order means nothing. */
export function sorted(what: string, list: readonly unknown[]): unknown[] {
  expectThat(Array.isArray(list), `${what} must give an array, but gave ${inspect(list, SHOWN)}`);
  return [...list].sort();
}
