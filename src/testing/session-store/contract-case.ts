import { AssertionError } from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';
import type { SessionStore } from '../../index.js';
import { within } from '../../util/race.js';

/** The methods that a store may leave out. */
export const OPTIONAL_METHODS = ['listSessions', 'listSessionSummaries', 'delete', 'listSubkeys'] as const;
export type OptionalStoreMethod = (typeof OPTIONAL_METHODS)[number];

/** One promise of a store, as a check. */
export interface ContractCase {
  /** What a store promises, as a sentence. */
  readonly name: string;
  /** Methods without which there is nothing to check. */
  readonly needs: readonly OptionalStoreMethod[];
  /** Rejects when the store, a fresh and empty one, does not keep the promise. */
  check(store: SessionStore): Promise<void>;
}

/** A case that needs `append` and `load` alone. */
export function required(name: string, check: ContractCase['check']): ContractCase {
  return { name, needs: [], check };
}

/** A case that is checked on stores with certain methods; `check` sees them as given. */
export function optional<M extends OptionalStoreMethod>(
  needs: readonly M[],
  name: string,
  check: (store: SessionStore & Required<Pick<SessionStore, M>>) => Promise<void>,
): ContractCase {
  return {
    name,
    needs,
    // The runner has looked: the store has every method of `needs`.
    check: (store) => check(store as SessionStore & Required<Pick<SessionStore, M>>),
  };
}

type Method = (...args: never[]) => Promise<unknown>;

const METHODS = ['append', 'load', ...OPTIONAL_METHODS] as const;

/** The store with an end to every call, so that one that never answers fails its case by name. */
export function boundedStore(store: SessionStore, timeoutMs: number): SessionStore {
  const methods = METHODS.flatMap((name) => {
    const method = store[name] as Method | undefined;
    if (method === undefined) return [];
    const late = (): never => {
      throw new Error(`${name}() did not settle within ${timeoutMs} ms`);
    };
    const call = async (...args: never[]): Promise<unknown> => within(timeoutMs, method.apply(store, args), late);
    return [[name, call]];
  });
  // The same methods under the same names, and none that the store has not.
  return Object.fromEntries(methods) as SessionStore;
}

const SHOWN = { depth: 4, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 80 } as const;

/**
 * Compares as JSON, so that the order of keys, prototypes and the realm of an object do not matter.
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
