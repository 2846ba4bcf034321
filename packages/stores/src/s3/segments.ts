import type { SessionKey, SessionStoreEntry } from 'claudewire';
import { damaged, entryOf, type Line } from '../shared/lines.js';
import { keyText } from '../shared/session-key.js';

/** An object of a transcript, by its name. */
export interface Segment {
  readonly key: string;
  /** `merged` has all up to its number. `deleted` says that all up to its number is gone, although it may be there. */
  readonly kind: 'append' | 'merged' | 'deleted';
  readonly number: number;
  /** When its last entry was appended, or deleted, in epoch milliseconds. */
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

const NAME = /^(?:([sd])(\d{16})|c(\d{16})-(\d{13,16}))$/;
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

/** `d`, and the last number that is deleted. */
export function deletedName(number: number): string {
  return `d${padded(number)}`;
}

/** `undefined`: something else has put it there. */
export function segmentOf(object: {
  readonly key: string;
  readonly changedAt: number;
  readonly bytes: number;
}): Segment | undefined {
  const { key, changedAt, bytes } = object;
  const [, letter, single, merged, time] = NAME.exec(key.slice(key.lastIndexOf('/') + 1)) ?? [];
  const number = Number(single ?? merged);
  if (!Number.isSafeInteger(number)) return undefined;
  if (time !== undefined) return { key, kind: 'merged', number, appendedAt: Number(time), bytes };
  return { key, kind: letter === 'd' ? 'deleted' : 'append', number, appendedAt: changedAt, bytes };
}

/** Those that make up the transcript, in order: of what is not deleted the last merged one, and what came after it. */
export function currentOf(segments: readonly Segment[]): readonly Segment[] {
  const gone = lastNumber(segments.filter(({ kind }) => kind === 'deleted'));
  const there = segments.filter(({ kind, number }) => kind !== 'deleted' && number > gone);
  const merged = there.filter(({ kind }) => kind === 'merged').sort((a, b) => b.number - a.number)[0];
  const after = there.filter(({ kind, number }) => kind === 'append' && number > (merged?.number ?? 0));
  return [...(merged === undefined ? [] : [merged]), ...after.sort((a, b) => a.number - b.number)];
}

/** The highest number; 0 for none. */
export function lastNumber(segments: readonly Segment[]): number {
  return segments.reduce((most, { number }) => Math.max(most, number), 0);
}

/** A line of JSON that says whose it is, then a line for each entry. */
export function bodyOf(tenant: string, key: SessionKey, lines: readonly Line[]): string {
  const header: Header = { tenant, ...key, ids: lines.map(({ id }) => id) };
  return [JSON.stringify(header), ...lines.map(({ text }) => text), ''].join('\n');
}

/** @throws StoreError `damaged`, also for an object that is another transcript's. */
export function linesIn(body: string, tenant: string, key: SessionKey, object: string): readonly Line[] {
  const [, ...texts] = body.split('\n');
  const header = headerOf(body, object);
  const { ids } = header;
  const isOwn = header.tenant === tenant && header.projectKey === key.projectKey && header.sessionId === key.sessionId;
  if (!isOwn || header.subpath !== key.subpath) throw damaged(object, 'belongs to another transcript');
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
