import { findTranscript } from './files/find-transcript.js';
import { readMessages } from './files/read-messages.js';
import { parentsOf, subagentFiles } from './files/subagent-files.js';
import { booleanOption, optionsObject, pageOfOptions, placeOf } from './session-options.js';
import type {
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ListSubagentsOptions,
  SessionMessage,
} from './session-types.js';
import {
  getSessionMessagesFromStore,
  getSubagentMessagesFromStore,
  listSubagentsFromStore,
} from './store/store-reading.js';

/**
 * The conversation at the end of a session, oldest message first: one branch, without messages written for the model
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

/**
 * The ids of a session's subagents that have a transcript. `[]` when there is no such session.
 *
 * @throws {@link InvalidOptionError} an option has a wrong type.
 */
export async function listSubagents(sessionId: string, options?: ListSubagentsOptions): Promise<string[]> {
  const { directory, store } = placeOf(optionsObject(options));
  if (store !== undefined) {
    return listSubagentsFromStore(store.store, { projectKey: store.projectKey, sessionId });
  }
  const found = findTranscript(sessionId, directory);
  return found === undefined ? [] : subagentFiles(found.sessionFolder).map(({ agentId }) => agentId);
}
