import { findTranscript } from './files/find-transcript.js';
import { readMessages } from './files/read-messages.js';
import { parentsOf, subagentFiles } from './files/subagent-files.js';
import { optionsObject, pageOfOptions, placeOf } from './session-options.js';
import type { GetSubagentMessagesOptions, SessionMessage } from './session-types.js';
import { getSubagentMessagesFromStore } from './store/store-reading.js';

/**
 * The conversation of a subagent, oldest message first. `[]` when there is no such session or subagent.
 *
 * @param agentId - One of `listSubagents()`.
 * @throws {@link InvalidOptionError} an option has a wrong type.
 * @throws {@link SessionFileError} the transcript is there and cannot be read.
 */
export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options?: GetSubagentMessagesOptions,
): Promise<SessionMessage[]> {
  const given = optionsObject(options);
  const { directory, store } = placeOf(given);
  const page = pageOfOptions(given);
  if (store !== undefined) {
    const key = { projectKey: store.projectKey, sessionId };
    return getSubagentMessagesFromStore(store.store, key, agentId, page);
  }
  const found = findTranscript(sessionId, directory);
  if (found === undefined || agentId === '') return [];
  const file = subagentFiles(found.sessionFolder).find((each) => each.agentId === agentId);
  if (file === undefined) return [];
  return readMessages(found.sessionId, file.path, {
    ...page,
    includeSystemMessages: false,
    parents: parentsOf(file),
  });
}
