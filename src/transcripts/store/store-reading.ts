import { type Page, pageOf } from '../session-options.js';
import type { SDKSessionInfo, SessionMessage } from '../session-types.js';
import { isSessionId } from '../transcript/entry.js';
import { mainChain, parentsIn, subagentChain } from '../transcript/main-chain.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from './session-store.js';
import { rowOfEntries } from './session-summary.js';
import { listSubpaths, loadEntries, readAnswer } from './store-answers.js';
import { hasMethod, missingMethod } from './store-call.js';

/** A session in a store. */
export type StoredSessionKey = Omit<SessionKey, 'subpath'>;

const SUBAGENTS = 'subagents/';
const AGENT = 'agent-';
const METADATA = 'agent_metadata';

/**
 * One session's row. `lastModified` is the time of its last entry that has one, since `load` gives no other.
 * `undefined` for an unknown session, a sidechain, a session without a prompt, and an id that is not a UUID.
 */
export async function getSessionInfoFromStore(
  store: SessionStore,
  key: StoredSessionKey,
): Promise<SDKSessionInfo | undefined> {
  const entries = await entriesOf(store, key);
  if (entries.length === 0) return undefined;
  return readAnswer({ method: 'load', ...key }, () =>
    rowOfEntries(key, entries, { mtime: timeOfLast(entries) ?? Date.now() }),
  );
}

/** The messages of a session's conversation, oldest first. Empty for an unknown session. */
export async function getSessionMessagesFromStore(
  store: SessionStore,
  key: StoredSessionKey,
  options: Page & { readonly includeSystemMessages?: boolean | undefined } = {},
): Promise<SessionMessage[]> {
  const { includeSystemMessages = false } = options;
  const entries = await entriesOf(store, key);
  return readAnswer({ method: 'load', ...key }, () => pageOf(mainChain(entries, { includeSystemMessages }), options));
}

/**
 * The ids of a session's subagents, each once, in the store's order.
 *
 * @throws {@link InvalidOptionError} the store has no `listSubkeys`.
 */
export async function listSubagentsFromStore(store: SessionStore, key: StoredSessionKey): Promise<string[]> {
  if (!isSessionId(key.sessionId)) return [];
  if (!hasMethod(store, 'listSubkeys')) {
    throw missingMethod('listSubkeys', store.listSubkeys, 'list subagents');
  }
  const ids = (await listSubpaths(store, key)).flatMap((subpath) => agentOf(subpath) ?? []);
  return [...new Set(ids)];
}

/** The messages of one subagent, oldest first. Empty for an unknown one. */
export async function getSubagentMessagesFromStore(
  store: SessionStore,
  key: StoredSessionKey,
  agentId: string,
  options: Page = {},
): Promise<SessionMessage[]> {
  if (!isSessionId(key.sessionId) || !isAgentId(agentId)) return [];
  const subpath = await subpathOf(store, key, agentId);
  if (subpath === undefined) return [];
  const entries = await entriesOf(store, { ...key, subpath });
  return readAnswer({ method: 'load', ...key, subpath }, () => {
    const transcript = entries.filter(({ type }) => type !== METADATA);
    // The last one corresponds to the sidecar file of a transcript on disk.
    const parents = parentsIn(entries.findLast(({ type }) => type === METADATA));
    return pageOf(subagentChain(transcript, parents), options);
  });
}

async function entriesOf(store: SessionStore, key: SessionKey): Promise<SessionStoreEntry[]> {
  if (!isSessionId(key.sessionId)) return [];
  return (await loadEntries(store, key)) ?? [];
}

function timeOfLast(entries: readonly SessionStoreEntry[]): number | undefined {
  for (const { timestamp } of entries.toReversed()) {
    const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
    if (!Number.isNaN(time)) return time;
  }
  return undefined;
}

/** `x` for `subagents/agent-x` and `subagents/workflows/run/agent-x`. */
function agentOf(subpath: string): string | undefined {
  if (!subpath.startsWith(SUBAGENTS)) return undefined;
  const name = subpath.slice(subpath.lastIndexOf('/') + 1);
  return name.startsWith(AGENT) ? name.slice(AGENT.length) || undefined : undefined;
}

/** The id becomes part of a subpath, so it must not be a path itself. */
function isAgentId(agentId: unknown): agentId is string {
  return typeof agentId === 'string' && agentId !== '' && !/[/\\\0]/.test(agentId);
}

/** Where a subagent's transcript is. Without `listSubkeys`, the usual place. */
async function subpathOf(store: SessionStore, key: SessionKey, agentId: string): Promise<string | undefined> {
  if (!hasMethod(store, 'listSubkeys')) return `${SUBAGENTS}${AGENT}${agentId}`;
  const subpaths = await listSubpaths(store, key);
  return subpaths.find((subpath) => agentOf(subpath) === agentId);
}
