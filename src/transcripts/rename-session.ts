import { appendEntry } from './files/append-line.js';
import { checkSessionId, requireTranscript } from './files/find-transcript.js';
import { optionsObject, placeOf } from './session-options.js';
import type { SessionMutationOptions } from './session-types.js';
import { renameSessionInStore } from './store/store-changing.js';
import { checkTitle, titleEntry } from './transcript/titles.js';

/**
 * Gives a session a title, trimmed: one line is added to its transcript. With `sessionStore`, the session need not
 * exist: an unknown one is created, with the title as its only entry.
 *
 * @throws {@link InvalidOptionError} the id is no UUID, the title is blank, or an option has a wrong type.
 * @throws {@link SessionNotFoundError} there is no such session on disk, or it is empty.
 * @throws {@link SessionFileError} the transcript cannot be changed.
 * @throws {@link SessionStoreError} the store took longer than 60 s; or what it rejected with.
 */
export async function renameSession(sessionId: string, title: string, options?: SessionMutationOptions): Promise<void> {
  checkSessionId(sessionId);
  const checked = checkTitle(title);
  const { directory, store } = placeOf(optionsObject(options));
  if (store !== undefined) {
    const key = { projectKey: store.projectKey, sessionId };
    await renameSessionInStore(store.store, key, checked);
    return;
  }
  await appendEntry(requireTranscript(sessionId, directory), titleEntry(sessionId, checked));
}
