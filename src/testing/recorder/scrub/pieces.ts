import type { ScrubRule } from './rules.js';

/**
 * Replaces in texts that follow one another, as if they were one. What begins in one piece and ends in
 * another is replaced in the first and cut from the others.
 *
 * @param onFound - the kind, and the index of the piece that got the replacement.
 */
export function replaceInPieces(
  pieces: readonly string[],
  { kind, pattern, hint, replacement }: ScrubRule,
  onFound: (kind: string, piece: number) => void,
): readonly string[] {
  const joined = pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('');
  if (hint?.test(joined) === false) return pieces;
  const found = [...joined.matchAll(pattern)];
  if (found.length === 0) return pieces;
  let offset = 0;
  return pieces.map((piece, index) => {
    const [start, end] = [offset, offset + piece.length];
    offset = end;
    let text = '';
    let at = start;
    for (const match of found) {
      const [from, to] = [match.index, match.index + match[0].length];
      if (to <= at || from >= end) continue;
      text += joined.slice(at, Math.max(at, from));
      if (from >= start) text += put(match[0], index);
      at = Math.min(to, end);
    }
    return text + joined.slice(at, end);
  });

  function put(text: string, index: number): string {
    const by = typeof replacement === 'string' ? { kind, text: replacement } : replacement(text);
    onFound(by.kind, index);
    return by.text;
  }
}
