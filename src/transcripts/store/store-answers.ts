import type { SessionStoreCall } from '../../errors/session-errors.js';
import { ClaudeSDKError, SessionStoreError } from '../../errors.js';
import { describeValue } from '../../util/describe-value.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from './session-store.js';
import { badAnswer, type CallLimits, callStore } from './store-call.js';

/** A session as a store lists it. */
export interface ListedSession {
  readonly sessionId: string;
  /** Epoch milliseconds. */
  readonly mtime: number;
}

/**
 * The entries of one transcript, `null` when the store has none.
 *
 * @throws {@link SessionStoreError} the answer is no list of objects, or there is none in time.
 */
export async function loadEntries(
  store: SessionStore,
  key: SessionKey,
  limits?: CallLimits,
): Promise<SessionStoreEntry[] | null> {
  const answer = await callStore(store, 'load', [key], limits);
  // A store written as `return map.get(key)` answers `undefined` for "nothing".
  if (answer === null || answer === undefined) return null;
  const entries = readAnswer({ method: 'load', ...key }, () =>
    checkList('load', answer, 'an array of entries or null', key),
  );
  // Every element is an object. The store promises that `type` is a string, and nothing here depends on it.
  return entries as SessionStoreEntry[];
}

/**
 * The answer of `listSessions`. An `mtime` that is text or a bigint, as database drivers return 64-bit numbers, is
 * turned into a number.
 *
 * @throws {@link SessionStoreError} the answer is no list of `{sessionId, mtime}`, or there is none in time.
 */
export async function listStored(
  store: SessionStore,
  projectKey: string,
  limits?: CallLimits,
): Promise<ListedSession[]> {
  const wanted = 'an array of {sessionId, mtime}';
  const answer = await callStore(store, 'listSessions', [projectKey], limits);
  return readAnswer({ method: 'listSessions' }, () =>
    checkList('listSessions', answer, wanted).map((row, index) => ({
      sessionId: checkId('listSessions', row, index, wanted),
      mtime: checkMtime('listSessions', row, index, wanted),
    })),
  );
}

/**
 * The answer of `listSessionSummaries`; `mtime` as in {@link listStored}.
 *
 * @throws {@link SessionStoreError} the answer is no list of summaries, or there is none in time.
 */
export async function listSummaries(
  store: SessionStore,
  projectKey: string,
  limits?: CallLimits,
): Promise<SessionSummaryEntry[]> {
  const wanted = 'an array of {sessionId, mtime, data}';
  const method = 'listSessionSummaries';
  const answer = await callStore(store, method, [projectKey], limits);
  return readAnswer({ method }, () =>
    checkList(method, answer, wanted).map((row, index) => {
      const { data } = row;
      if (!isJsonObject(data)) throw badRow(method, index, 'data', data, wanted);
      return { sessionId: checkId(method, row, index, wanted), mtime: checkMtime(method, row, index, wanted), data };
    }),
  );
}

/**
 * The answer of `listSubkeys`.
 *
 * @throws {@link SessionStoreError} the answer is no list of strings, or there is none in time.
 */
export async function listSubpaths(
  store: SessionStore,
  key: { readonly projectKey: string; readonly sessionId: string },
  limits?: CallLimits,
): Promise<string[]> {
  const wanted = 'an array of strings';
  const { projectKey, sessionId } = key;
  const answer = await callStore(store, 'listSubkeys', [{ projectKey, sessionId }], limits);
  return readAnswer({ method: 'listSubkeys', sessionId }, () =>
    checkMembers('listSubkeys', answer, wanted, isText, { sessionId }),
  );
}

/**
 * Converts an answer. Anything in it that cannot be read (a getter that throws, endless depth) is the store's
 * fault and becomes its error.
 *
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

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function checkList(method: keyof SessionStore, answer: unknown, wanted: string, about?: SessionKey): JsonObject[] {
  return checkMembers(method, answer, wanted, isJsonObject, about);
}

function checkMembers<Member>(
  method: keyof SessionStore,
  answer: unknown,
  wanted: string,
  isMember: (value: unknown) => value is Member,
  about?: { readonly sessionId?: string; readonly subpath?: string },
): Member[] {
  if (!Array.isArray(answer)) throw badAnswer(method, describeValue(answer), wanted, about);
  // By index: array methods skip holes.
  for (let index = 0; index < answer.length; index += 1) {
    const member: unknown = answer[index];
    if (isMember(member)) continue;
    throw badAnswer(method, `${describeValue(member)} at [${index}]`, wanted, about);
  }
  return answer as Member[];
}

function checkId(method: keyof SessionStore, row: JsonObject, index: number, wanted: string): string {
  const { sessionId } = row;
  if (typeof sessionId !== 'string') throw badRow(method, index, 'sessionId', sessionId, wanted);
  return sessionId;
}

function checkMtime(method: keyof SessionStore, row: JsonObject, index: number, wanted: string): number {
  const { mtime } = row;
  const isNumeric =
    typeof mtime === 'number' || typeof mtime === 'bigint' || (typeof mtime === 'string' && mtime.trim() !== '');
  const value = isNumeric ? Number(mtime) : Number.NaN;
  if (!Number.isFinite(value)) throw badRow(method, index, 'mtime', mtime, wanted);
  return value;
}

function badRow(method: keyof SessionStore, index: number, field: string, value: unknown, wanted: string) {
  return badAnswer(method, `[${index}].${field} = ${describeValue(value)}`, wanted);
}
