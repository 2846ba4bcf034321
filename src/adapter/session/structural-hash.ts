/** Deeper parts do not count: what differs only there shares a hash, which is allowed. It also ends every circle. */
const MAX_DEPTH = 8;
/** How many parts of one level count, so that parts which refer to one another end too. */
const MAX_PARTS = 8_192;
/** Of a longer text, as much of its begin and of its end counts. */
const TEXT_ENDS = 256;

/**
 * A number that is the same for values which `isDeepStrictEqual` calls equal, so that an equal one is looked for among few.
 * Its cost is bounded, however large the value is and whatever its parts refer to.
 *
 * @param allowance - The parts of each level below that count. Shared out evenly, since who comes first may not matter.
 */
export function structuralHash(value: unknown, depth = 0, allowance = MAX_PARTS): number {
  if (typeof value === 'string') return hashText(value);
  if (typeof value !== 'object' || value === null) {
    // Symbols and functions are equal to themselves only; one number for all of them is right, if not clever.
    return typeof value === 'symbol' || typeof value === 'function'
      ? 7
      : hashText(`${typeof value}${Object.is(value, -0) ? 0 : value}`);
  }
  if (depth === MAX_DEPTH) return 11;
  if (value instanceof Date) return hashText(`date${value.getTime()}`);
  // Each byte would be a key of its own.
  if (ArrayBuffer.isView(value)) return hashText(`bytes${value.byteLength}`);
  const keys = Object.keys(value);
  let hash = Array.isArray(value) ? value.length + 1 : 3;
  const share = Math.floor(allowance / Math.max(1, keys.length));
  if (share === 0) return (hash + keys.length) | 0;
  // Added up, since the order of an object's keys does not matter. Map and Set have no keys, and share a number.
  for (const key of keys) {
    const part = structuralHash(Reflect.get(value, key), depth + 1, share);
    hash = (hash + Math.imul(hashText(key) ^ 0x5bd1e995, part | 1)) | 0;
  }
  return hash;
}

function hashText(text: string): number {
  const isLong = text.length > 2 * TEXT_ENDS;
  const counted = isLong
    ? `${text.length}${text.slice(0, TEXT_ENDS)}${text.slice(-TEXT_ENDS)}`
    : text;
  let hash = 0x811c9dc5;
  for (let i = 0; i < counted.length; i += 1) {
    hash = Math.imul(hash ^ counted.charCodeAt(i), 0x01000193);
  }
  return hash;
}
