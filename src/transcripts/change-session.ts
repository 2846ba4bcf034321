import { rmSync } from 'node:fs';
import { InvalidOptionError } from '../errors.js';
import { appendEntry } from './files/append-line.js';
import { writeArchiveMark } from './files/archive-mark.js';
import { checkSessionId, requireTranscript } from './files/find-transcript.js';
import { fileError } from './files/open-file.js';
import { optionsObject, placeOf } from './session-options.js';
import type { SessionMutationOptions } from './session-types.js';
import { callStore, hasMethod } from './store/store-call.js';
import type { TranscriptEntry } from './transcript/entry.js';
import { tagEntry, titleEntry } from './transcript/titles.js';

/**
 * Gives a session a title, trimmed: one line is added to its transcript. With `sessionStore`, the session need not
 * exist: an unknown one is created, with the title as its only entry.
 * @throws {@link InvalidOptionError} the id is no UUID, the title is blank, or an option has a wrong type.
 * @throws {@link SessionNotFoundError} there is no such session on disk, or it is empty.
 * @throws {@link SessionFileError} the transcript cannot be changed.
 * @throws {@link SessionStoreError} the store took longer than 60 s; or what it rejected with.
 */
export async function renameSession(sessionId: string, title: string, options?: SessionMutationOptions): Promise<void> {
  checkSessionId(sessionId);
  await addEntry(sessionId, titleEntry(sessionId, title), options);
}

/**
 * Gives a session a tag: normalised (NFKC), without invisible characters, trimmed. `null` removes it. One line is added
 * to its transcript; the last one counts. With `sessionStore`, the session need not exist: an unknown one is created,
 * with the tag as its only entry. Throws as {@link renameSession}.
 */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options?: SessionMutationOptions,
): Promise<void> {
  checkSessionId(sessionId);
  await addEntry(sessionId, tagEntry(sessionId, tag), options);
}

async function addEntry(sessionId: string, entry: TranscriptEntry, options: unknown): Promise<void> {
  const { directory, store } = placeOf(optionsObject(options));
  if (store === undefined) {
    await appendEntry(requireTranscript(sessionId, directory), entry);
    return;
  }
  // With its own `uuid` and time, as the CLI's entries have, so that stores do not take it for a repetition.
  const stored = { ...entry, uuid: crypto.randomUUID(), timestamp: new Date().toISOString() };
  await callStore(store.store, 'append', [{ projectKey: store.projectKey, sessionId }, [stored]]);
}

/**
 * Marks a session as archived. Listings show it with `archived: true` until a prompt is sent in it. Its transcript is
 * not changed: the mark is the file `archived.json` in the session's folder.
 * @throws {@link InvalidOptionError} the id is no UUID, `sessionStore` is given (a store has no marks), or an option has
 *   a wrong type.
 * @throws {@link SessionNotFoundError} there is no such session, or it is empty.
 * @throws {@link SessionFileError} the mark cannot be written.
 */
export async function archiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  mark(sessionId, options, true);
}

/** Undoes {@link archiveSession}: listings show `archived: false` from then on. Throws the same errors. */
export async function unarchiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  mark(sessionId, options, false);
}

function mark(sessionId: string, options: unknown, archived: boolean): void {
  checkSessionId(sessionId);
  const given = optionsObject(options);
  if ((given.sessionStore ?? undefined) !== undefined) {
    throw new InvalidOptionError(
      'sessionStore',
      'Archiving is not supported with sessionStore: the mark is a file beside the local transcript, which no store holds.',
    );
  }
  const { sessionFolder } = requireTranscript(sessionId, placeOf(given).directory);
  try {
    writeArchiveMark(sessionFolder, archived);
  } catch (error) {
    throw fileError(sessionId, sessionFolder, 'change', error);
  }
}

/**
 * Deletes a session: its transcript and the folder of its subagents. With `sessionStore`, only the session in the
 * store: an unknown session is not an error there, and a store without `delete` keeps the session.
 * @throws {@link InvalidOptionError} the id is no UUID, or an option has a wrong type.
 * @throws {@link SessionNotFoundError} there is no such session on disk, or it is empty.
 * @throws {@link SessionFileError} something cannot be removed. The transcript goes last, so the call can be made again.
 * @throws {@link SessionStoreError} the store took longer than 60 s; or what it rejected with.
 */
export async function deleteSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  checkSessionId(sessionId);
  const { directory, store } = placeOf(optionsObject(options));
  if (store !== undefined) {
    if (!hasMethod(store.store, 'delete')) return;
    await callStore(store.store, 'delete', [{ projectKey: store.projectKey, sessionId }]);
    return;
  }
  const { place, sessionFolder } = requireTranscript(sessionId, directory);
  // Links are removed, not their targets.
  for (const path of [sessionFolder, place]) {
    try {
      rmSync(path, { recursive: path === sessionFolder, force: true });
    } catch (error) {
      throw fileError(sessionId, path, 'delete', error);
    }
  }
}
