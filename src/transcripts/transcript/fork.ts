import { InvalidOptionError, SessionNotFoundError } from '../../errors.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import { withoutAbandonedCompactions } from './abandoned-compactions.js';
import { isLinkedEntry, type LinkedEntry, type TranscriptEntry } from './entry.js';
import { TranscriptFacts } from './main-chain.js';

export interface ForkFacts {
  /** The session that is copied. */
  readonly sessionId: string;
  readonly newSessionId: string;
  /** Keep the entries up to this `uuid`. */
  readonly upToMessageId?: string | undefined;
  /** Title of the fork. Blank or absent: `sourceTitle` and ` (fork)`. */
  readonly title?: string | undefined;
  /** Title of the source, see `titleOfEntries`. */
  readonly sourceTitle: string | undefined;
  /** Now, ISO 8601. */
  readonly now: string;
}

/** The source's place in a team or a plan. The fork has none. */
const LEFT_OUT = ['teamName', 'agentName', 'slug', 'sourceToolAssistantUUID'];

const UNTITLED = 'Forked session';

/**
 * The entries of a fork: the conversation's entries with new uuids and parents that skip what is not copied, then the
 * replaced contents, latch and used tools of the source, and a title. All branches are copied, sidechains are not. Only
 * the last entry gets a new timestamp. Entries outside the conversation (tags, snapshots, prompts) are not copied.
 * @throws {@link InvalidOptionError} `upToMessageId` is not in the session.
 * @throws {@link SessionNotFoundError} there are no messages.
 */
export function forkEntries(entries: readonly TranscriptEntry[], facts: ForkFacts): TranscriptEntry[] {
  const linked = entries.filter((entry): entry is LinkedEntry => isLinkedEntry(entry) && entry.isSidechain !== true);
  const copied = linked.length === 0 ? linked : upToEnd(linked, entries, facts);
  const written = copied.filter(({ type }) => type !== 'progress');
  if (written.length === 0) {
    throw new SessionNotFoundError(facts.sessionId, `Session ${facts.sessionId} has no messages to fork`);
  }
  const ids = newIds(copied);
  return [
    ...written.map((entry, index) => forkedEntry(entry, { ids, facts, isLast: index === written.length - 1 })),
    ...replacementEntry(entries, facts),
    ...latchEntry(entries, facts),
    ...toolsUsedEntry(entries, facts),
    titleOfFork(facts),
  ];
}

function upToEnd(
  linked: readonly LinkedEntry[],
  entries: readonly TranscriptEntry[],
  facts: ForkFacts,
): readonly LinkedEntry[] {
  if (facts.upToMessageId === undefined) return linked;
  return withoutAbandonedCompactions(linked.slice(0, endOf(linked, entries, facts)));
}

/** How many entries are copied. A cut between a compaction's boundary and its summary moves before the boundary. */
function endOf(
  linked: readonly LinkedEntry[],
  entries: readonly TranscriptEntry[],
  { sessionId, upToMessageId }: ForkFacts,
): number {
  if (upToMessageId === undefined) return linked.length;
  const indexOf = (uuid: string | undefined): number => linked.findIndex((entry) => entry.uuid === uuid);
  const cut = indexOf(entryOf(upToMessageId, entries));
  if (cut === -1) {
    throw new InvalidOptionError('upToMessageId', `Message ${upToMessageId} not found in session ${sessionId}`);
  }
  for (let at = cut; at > 0; at--) {
    const entry = linked[at];
    if (entry === undefined || entry.type === 'user' || entry.type === 'assistant') break;
    if (entry.subtype !== 'compact_boundary') continue;
    // A branch that was left may be between the last message and the boundary.
    const last = linked.findIndex(({ uuid }) => uuid === entry.logicalParentUuid);
    return last === -1 || last > at ? at : last + 1;
  }
  return cut + 1;
}

/**
 * The `uuid` of the entry that holds the message `id`: its own, or a queued prompt that was sent with it. Of several the
 * one that `getSessionMessages()` shows.
 */
function entryOf(id: string, entries: readonly TranscriptEntry[]): string | undefined {
  const copies = entries.filter((entry) => sentWithOf(entry) === id);
  const own = entries.find(({ uuid }) => uuid === id);
  const all = own === undefined ? copies : [own, ...copies];
  if (all.length < 2) return all[0]?.uuid;
  const facts = new TranscriptFacts<TranscriptEntry>();
  for (const entry of entries) facts.add(entry, entry);
  return (facts.messageNodes({}).find(({ ref }) => all.includes(ref))?.ref ?? all[0])?.uuid;
}

/** The `uuid` that a queued prompt was sent with. */
function sentWithOf(entry: TranscriptEntry): string | undefined {
  const { attachment } = entry;
  if (!isJsonObject(attachment) || attachment.type !== 'queued_command') return undefined;
  return stringField(attachment, 'source_uuid') || undefined;
}

/** Old uuid to new one. A `progress` entry is not copied: its uuid maps to that of its nearest copied ancestor. */
function newIds(copied: readonly LinkedEntry[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const skipped = new Map<string, unknown>();
  for (const { uuid, type, parentUuid } of copied) {
    if (type === 'progress') skipped.set(uuid, parentUuid);
    else if (!ids.has(uuid)) ids.set(uuid, crypto.randomUUID());
  }
  for (const uuid of skipped.keys()) {
    const seen = new Set<unknown>();
    let ancestor: unknown = uuid;
    while (skipped.has(ancestor as string) && !seen.has(ancestor)) {
      seen.add(ancestor);
      ancestor = skipped.get(ancestor as string);
    }
    const id = typeof ancestor === 'string' ? ids.get(ancestor) : undefined;
    if (id !== undefined) ids.set(uuid, id);
  }
  return ids;
}

interface CopyContext {
  readonly ids: ReadonlyMap<string, string>;
  readonly facts: ForkFacts;
  readonly isLast: boolean;
}

function forkedEntry(entry: LinkedEntry, { ids, facts, isLast }: CopyContext): TranscriptEntry {
  const { sessionId, newSessionId, upToMessageId, now } = facts;
  const idOf = (uuid: unknown): string | null => (typeof uuid === 'string' ? ids.get(uuid) : undefined) ?? null;
  const sentWith = sentWithOf(entry);
  const copy: TranscriptEntry = {
    ...entry,
    uuid: ids.get(entry.uuid) ?? entry.uuid,
    parentUuid: idOf(entry.parentUuid),
    ...('logicalParentUuid' in entry ? { logicalParentUuid: idOf(entry.logicalParentUuid) } : {}),
    sessionId: newSessionId,
    ...(isLast ? { timestamp: now } : {}),
    ...(sentWith !== undefined && ids.has(sentWith)
      ? { attachment: { ...(entry.attachment as JsonObject), source_uuid: ids.get(sentWith) } }
      : {}),
    ...(isJsonObject(entry.compactMetadata)
      ? { compactMetadata: forkedMetadata(entry.compactMetadata, ids, upToMessageId) }
      : {}),
    isSidechain: false,
    // The API's request ids belong to the session that made the request.
    ...(entry.type === 'assistant'
      ? { requestSessionId: stringField(entry, 'requestSessionId') ?? stringField(entry, 'sessionId') }
      : {}),
    forkedFrom: { sessionId, messageUuid: entry.uuid },
  };
  for (const key of LEFT_OUT) delete copy[key];
  return copy;
}

/**
 * A compaction's list of kept messages with the new uuids. Absent when the fork ends at the anchor, as is the size that
 * they are part of.
 */
function forkedMetadata(metadata: JsonObject, ids: ReadonlyMap<string, string>, cutAt: string | undefined): JsonObject {
  const forked = { ...metadata };
  for (const key of ['preservedSegment', 'preservedMessages']) {
    const kept = metadata[key];
    if (!isJsonObject(kept)) continue;
    if (cutAt !== undefined && kept.anchorUuid === cutAt) {
      delete forked[key];
      delete forked.postTokens;
    } else forked[key] = withNewIds(kept, ids);
  }
  return forked;
}

function withNewIds(kept: JsonObject, ids: ReadonlyMap<string, string>): JsonObject {
  const renew = (value: unknown): unknown => (typeof value === 'string' ? (ids.get(value) ?? value) : value);
  return Object.fromEntries(
    Object.entries(kept).map(([key, value]) => [key, Array.isArray(value) ? value.map(renew) : renew(value)]),
  );
}

/** One entry with all replaced contents of the source. */
function replacementEntry(
  entries: readonly TranscriptEntry[],
  { sessionId, newSessionId, now }: ForkFacts,
): TranscriptEntry[] {
  const replacements = entries.flatMap((entry) => {
    const list = entry.replacements;
    return entry.type === 'content-replacement' && entry.sessionId === sessionId && Array.isArray(list)
      ? list.filter(isJsonObject)
      : [];
  });
  if (replacements.length === 0) return [];
  const uuid = crypto.randomUUID();
  return [{ type: 'content-replacement', sessionId: newSessionId, replacements, uuid, timestamp: now }];
}

/** The newest `atis-latch`, a setting that the CLI keeps for a session. */
function latchEntry(entries: readonly TranscriptEntry[], { sessionId, newSessionId }: ForkFacts): TranscriptEntry[] {
  const last = entries.findLast(
    (entry) => entry.type === 'atis-latch' && entry.sessionId === sessionId && typeof entry.atis === 'string',
  );
  return last === undefined ? [] : [{ type: 'atis-latch', sessionId: newSessionId, atis: last.atis }];
}

/** The tools that the source has used, which the CLI names to the model after a compaction. */
function toolsUsedEntry(
  entries: readonly TranscriptEntry[],
  { sessionId, newSessionId }: ForkFacts,
): TranscriptEntry[] {
  const last = entries.findLast(
    (entry) => entry.type === 'tools-used' && entry.sessionId === sessionId && Array.isArray(entry.tools),
  );
  if (last === undefined) return [];
  const tools = (last.tools as unknown[]).filter((tool) => typeof tool === 'string');
  return [{ type: 'tools-used', sessionId: newSessionId, tools }];
}

function titleOfFork(facts: ForkFacts): TranscriptEntry {
  return {
    type: 'custom-title',
    sessionId: facts.newSessionId,
    customTitle: facts.title?.trim() || `${facts.sourceTitle || UNTITLED} (fork)`,
    uuid: crypto.randomUUID(),
    timestamp: facts.now,
  };
}
