import { rmSync } from 'node:fs';
import { checkSessionId, type FoundTranscript, requireTranscript } from './files/find-transcript.js';
import { fileError } from './files/open-file.js';
import { optionsObject, placeOf } from './session-options.js';
import type { SessionMutationOptions } from './session-types.js';
import { deleteSessionFromStore } from './store/store-changing.js';

/**
 * Deletes a session: its transcript and the folder of its subagents. With `sessionStore`, only the session in the
 * store: an unknown session is not an error there, and a store without `delete` keeps the session.
 *
 * @throws {@link InvalidOptionError} the id is no UUID, or an option has a wrong type.
 * @throws {@link SessionNotFoundError} there is no such session on disk, or it is empty.
 * @throws {@link SessionFileError} something cannot be removed. The transcript goes last, so the call can be made again.
 * @throws {@link SessionStoreError} the store took longer than 60 s; or what it rejected with.
 */
export async function deleteSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  checkSessionId(sessionId);
  const { directory, store } = placeOf(optionsObject(options));
  if (store !== undefined) {
    await deleteSessionFromStore(store.store, { projectKey: store.projectKey, sessionId });
    return;
  }
  removeTranscript(requireTranscript(sessionId, directory));
}

/**
 * Removes the session's folder, then its transcript: when the folder cannot be removed, the session still exists
 * and the call can be repeated. Links are removed, not their targets.
 */
function removeTranscript(found: FoundTranscript): void {
  const { sessionId, place, sessionFolder } = found;
  remove(sessionId, sessionFolder, { recursive: true, force: true });
  remove(sessionId, place, { force: true });
}

function remove(
  sessionId: string,
  path: string,
  options: { readonly recursive?: boolean; readonly force: boolean },
): void {
  try {
    rmSync(path, options);
  } catch (error) {
    throw fileError(sessionId, path, 'delete', error);
  }
}
