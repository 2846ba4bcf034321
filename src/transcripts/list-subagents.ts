import { findTranscript } from './files/find-transcript.js';
import { subagentFiles } from './files/subagent-files.js';
import { optionsObject, placeOf } from './session-options.js';
import type { ListSubagentsOptions } from './session-types.js';
import { listSubagentsFromStore } from './store/store-reading.js';

/**
 * The ids of a session's subagents that have a transcript. `[]` when there is no such session.
 *
 * @throws {@link InvalidOptionError} an option has a wrong type.
 */
export async function listSubagents(
  sessionId: string,
  options?: ListSubagentsOptions,
): Promise<string[]> {
  const { directory, store } = placeOf(optionsObject(options));
  if (store !== undefined) {
    return listSubagentsFromStore(store.store, { projectKey: store.projectKey, sessionId });
  }
  const found = findTranscript(sessionId, directory);
  return found === undefined
    ? []
    : subagentFiles(found.sessionFolder).map(({ agentId }) => agentId);
}
