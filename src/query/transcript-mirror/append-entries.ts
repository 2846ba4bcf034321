import { SessionStoreError } from '../../errors.js';
import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
} from '../../transcripts/store/session-store.js';
import { callStore } from '../../transcripts/store/store-call.js';
import { errorText } from '../../util/error-text.js';
import { wait } from '../../util/wait.js';

/** For one call of `append`. */
const APPEND_TIMEOUT_MS = 60_000;
/** Before the second and the third try. */
const RETRY_WAITS_MS: readonly number[] = [200, 800];

/** Entries for one transcript, in order. */
export interface MirrorBatch {
  readonly key: SessionKey;
  readonly entries: SessionStoreEntry[];
}

/**
 * Hands one batch to the store: three tries, each with {@link APPEND_TIMEOUT_MS}. One that ran out of time is not made
 * again, since it may still arrive, and would then be there twice.
 *
 * @param signal - Aborted: no more tries, and no more waiting.
 * @returns why it could not be stored; `undefined` when it was. Never throws.
 */
export async function appendEntries(
  store: Pick<SessionStore, 'append'>,
  { key, entries }: MirrorBatch,
  signal: AbortSignal,
): Promise<string | undefined> {
  let text: string | undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      // What the store does to its arguments must not reach the next try. Most batches need one, so only that pays for a copy.
      const given = text === undefined ? entries : (JSON.parse(text) as SessionStoreEntry[]);
      text ??= JSON.stringify(entries);
      await callStore(store, 'append', [{ ...key }, given], {
        timeoutMs: APPEND_TIMEOUT_MS,
        signal,
      });
      return undefined;
    } catch (error) {
      const waitMs = RETRY_WAITS_MS[attempt];
      if (signal.aborted || waitMs === undefined || isTimeout(error)) return errorText(error);
      await wait(waitMs, signal);
      if (signal.aborted) return errorText(error);
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof SessionStoreError && error.errorClass === 'session_store_timeout';
}
