import type { ScrubRule } from './rules.js';

/**
 * Replaces in texts that follow one another, as if they were one. What begins in one piece and ends in
 * another is replaced in the first and cut from the others.
 */
export function replaceInPieces(
  pieces: readonly string[],
  { kind, pattern, hints, replacement }: ScrubRule,
  onFound: (kind: string) => void,
): readonly string[] {
  const joined = pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('');
  if (hints?.some((hint) => joined.includes(hint)) === false) return pieces;
  const found = [...joined.matchAll(pattern)];
  if (found.length === 0) return pieces;
  let offset = 0;
  const replaced: string[] = pieces.map((piece) => {
    const [start, end] = [offset, offset + piece.length];
    offset = end;
    let text = '';
    let at = start;
    for (const match of found) {
      const [from, to] = [match.index, match.index + match[0].length];
      if (to <= at || from >= end) continue;
      text += joined.slice(at, Math.max(at, from));
      if (from >= start) text += put(match[0]);
      at = Math.min(to, end);
    }
    return text + joined.slice(at, end);
  });
  return replaced;

  function put(text: string): string {
    const by = typeof replacement === 'string' ? { kind, text: replacement } : replacement(text);
    onFound(by.kind);
    return by.text;
  }
}
