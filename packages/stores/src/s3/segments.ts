import type { SessionKey, SessionStoreEntry } from 'claudewire';
import { damaged, entryOf, type Line } from '../shared/lines.js';
import { keyText } from '../shared/session-key.js';

/** An object of a transcript, by its name: one append, or all up to a number, merged. */
export interface Segment {
  readonly key: string;
  readonly number: number;
  readonly isMerged: boolean;
  /** When its last entry was appended, in epoch milliseconds. */
  readonly appendedAt: number;
  readonly bytes: number;
}

interface Header {
  readonly tenant: string;
  readonly projectKey: string;
  readonly sessionId: string;
  readonly subpath?: string;
  readonly ids: readonly string[];
}

const NAME = /^(?:s(\d{16})|c(\d{16})-(\d{13,16}))$/;
/** A longer one is no text for V8. */
const MOST_BYTES = 500 * 1024 * 1024;

/** `s` and a number: what one append wrote. */
export function appendName(number: number): string {
  return `s${padded(number)}`;
}

/** `c`, the last number that is in it, and when that was appended. Sorted by the number. */
export function mergedName(number: number, appendedAt: number): string {
  return `c${padded(number)}-${appendedAt}`;
}

/** `undefined`: something else has put it there. */
export function segmentOf(object: { readonly key: string; readonly changedAt: number; readonly bytes: number }) {
  const [, single, merged, time] = NAME.exec(object.key.slice(object.key.lastIndexOf('/') + 1)) ?? [];
  if (single === undefined && merged === undefined) return undefined;
  const appendedAt = time === undefined ? object.changedAt : Number(time);
  const number = Number(single ?? merged);
  return { key: object.key, number, isMerged: merged !== undefined, appendedAt, bytes: object.bytes } as const;
}

/** Those that make up the transcript, in order: the last merged one, and what came after it. */
export function currentOf(segments: readonly Segment[]): readonly Segment[] {
  const merged = segments.filter(({ isMerged }) => isMerged).sort((a, b) => b.number - a.number)[0];
  const after = segments.filter(({ isMerged, number }) => !isMerged && number > (merged?.number ?? 0));
  return [...(merged === undefined ? [] : [merged]), ...after.sort((a, b) => a.number - b.number)];
}

/** A line of JSON that says whose it is, then a line for each entry. */
export function bodyOf(tenant: string, key: SessionKey, lines: readonly Line[]): string {
  const header: Header = { tenant, ...key, ids: lines.map(({ id }) => id) };
  return [JSON.stringify(header), ...lines.map(({ text }) => text), ''].join('\n');
}

/** @throws StoreError `damaged`. */
export function linesIn(body: string, object: string): readonly Line[] {
  const [, ...texts] = body.split('\n');
  const { ids } = headerOf(body, object);
  if (texts.pop() !== '' || texts.length !== ids.length) {
    throw damaged(object, `has ${texts.length} entries, and should have ${ids.length}`);
  }
  return ids.map((id, index) => ({ id, text: texts[index] ?? '' }));
}

/** @throws StoreError `damaged`. */
export function headerOf(body: string, object: string): Header {
  const header = entryOf(body.slice(0, body.indexOf('\n')), object) as Partial<SessionStoreEntry & Header>;
  const { sessionId, ids } = header;
  const isWhole = typeof sessionId === 'string' && Array.isArray(ids) && ids.every((id) => typeof id === 'string');
  if (!isWhole) throw damaged(object, 'has no header of a transcript');
  return header as Header;
}

/** @throws StoreError `damaged`. */
export function checkSize({ key, bytes }: Segment, session: SessionKey): void {
  if (bytes > MOST_BYTES) throw damaged(`${key}, a part of ${keyText(session)},`, `has ${bytes} bytes`);
}

function padded(number: number): string {
  return String(number).padStart(16, '0');
}
