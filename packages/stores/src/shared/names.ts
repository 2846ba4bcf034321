import { createHash } from 'node:crypto';
import { toUSVString } from 'node:util';

const LONGEST = 200;

/**
 * A name as a part of a key: letters, digits, `-`, `_`, and the rest of it as `=2F`. Names that are long, or no Unicode,
 * become `~` and their SHA-256. Different names never become the same part, and none has a separator, brace or dot.
 */
export function keyPart(name: string): string {
  const part = isUnicode(name) && name.length <= LONGEST ? escaped(name) : undefined;
  return part !== undefined && part.length <= LONGEST ? part : `~${digest([name])}`;
}

/** The name behind a part; `undefined` for a digest, and for what {@link keyPart} does not make. */
export function nameOf(part: string): string | undefined {
  if (!/^(?:[\w-]|=[0-9A-F]{2})+$/.test(part)) return undefined;
  try {
    const name = decodeURIComponent(part.replaceAll('=', '%'));
    return keyPart(name) === part ? name : undefined;
  } catch {
    return undefined;
  }
}

/** SHA-256 of a list of texts, in hexadecimal. Different lists have different ones, whatever is in them. */
export function digest(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function escaped(name: string): string {
  return encodeURIComponent(name)
    .replace(/[.!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '=');
}

/** Whether a text has no half of a surrogate pair, which UTF-8 cannot hold. */
export function isUnicode(text: string): boolean {
  return toUSVString(text) === text;
}
