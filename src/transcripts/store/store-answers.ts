import type { SessionStoreCall } from '../../errors/session-errors.js';
import { ClaudeSDKError, SessionStoreError } from '../../errors.js';
import { describeValue } from '../../util/describe-value.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from './session-store.js';
import { type CallLimits, callStore } from './store-call.js';

/** A session as a store lists it. */
export interface ListedSession {
  readonly sessionId: string;
  /** Epoch milliseconds. */
  readonly mtime: number;
}

// Each of the four readers throws a SessionStoreError when the answer has another shape, or does not come in time.

/** The entries of one transcript, `null` when the store has none. */
export async function loadEntries(
  store: SessionStore,
  key: SessionKey,
  limits?: CallLimits,
): Promise<SessionStoreEntry[] | null> {
  const answer = await callStore(store, 'load', [key], limits);
  // A store written as `return map.get(key)` answers `undefined` for "nothing".
  if (answer === null || answer === undefined) return null;
  const entries = listOf({ method: 'load', ...key }, answer, 'an array of entries or null', objectOf);
  // Every element is an object. The store promises that `type` is a string, and nothing here depends on it.
  return entries as SessionStoreEntry[];
}

/** An `mtime` that is text or a bigint, as database drivers return 64-bit numbers, is turned into a number. */
export async function listStored(
  store: SessionStore,
  projectKey: string,
  limits?: CallLimits,
): Promise<ListedSession[]> {
  const answer = await callStore(store, 'listSessions', [projectKey], limits);
  return listOf({ method: 'listSessions' }, answer, 'an array of {sessionId, mtime}', listedOf);
}

/** `mtime` as in {@link listStored}. */
export async function listSummaries(
  store: SessionStore,
  projectKey: string,
  limits?: CallLimits,
): Promise<SessionSummaryEntry[]> {
  const method = 'listSessionSummaries';
  const answer = await callStore(store, method, [projectKey], limits);
  return listOf({ method }, answer, 'an array of {sessionId, mtime, data}', (value, at, fail) => {
    const { data } = objectOf(value, at, fail);
    if (!isJsonObject(data)) return fail(`${at}.data = ${describeValue(data)}`);
    return { ...listedOf(value, at, fail), data };
  });
}

export async function listSubpaths(
  store: SessionStore,
  { projectKey, sessionId }: SessionKey,
  limits?: CallLimits,
): Promise<string[]> {
  const answer = await callStore(store, 'listSubkeys', [{ projectKey, sessionId }], limits);
  return listOf({ method: 'listSubkeys', sessionId }, answer, 'an array of strings', (value, at, fail) =>
    typeof value === 'string' ? value : fail(`${describeValue(value)} at ${at}`),
  );
}

/**
 * Converts an answer. Anything in it that cannot be read (a getter that throws, endless depth) is the store's fault and
 * becomes its error.
 * @throws {@link SessionStoreError} that; and what `read` throws of this package's own.
 */
export function readAnswer<Result>(call: SessionStoreCall, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof ClaudeSDKError) throw error;
    throw new SessionStoreError(call, 'returned something that cannot be read', {
      detail: errorText(error),
      cause: error,
    });
  }
}

/** Describes what was found instead. Contents are not shown. */
type Fail = (found: string) => never;

/** @param itemOf - Reads the element at `[index]`. */
function listOf<Item>(
  call: SessionStoreCall,
  answer: unknown,
  wanted: string,
  itemOf: (value: unknown, at: string, fail: Fail) => Item,
): Item[] {
  const fail: Fail = (found) => {
    throw new SessionStoreError(call, 'returned something that is no answer', {
      detail: `${found} instead of ${wanted}`,
      hint: 'Check the store with `sessionStoreContract` of `claudewire/testing`.',
    });
  };
  return readAnswer(call, () =>
    // `Array.from` does not skip holes, as `map` would.
    Array.isArray(answer)
      ? Array.from(answer, (value: unknown, index) => itemOf(value, `[${index}]`, fail))
      : fail(describeValue(answer)),
  );
}

function objectOf(value: unknown, at: string, fail: Fail): JsonObject {
  return isJsonObject(value) ? value : fail(`${describeValue(value)} at ${at}`);
}

function listedOf(value: unknown, at: string, fail: Fail): ListedSession {
  const { sessionId, mtime } = objectOf(value, at, fail);
  if (typeof sessionId !== 'string') return fail(`${at}.sessionId = ${describeValue(sessionId)}`);
  const isNumeric =
    typeof mtime === 'number' || typeof mtime === 'bigint' || (typeof mtime === 'string' && mtime.trim() !== '');
  const time = isNumeric ? Number(mtime) : Number.NaN;
  return Number.isFinite(time) ? { sessionId, mtime: time } : fail(`${at}.mtime = ${describeValue(mtime)}`);
}
