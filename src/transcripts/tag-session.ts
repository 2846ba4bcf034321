import { appendEntry } from './files/append-line.js';
import { checkSessionId, requireTranscript } from './files/find-transcript.js';
import { optionsObject, placeOf } from './session-options.js';
import type { SessionMutationOptions } from './session-types.js';
import { tagSessionInStore } from './store/store-changing.js';
import { checkTag, tagEntry } from './transcript/titles.js';

/**
 * Gives a session a tag: normalised (NFKC), without invisible characters, trimmed. `null` removes it. One line
 * is added to its transcript; the last one counts. With `sessionStore`, the session need not exist: an unknown one
 * is created, with the tag as its only entry.
 *
 * @throws {@link InvalidOptionError} the id is no UUID, nothing is left of the tag, or an option has a wrong type.
 * @throws {@link SessionNotFoundError} there is no such session on disk, or it is empty.
 * @throws {@link SessionFileError} the transcript cannot be changed.
 * @throws {@link SessionStoreError} the store took longer than 60 s; or what it rejected with.
 */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options?: SessionMutationOptions,
): Promise<void> {
  checkSessionId(sessionId);
  const checked = checkTag(tag);
  const { directory, store } = placeOf(optionsObject(options));
  if (store !== undefined) {
    const key = { projectKey: store.projectKey, sessionId };
    await tagSessionInStore(store.store, key, checked);
    return;
  }
  await appendEntry(requireTranscript(sessionId, directory), tagEntry(sessionId, checked));
}
