import { createHash, randomUUID } from 'node:crypto';
import type { SessionStoreEntry } from 'claudewire';
import { StoreError } from '../errors.js';

/** The longest entry that is written or read, in bytes of JSON. */
export const DEFAULT_MAX_ENTRY_BYTES = 64 * 1024 * 1024;

/** Of one append: what Redis takes in one command, and V8 in one text. */
const MOST_ENTRIES = 500_000;
const MOST_BYTES = 500 * 1024 * 1024;

/** One entry as it is stored. */
export interface Line {
  /** The same for the same entry: by it an entry is stored once. */
  readonly id: string;
  /** JSON in one line. NUL and half surrogate pairs are escaped in it, so it is valid text everywhere. */
  readonly text: string;
}

/**
 * Entries as lines, with the ids by which a repeated append is recognised. That of an entry is made of its `uuid`. An
 * entry without one (a title, a tag) has the id of its place in this batch: a batch that is repeated whole is known by
 * its text, and one without any `uuid` only as long as this call lasts, since saying a title twice is no repetition.
 *
 * @throws StoreError `invalid`: not an array of JSON objects, an entry above `maxBytes`, or too much for one append.
 */
export function linesOf(entries: readonly SessionStoreEntry[], maxBytes: number): readonly Line[] {
  if (!Array.isArray(entries)) throw invalid('`entries` must be an array');
  if (entries.length > MOST_ENTRIES) {
    throw invalid(
      `\`entries\` has ${entries.length} of them, and one append takes ${MOST_ENTRIES}: append them in parts`,
    );
  }
  let left = MOST_BYTES;
  const texts = entries.map((entry, index) => {
    const text = textOf(entry, index, maxBytes);
    left -= text.length + 1;
    if (left < 0) throw invalid(`\`entries\` has more than ${MOST_BYTES} bytes of JSON: append them in parts`);
    return text;
  });
  const hasUuid = entries.some(({ uuid }) => isId(uuid));
  const batch = hasUuid ? shortDigest(texts.join('\n')) : randomUUID();
  const lines = entries.map(({ uuid }, index) => {
    const id = isId(uuid) ? shortDigest(`u${JSON.stringify(uuid)}`) : shortDigest(`b${batch}:${index}`);
    return [id, texts[index] ?? ''] as const;
  });
  const seen = new Set<string>();
  return lines.flatMap(([id, text]) => {
    if (seen.has(id)) return [];
    seen.add(id);
    return [{ id, text }];
  });
}

/** @throws StoreError `damaged`. @param key - Names the entry. */
export function entryOf(text: unknown, key: string): SessionStoreEntry {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    // A store promises objects; whoever reads them checks the fields that it needs.
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as SessionStoreEntry;
  } catch (cause) {
    throw damaged(key, 'is not JSON', cause);
  }
  throw damaged(key, 'is no JSON object');
}

export function damaged(key: string, problem: string, cause?: unknown): StoreError {
  return new StoreError('damaged', `What is stored as ${key} ${problem}.`, {
    ...{ key, ...(cause === undefined ? {} : { cause }) },
    hint: 'Something else has written to the store. Repair it there, or delete the session.',
  });
}

function textOf(entry: unknown, index: number, maxBytes: number): string {
  const name = `entries[${index}]`;
  let text: string | undefined;
  try {
    text = JSON.stringify(entry);
  } catch (cause) {
    throw invalid(`\`${name}\` has no JSON form`, cause);
  }
  if (text?.startsWith('{') !== true) throw invalid(`\`${name}\` must be a JSON object`);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw invalid(`\`${name}\` has ${bytes} bytes, and \`maxEntryBytes\` is ${maxBytes}`);
  return text;
}

function invalid(problem: string, cause?: unknown): StoreError {
  return new StoreError('invalid', `${problem}.`, cause === undefined ? {} : { cause });
}

function isId(uuid: unknown): uuid is string {
  return typeof uuid === 'string' && uuid !== '';
}

/** 128 bits, which no two entries of a session share by chance. */
function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
}
