import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NotOnce } from './changes.mjs';
import { SourceIndex } from './symbols.mjs';
import { parse } from './syntax.mjs';

export { SourceIndex };

const root = fileURLToPath(new URL('../..', import.meta.url));
const SHOWN_LINES = 25;

/** @returns {SourceIndex} of `src` */
export function sourceIndex() {
  return new SourceIndex(join(root, 'src'));
}

/**
 * The one file that a mutant changes, with its bug. Where several symbols have the name, the change decides: it must fit one.
 *
 * @param {import('./index.d.mts').Mutant} mutant
 * @param {SourceIndex} index
 * @returns {{ file: string, text: string }} `file` is absolute
 * @throws Error that says what to look at: the symbol or the place in it is gone or ambiguous, or the result is no TypeScript
 */
export function applyMutant({ name, symbol, change }, index) {
  const places = index.find(symbol);
  if (places.length === 0) {
    throw new Error(
      `${name}: src has no ${symbol}. If it was renamed or split, name the function that does its work now. If the behaviour is gone, delete the mutant.`,
    );
  }
  const tries = places.map((place) => tryChange(change, place));
  const good = tries.filter((one) => 'text' in one);
  if (good.length === 1) return good[0];
  const where = places.map(locationOf).join(', ');
  if (good.length > 1) {
    throw new Error(
      `${name}: ${change.what} is in several symbols ${symbol} (${where}). Rename one of them, or name a method of a class.`,
    );
  }
  const code = places.map(shown).join('\n');
  throw new Error(
    `${name}: ${symbol} (${where}): ${tries[0].problem}. Fit the mutant to the code as it is now:\n${code}`,
  );
}

/** An esbuild plugin that loads a mutated file. Its filter names that one: esbuild asks about nothing else. */
export function replacing({ file, text }) {
  const filter = new RegExp(`^${file.replace(/[^\w/]/g, '\\$&')}$`);
  const setup = ({ onLoad }) => onLoad({ filter }, () => ({ contents: text, loader: 'ts' }));
  return { name: 'mutant', setup };
}

function tryChange(change, { file, text, node }) {
  try {
    const { start, end, code } = change.edit(node, text);
    const changed = `${text.slice(0, start)}${code}${text.slice(end)}`;
    if (changed === text) return { problem: 'the change changes nothing' };
    parse(changed);
    return { file, text: changed };
  } catch (error) {
    if (!(error instanceof NotOnce)) return { problem: error.message };
    const times = error.count === 0 ? 'not there' : `there ${error.count} times`;
    return { problem: `${change.what} is ${times}` };
  }
}

function locationOf({ file, text, node }) {
  return `${relative(root, file)}:${text.slice(0, node.start).split('\n').length}`;
}

function shown({ text, node }) {
  const lines = text.slice(node.start, node.end).split('\n');
  return [...lines.slice(0, SHOWN_LINES), ...(lines.length > SHOWN_LINES ? ['…'] : [])].join('\n');
}
