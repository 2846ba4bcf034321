import type { SessionStoreEntry } from '../store/session-store.js';

/** One line of a transcript: a JSON object with a `type`. Its other fields depend on the type. */
export type TranscriptEntry = SessionStoreEntry;

/** The types that carry `uuid` and `parentUuid`, and so can be part of a conversation. */
const LINKED_TYPES = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);

/** An entry that can be in a chain. */
export interface LinkedEntry extends TranscriptEntry {
  uuid: string;
}

/** True for a `user`, `assistant`, `system`, `attachment` or `progress` entry with a `uuid`. */
export function isLinkedEntry(entry: TranscriptEntry): entry is LinkedEntry {
  return LINKED_TYPES.has(entry.type) && typeof entry.uuid === 'string';
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for a UUID in upper or lower case. Every id is checked before it becomes part of a path. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && value.length === 36 && UUID.test(value);
}
