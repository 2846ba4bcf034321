import { findTranscript } from './files/find-transcript.js';
import { readMessages } from './files/read-messages.js';
import { booleanOption, optionsObject, pageOfOptions, placeOf } from './session-options.js';
import type { GetSessionMessagesOptions, SessionMessage } from './session-types.js';
import { getSessionMessagesFromStore } from './store/store-reading.js';

/**
 * The conversation that a session ends with, oldest message first: one branch, without what was written for the model
 * only. After a compaction it begins with the summary. `[]` when there is no such session.
 *
 * @throws {@link InvalidOptionError} an option has a wrong type.
 * @throws {@link SessionFileError} the transcript is there and cannot be read.
 */
export async function getSessionMessages(
  sessionId: string,
  options?: GetSessionMessagesOptions,
): Promise<SessionMessage[]> {
  const given = optionsObject(options);
  const { directory, store } = placeOf(given);
  const page = pageOfOptions(given);
  const includeSystemMessages = booleanOption(given, 'includeSystemMessages', false);
  if (store !== undefined) {
    const key = { projectKey: store.projectKey, sessionId };
    return getSessionMessagesFromStore(store.store, key, { ...page, includeSystemMessages });
  }
  const found = findTranscript(sessionId, directory);
  if (found === undefined) return [];
  return readMessages(found.sessionId, found.path, { ...page, includeSystemMessages });
}
