import { invalidArgument, invalidOption, requireObject } from '../errors/usage-errors.js';
import { ClaudeSDKError, type SessionStore } from '../index.js';
import { errorText } from '../util/error-text.js';
import {
  boundedStore,
  type ContractCase,
  OPTIONAL_METHODS,
  type OptionalStoreMethod,
} from './session-store/contract-case.js';
import { DELETE_CASES, LISTING_CASES, SUBKEY_CASES, SUMMARY_CASES } from './session-store/optional-cases.js';
import { REQUIRED_CASES } from './session-store/required-cases.js';
import { WRITER_CASES } from './session-store/writer-cases.js';

export type { OptionalStoreMethod } from './session-store/contract-case.js';

const CASES: readonly ContractCase[] = [
  ...REQUIRED_CASES,
  ...LISTING_CASES,
  ...SUMMARY_CASES,
  ...DELETE_CASES,
  ...SUBKEY_CASES,
];

/** Makes a store that is empty and shares nothing with the ones made before. Called once for each case. */
export type MakeSessionStore = () => SessionStore | Promise<SessionStore>;

export interface SessionStoreContractOptions {
  /** Methods that the store leaves out on purpose: their cases are not in the list. */
  readonly skipOptional?: Iterable<OptionalStoreMethod>;
  /** Milliseconds for one call of the store. @defaultValue `10_000` */
  readonly timeoutMs?: number;
}

/** One promise of a session store, ready to be run by any test runner. */
export interface SessionStoreContractCase {
  /** A sentence: the test's title. */
  readonly name: string;
  /** True when the case is about a method that a store may leave out. */
  readonly isOptional: boolean;
  /**
   * Makes a store, checks it, and disposes of it if it can be disposed of (`Symbol.asyncDispose`, `Symbol.dispose`).
   * @param context - What the test runner gives its tests. When the store has
   *   not the methods for this case, `context.skip()` is
   *   called if there is one; without it the case passes.
   * @throws `AssertionError` the promise is not kept; or what the store itself threw.
   */
  run(context?: unknown): Promise<void>;
}

/** Makes a store that is empty. `again` gives the same store as another process has it. */
export type MakeSharedSessionStore = () => SharedSessionStore | Promise<SharedSessionStore>;

export interface SharedSessionStore {
  readonly store: SessionStore;
  again(): SessionStore;
}

/** How a store did. */
export interface SessionStoreContractReport {
  readonly passed: readonly string[];
  /** Cases about methods that the store does not have. */
  readonly skipped: readonly string[];
  readonly failed: readonly { readonly name: string; readonly error: unknown }[];
}

/** A store does not keep the contract. The message lists every case that failed. */
export class SessionStoreContractError extends ClaudeSDKError {
  override name = 'SessionStoreContractError';
  readonly report: SessionStoreContractReport;

  constructor(report: SessionStoreContractReport) {
    // The first line: what was found and expected is in the error.
    const lines = report.failed.map(({ name, error }) => `- ${name}: ${errorText(error).split('\n', 1).join()}`);
    super(`The session store breaks ${report.failed.length} promise(s):\n${lines.join('\n')}`, 'session_store_failed');
    this.report = report;
  }
}

/**
 * What a `SessionStore` promises, as a list of cases for the test runner at hand:
 *
 * ```ts
 * for (const { name, run } of sessionStoreContract(() => new MyStore())) test(name, run);
 * ```
 * @param makeStore - Makes a fresh, empty store for each case.
 * @throws InvalidOptionError `makeStore` is no function, or
 *   `skipOptional` names something else than an optional method.
 */
export function sessionStoreContract(
  makeStore: MakeSessionStore,
  options: SessionStoreContractOptions = {},
): SessionStoreContractCase[] {
  return casesFor(makeStore, options).map((each) => ({
    name: each.name,
    isOptional: each.needs.length > 0,
    // No parameter without a default: some runners hand a `done` callback to functions that count one.
    run: async (context: unknown = undefined) => {
      const missing = await runCase(each, makeStore, options);
      if (missing !== undefined) skip(context, `the store has no ${missing}()`);
    },
  }));
}

/**
 * What a `SessionStore` promises in addition that several processes write to: an append is all or nothing, an entry is
 * stored once however often it is appended, and writers do not disturb each other. A store for one process, such as
 * `InMemorySessionStore`, need not keep this.
 *
 * ```ts
 * const make = () => ({ store: new MyStore(url), again: () => new MyStore(url) });
 * for (const { name, run } of sharedSessionStoreContract(make)) test(name, run);
 * ```
 * @throws InvalidOptionError `makeStore` is no function.
 */
export function sharedSessionStoreContract(
  makeStore: MakeSharedSessionStore,
  options: Pick<SessionStoreContractOptions, 'timeoutMs'> = {},
): SessionStoreContractCase[] {
  requireFunction(makeStore);
  requireObject('options', 'The contract takes an object of options', options, 'Leave it out.');
  const { timeoutMs = 10_000 } = options;
  return WRITER_CASES.map(({ name, check }) => ({
    name,
    isOptional: false,
    run: async () => {
      const { store, again } = await makeStore();
      const other = again();
      try {
        await check(boundedStore(store, timeoutMs), boundedStore(other, timeoutMs));
      } finally {
        await dispose(store);
        if (other !== store) await dispose(other);
      }
    },
  }));
}

/**
 * Runs the whole contract, one case after another.
 * @returns what passed and what was skipped.
 * @throws {@link SessionStoreContractError} a case failed; every case was run.
 * @throws InvalidOptionError as {@link sessionStoreContract}.
 */
export async function runSessionStoreContract(
  makeStore: MakeSessionStore,
  options: SessionStoreContractOptions = {},
): Promise<SessionStoreContractReport> {
  const passed: string[] = [];
  const skipped: string[] = [];
  const failed: { name: string; error: unknown }[] = [];
  for (const each of casesFor(makeStore, options)) {
    try {
      const missing = await runCase(each, makeStore, options);
      (missing === undefined ? passed : skipped).push(each.name);
    } catch (error) {
      failed.push({ name: each.name, error });
    }
  }
  const report = { passed, skipped, failed };
  if (failed.length > 0) throw new SessionStoreContractError(report);
  return report;
}

function casesFor(makeStore: MakeSessionStore, options: SessionStoreContractOptions): readonly ContractCase[] {
  requireFunction(makeStore);
  requireObject('options', 'The contract takes an object of options', options, 'Leave it out.');
  const { skipOptional = [] } = options;
  if (typeof Object(skipOptional)[Symbol.iterator] !== 'function' || typeof skipOptional === 'string') {
    throw invalidOption('skipOptional', 'a list of optional methods', skipOptional);
  }
  const skipped = new Set<string>(skipOptional);
  const unknown = [...skipped].filter((method) => !OPTIONAL_METHODS.some((known) => known === method));
  if (unknown.length > 0) {
    throw invalidOption('skipOptional', `a list of optional methods (${OPTIONAL_METHODS.join(', ')})`, unknown[0]);
  }
  return CASES.filter(({ needs }) => !needs.some((method) => skipped.has(method)));
}

function requireFunction(makeStore: unknown): void {
  if (typeof makeStore === 'function') return;
  const cure = 'Pass one that makes an empty store, such as `() => new MyStore()`.';
  throw invalidArgument('makeStore', 'The contract takes a function', makeStore, cure);
}

/** The method that the store lacks for this case, `undefined` when it was checked. */
async function runCase(
  { needs, check }: ContractCase,
  makeStore: MakeSessionStore,
  { timeoutMs = 10_000 }: SessionStoreContractOptions,
): Promise<OptionalStoreMethod | undefined> {
  const store = await makeStore();
  try {
    const missing = needs.find((method) => store[method] === undefined);
    if (missing === undefined) await check(boundedStore(store, timeoutMs));
    return missing;
  } finally {
    await dispose(store);
  }
}

async function dispose(store: Partial<AsyncDisposable & Disposable> & SessionStore): Promise<void> {
  if (typeof store[Symbol.asyncDispose] === 'function') await store[Symbol.asyncDispose]?.();
  else store[Symbol.dispose]?.();
}

function skip(context: unknown, note: string): void {
  if (typeof context !== 'object' || context === null) return;
  const { skip: skipTest } = context as { readonly skip?: unknown };
  if (typeof skipTest === 'function') skipTest.call(context, note);
}
