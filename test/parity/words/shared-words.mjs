import { proseIn, wordsOf } from './prose-in.mjs';

/** So many words in a row are a sentence of somebody's. */
export const RUN = 9;

/**
 * Runs of words that our prose shares with the official declarations.
 *
 * @param {{ file: string, source: string }[]} ours
 * @param {string[]} official - Sources of declaration files.
 * @returns {{ file: string, line: number, words: string }[]}
 */
export function sharedRuns(ours, official) {
  const known = new Set(official.flatMap((source) => proseIn(source).flatMap(({ text }) => runsOf(wordsOf(text)))));
  return ours.flatMap(({ file, source }) =>
    proseIn(source).flatMap(({ line, text }) => longest(wordsOf(text), known).map((words) => ({ file, line, words }))),
  );
}

function runsOf(words) {
  return words.slice(0, Math.max(0, words.length - RUN + 1)).map((_, at) => words.slice(at, at + RUN).join(' '));
}

/** Runs that overlap are one. */
function longest(words, known) {
  const shared = [];
  let open;
  for (const [at, run] of runsOf(words).entries()) {
    if (!known.has(run)) continue;
    if (open !== undefined && at <= open.end) open.end = at + RUN;
    else {
      open = { begin: at, end: at + RUN };
      shared.push(open);
    }
  }
  return shared.map(({ begin, end }) => words.slice(begin, end).join(' '));
}
