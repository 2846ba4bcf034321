/** Deeper parts do not count: what differs only there shares a hash, which is allowed. It also ends every circle. */
const MAX_DEPTH = 8;

/**
 * A number that is the same for values which `isDeepStrictEqual` calls equal, so that an equal one is looked for among few.
 */
export function structuralHash(value: unknown, depth = 0): number {
  if (typeof value === 'string') return hashText(value);
  if (typeof value !== 'object' || value === null) {
    // Symbols and functions are equal to themselves only; one number for all of them is right, if not clever.
    return typeof value === 'symbol' || typeof value === 'function'
      ? 7
      : hashText(`${typeof value}${Object.is(value, -0) ? 0 : value}`);
  }
  if (depth === MAX_DEPTH) return 11;
  if (value instanceof Date) return hashText(`date${value.getTime()}`);
  let hash = Array.isArray(value) ? value.length + 1 : 3;
  // Added up, since the order of an object's keys does not matter. Map and Set have no keys, and share a number.
  for (const [key, part] of Object.entries(value)) {
    hash = (hash + Math.imul(hashText(key) ^ 0x5bd1e995, structuralHash(part, depth + 1) | 1)) | 0;
  }
  return hash;
}

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash;
}
