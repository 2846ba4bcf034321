import { findTranscript } from './files/find-transcript.js';
import { rowOfTranscript } from './files/session-rows.js';
import { optionsObject, placeOf } from './session-options.js';
import type { GetSessionInfoOptions, SDKSessionInfo } from './session-types.js';
import { getSessionInfoFromStore } from './store/store-reading.js';

/**
 * One session's row, as `listSessions()` shows it. `undefined` when there is no such session, when it is a sidechain, or
 * when nothing was said in it.
 *
 * @throws {@link InvalidOptionError} an option has a wrong type.
 */
export async function getSessionInfo(
  sessionId: string,
  options?: GetSessionInfoOptions,
): Promise<SDKSessionInfo | undefined> {
  const { directory, store } = placeOf(optionsObject(options));
  if (store !== undefined) {
    return getSessionInfoFromStore(store.store, { projectKey: store.projectKey, sessionId });
  }
  const found = findTranscript(sessionId, directory);
  return found === undefined ? undefined : rowOfTranscript(found);
}
