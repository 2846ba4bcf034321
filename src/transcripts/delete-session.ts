import { checkSessionId, requireTranscript } from './files/find-transcript.js';
import { removeTranscript } from './files/remove-transcript.js';
import { optionsObject, placeOf } from './session-options.js';
import type { SessionMutationOptions } from './session-types.js';
import { deleteSessionFromStore } from './store/store-changing.js';

/**
 * Deletes a session: its transcript and its folder with those of its subagents. With `sessionStore` only what is in the
 * store: an unknown session is no error there, and a store without `delete` keeps what it has.
 *
 * @throws {@link InvalidOptionError} the id is no UUID, or an option has a wrong type.
 * @throws {@link SessionNotFoundError} there is no such session on disk, or it is empty.
 * @throws {@link SessionFileError} something cannot be removed. The transcript goes last, so the call can be made again.
 * @throws {@link SessionStoreError} the store took longer than 60 s; or what it rejected with.
 */
export async function deleteSession(
  sessionId: string,
  options?: SessionMutationOptions,
): Promise<void> {
  checkSessionId(sessionId);
  const { directory, store } = placeOf(optionsObject(options));
  if (store !== undefined) {
    await deleteSessionFromStore(store.store, { projectKey: store.projectKey, sessionId });
    return;
  }
  removeTranscript(requireTranscript(sessionId, directory));
}
