import type { SessionStore, SessionStoreEntry } from 'claudewire';
import { JobError, reasonOf } from '../errors.js';
import { isPlainObject } from '../job/fields.js';
import { settled } from '../redis/time-limit.js';

/**
 * The main transcript of a session; `undefined` when the store has none. What is no entry is left out: a store may hold
 * anything.
 * @throws JobError `store_failed`.
 */
export async function loadEntries(
  store: SessionStore,
  sessionId: string,
  limitMs: number,
): Promise<readonly SessionStoreEntry[] | undefined> {
  let answer: unknown;
  try {
    answer = await settled(limitMs, 'store_failed', 'sessionStore.load()', () =>
      store.load({ projectKey: 'unused', sessionId }),
    );
  } catch (error) {
    if (error instanceof JobError) throw error;
    throw new JobError('store_failed', `sessionStore.load() failed: ${reasonOf(error)}`, { cause: error });
  }
  if (answer === null || answer === undefined) return undefined;
  if (!Array.isArray(answer)) throw new JobError('store_failed', 'sessionStore.load() returned no list of entries.');
  const entries = answer.filter((entry): entry is SessionStoreEntry => isPlainObject(entry));
  return entries.length === 0 ? undefined : entries;
}
