import { randomUUID } from 'node:crypto';
import { SessionNotFoundError } from '../../errors.js';
import type { ForkSessionResult } from '../session-types.js';
import type { TranscriptEntry } from '../transcript/entry.js';
import { forkEntries, forkError } from '../transcript/fork.js';
import { tagEntry, titleEntry } from '../transcript/titles.js';
import type { SessionStore } from './session-store.js';
import { foldSessionSummary, rowOfSummary } from './session-summary.js';
import { loadEntries, readAnswer } from './store-answers.js';
import { callStore, hasMethod } from './store-call.js';
import type { StoredSessionKey } from './store-reading.js';

/** Appends a title that the caller has checked. The session need not exist. */
export async function renameSessionInStore(store: SessionStore, key: StoredSessionKey, title: string): Promise<void> {
  const entry = stamped(titleEntry(key.sessionId, title));
  await callStore(store, 'append', [key, [entry]]);
}

/** Appends a tag that the caller has cleaned. An empty one removes the tag. The session need not exist. */
export async function tagSessionInStore(store: SessionStore, key: StoredSessionKey, tag: string): Promise<void> {
  const entry = stamped(tagEntry(key.sessionId, tag));
  await callStore(store, 'append', [key, [entry]]);
}

/** Deletes a session with everything below it. A store without `delete` keeps it. An unknown session is not an error. */
export async function deleteSessionFromStore(store: SessionStore, key: StoredSessionKey): Promise<void> {
  if (!hasMethod(store, 'delete')) return;
  await callStore(store, 'delete', [key]);
}

/**
 * Copies a session's conversation under a new id: one `load` and one `append`. Subagents are not copied.
 *
 * @throws {@link InvalidOptionError} `upToMessageId` is not in the session.
 * @throws {@link SessionNotFoundError} no such session, or no messages in it.
 */
export async function forkSessionInStore(
  store: SessionStore,
  key: StoredSessionKey,
  options: {
    readonly upToMessageId?: string | undefined;
    readonly title?: string | undefined;
  } = {},
): Promise<ForkSessionResult> {
  const { projectKey, sessionId } = key;
  const { upToMessageId, title } = options;
  const entries = await loadEntries(store, key);
  if (entries === null || entries.length === 0) {
    throw new SessionNotFoundError(sessionId, `Session ${sessionId} not found in the session store`, {
      hint: `The store was asked for projectKey ${projectKey}, which comes from \`dir\`.`,
    });
  }
  const newSessionId = randomUUID();
  const fork = readAnswer({ method: 'load', ...key }, () => {
    const row = rowOfSummary(foldSessionSummary(undefined, key, entries));
    return forkEntries(entries, {
      sessionId,
      newSessionId,
      upToMessageId,
      title,
      sourceTitle: row?.customTitle ?? row?.firstPrompt,
      createUuid: randomUUID,
      now: new Date().toISOString(),
    });
  });
  if (!fork.ok) throw forkError(sessionId, fork.reason, upToMessageId);
  const newKey = { projectKey, sessionId: newSessionId };
  await callStore(store, 'append', [newKey, fork.entries]);
  return { sessionId: newSessionId };
}

/** Entries that the CLI did not write get their own `uuid` and time, so that stores do not take them for repetitions. */
function stamped(entry: TranscriptEntry): TranscriptEntry {
  return { ...entry, uuid: randomUUID(), timestamp: new Date().toISOString() };
}
