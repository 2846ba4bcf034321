import { findTranscript } from './files/find-transcript.js';
import { readMessages } from './files/read-messages.js';
import { agentOf, sidecarOf, transcriptsBelow } from './files/subagent-files.js';
import { booleanOption, optionsObject, pageOf, pageOfOptions, placeOf } from './session-options.js';
import type {
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ListSubagentsOptions,
  SessionMessage,
} from './session-types.js';
import type { SessionKey, SessionStore } from './store/session-store.js';
import { listSubpaths, loadEntries, readAnswer } from './store/store-answers.js';
import { hasMethod, missingMethod } from './store/store-call.js';
import { isSessionId } from './transcript/entry.js';
import { messagesIn, parentsIn } from './transcript/main-chain.js';

/**
 * The conversation at the end of a session, oldest message first: one branch, without messages written for the model
 * only. After a compaction it begins with the summary. `[]` when there is no such session.
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
  if (!isSessionId(sessionId)) return [];
  if (store === undefined) {
    const found = findTranscript(sessionId, directory);
    return found === undefined ? [] : readMessages(sessionId, found.path, { ...page, includeSystemMessages });
  }
  const key = { projectKey: store.projectKey, sessionId };
  const entries = (await loadEntries(store.store, key)) ?? [];
  return readAnswer({ method: 'load', ...key }, () => pageOf(messagesIn(entries, { includeSystemMessages }), page));
}

/**
 * The conversation of a subagent, oldest message first. `[]` when there is no such session or subagent.
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
  if (!isSessionId(sessionId) || agentId === '') return [];
  if (store === undefined) {
    const found = findTranscript(sessionId, directory);
    const file = found && transcriptsBelow(found.sessionFolder).find(({ subpath }) => agentOf(subpath) === agentId);
    if (file === undefined) return [];
    return readMessages(sessionId, file.path, { ...page, parents: parentsIn(sidecarOf(file.path)) });
  }
  if (!isAgentId(agentId)) return [];
  const key = { projectKey: store.projectKey, sessionId };
  const subpath = await subpathOf(store.store, key, agentId);
  if (subpath === undefined) return [];
  const entries = (await loadEntries(store.store, { ...key, subpath })) ?? [];
  return readAnswer({ method: 'load', ...key, subpath }, () => {
    const transcript = entries.filter(({ type }) => type !== METADATA);
    // The last one corresponds to the sidecar file of a transcript on disk.
    const parents = parentsIn(entries.findLast(({ type }) => type === METADATA));
    return pageOf(messagesIn(transcript, { parents }), page);
  });
}

/**
 * The ids of a session's subagents that have a transcript. `[]` when there is no such session.
 * @throws {@link InvalidOptionError} an option has a wrong type, or the store has no `listSubkeys`.
 */
export async function listSubagents(sessionId: string, options?: ListSubagentsOptions): Promise<string[]> {
  const { directory, store } = placeOf(optionsObject(options));
  if (!isSessionId(sessionId)) return [];
  if (store === undefined) {
    const found = findTranscript(sessionId, directory);
    const below = found === undefined ? [] : transcriptsBelow(found.sessionFolder);
    return below.flatMap(({ subpath }) => agentOf(subpath) ?? []);
  }
  if (!hasMethod(store.store, 'listSubkeys')) {
    throw missingMethod('listSubkeys', store.store.listSubkeys, 'list subagents');
  }
  return agentsOf(await listSubpaths(store.store, { projectKey: store.projectKey, sessionId }));
}

const METADATA = 'agent_metadata';

/** Each id once. */
function agentsOf(subpaths: readonly string[]): string[] {
  return [...new Set(subpaths.flatMap((subpath) => agentOf(subpath) ?? []))];
}

/** The id becomes part of a subpath, so it must not be a path itself. */
function isAgentId(agentId: unknown): agentId is string {
  return typeof agentId === 'string' && !/[/\\\0]/.test(agentId);
}

/** Where a subagent's transcript is. Without `listSubkeys`, the usual place. */
async function subpathOf(store: SessionStore, key: SessionKey, agentId: string): Promise<string | undefined> {
  if (!hasMethod(store, 'listSubkeys')) return `subagents/agent-${agentId}`;
  const subpaths = await listSubpaths(store, key);
  return subpaths.find((subpath) => agentOf(subpath) === agentId);
}
