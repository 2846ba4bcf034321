import { invalidOption } from '../../errors/invalid-option.js';
import { InvalidOptionError } from '../../errors.js';
import { describeValue } from '../../util/describe-value.js';
import type { TranscriptEntry } from './entry.js';

/**
 * Zero-width, directional, byte-order-mark, private-use, unassigned, format and half characters. They are invisible,
 * so two tags that look alike would differ.
 */
const INVISIBLE = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;

/** Removing characters can create new compositions, so this repeats until nothing changes. */
const MAX_ROUNDS = 10;

/** The tag to store: normalised (NFKC), without invisible characters, trimmed. May be empty. */
export function cleanTag(tag: string): string {
  let cleaned = tag;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = cleaned.normalize('NFKC').replace(INVISIBLE, '');
    if (next === cleaned) break;
    cleaned = next;
  }
  return cleaned.trim();
}

/**
 * The title to store, trimmed.
 *
 * @throws {@link InvalidOptionError} not a string, or nothing left after trimming.
 */
export function checkTitle(title: unknown): string {
  if (typeof title !== 'string') throw invalidOption('title', 'a string', title);
  const trimmed = title.trim();
  if (trimmed === '') {
    const text = `title must be non-empty, got ${describeValue(title)}.`;
    throw new InvalidOptionError('title', text);
  }
  return trimmed;
}

/**
 * The tag to store, cleaned; `null` (remove the tag) becomes `''`.
 *
 * @throws {@link InvalidOptionError} neither a string nor `null`, or nothing left after cleaning.
 */
export function checkTag(tag: unknown): string {
  if (tag === null) return '';
  if (typeof tag !== 'string') {
    throw invalidOption('tag', 'a string, or null to remove it', tag);
  }
  const cleaned = cleanTag(tag);
  if (cleaned === '') {
    throw new InvalidOptionError(
      'tag',
      'tag must be non-empty: no visible character is left of it. Give null to remove the tag.',
    );
  }
  return cleaned;
}

/** The entry that names a session. */
export function titleEntry(sessionId: string, title: string): TranscriptEntry {
  return { type: 'custom-title', customTitle: title, sessionId };
}

/** The entry that tags a session; an empty tag removes it. */
export function tagEntry(sessionId: string, tag: string): TranscriptEntry {
  return { type: 'tag', tag, sessionId };
}
