/** Cuts bytes at the given offsets (any order, out of range allowed) into chunks that join to the same. */
export function cutAt(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const inside = [...new Set(offsets)].filter((offset) => offset > 0 && offset < bytes.length);
  const ends = [...inside.sort((a, b) => a - b), bytes.length];
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}
