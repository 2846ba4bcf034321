import { invalidOption } from '../../errors/usage-errors.js';
import { InvalidOptionError } from '../../errors.js';
import { describeValue } from '../../util/describe-value.js';
import type { TranscriptEntry } from './entry.js';

/**
 * Zero-width, directional, byte-order-mark, private-use, unassigned, format and half characters. They are invisible, so
 * two tags that look alike would differ.
 */
const INVISIBLE = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;

/** Removing characters can create new compositions, so this repeats until nothing changes. */
const MAX_ROUNDS = 10;

/** Normalised (NFKC), without invisible characters, trimmed. */
function cleanTag(tag: string): string {
  let cleaned = tag;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = cleaned.normalize('NFKC').replace(INVISIBLE, '');
    if (next === cleaned) break;
    cleaned = next;
  }
  return cleaned.trim();
}

/**
 * The entry that names a session: the title, trimmed.
 * @throws {@link InvalidOptionError} not a string, or nothing left after trimming.
 */
export function titleEntry(sessionId: string, title: unknown): TranscriptEntry {
  if (typeof title !== 'string') throw invalidOption('title', 'a string', title);
  const customTitle = title.trim();
  if (customTitle === '') {
    throw new InvalidOptionError('title', `title must be non-empty, got ${describeValue(title)}.`);
  }
  return { type: 'custom-title', customTitle, sessionId };
}

/**
 * The entry that tags a session: the tag, cleaned. `null` removes the tag.
 * @throws {@link InvalidOptionError} neither a string nor `null`, or nothing left after cleaning.
 */
export function tagEntry(sessionId: string, tag: unknown): TranscriptEntry {
  if (tag !== null && typeof tag !== 'string') throw invalidOption('tag', 'a string, or null to remove it', tag);
  const cleaned = cleanTag(tag ?? '');
  if (cleaned === '' && tag !== null) {
    throw new InvalidOptionError(
      'tag',
      'tag must be non-empty: no visible character is left of it. Give null to remove the tag.',
    );
  }
  return { type: 'tag', tag: cleaned, sessionId };
}
