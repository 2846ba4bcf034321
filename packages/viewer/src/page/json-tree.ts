import { button, el } from './dom.js';
import { plural } from './format.js';
import { visible } from './visible.js';

const OPEN_DEPTH = 3;
/** Entries of a list or an object that are shown before somebody asks. */
const ENTRIES = 60;
const STRING_CHARS = 1_200;

/** A JSON value as a tree whose branches are made when they are opened. */
export function jsonTree(value: unknown): HTMLElement {
  return el('div', { class: 'tree' }, node(undefined, value, 0));
}

function node(key: string | undefined, value: unknown, depth: number): HTMLElement {
  const line = el('div', { class: 'node' });
  const name = key === undefined ? [] : [el('span', { class: 'key', text: visible(key) }), el('span', { text: ': ' })];
  if (typeof value !== 'object' || value === null) {
    line.append(...name, leaf(value));
    return line;
  }
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  const size = isList ? plural(entries.length, 'entry').replace('entrys', 'entries') : plural(entries.length, 'field');
  const hint = el('span', { class: 'hint', text: isList ? `[ ${size} ]` : `{ ${size} }` });
  const children = el('div');
  let isMade = false;
  const fold = button('', () => setOpen(children.hidden === true));
  fold.className = 'fold';
  const setOpen = (isOpen: boolean): void => {
    children.hidden = !isOpen;
    fold.textContent = isOpen ? '▾' : '▸';
    fold.setAttribute('aria-expanded', String(isOpen));
    fold.setAttribute('aria-label', `${isOpen ? 'Fold' : 'Unfold'} ${visible(key ?? 'the frame')}`);
    if (!isOpen || isMade) return;
    isMade = true;
    addEntries(children, entries, 0, depth + 1);
  };
  line.append(fold, ...name, hint, children);
  setOpen(depth < OPEN_DEPTH && entries.length > 0 && entries.length <= ENTRIES);
  return line;
}

function addEntries(box: HTMLElement, entries: readonly [string, unknown][], from: number, depth: number): void {
  for (const [key, value] of entries.slice(from, from + ENTRIES)) box.append(node(key, value, depth));
  const left = entries.length - from - ENTRIES;
  if (left <= 0) return;
  const more = button(`${plural(left, 'more')}`.replace('mores', 'more'), () => {
    more.remove();
    addEntries(box, entries, from + ENTRIES, depth);
  });
  more.className = 'more';
  box.append(more);
}

function leaf(value: unknown): Node {
  if (typeof value !== 'string') {
    return el('span', { class: typeof value === 'number' ? 'number' : 'other', text: String(value) });
  }
  const text = el('span', { class: 'string' });
  if (value.length <= STRING_CHARS) {
    text.textContent = `"${visible(value)}"`;
    return text;
  }
  text.textContent = `"${visible(value.slice(0, STRING_CHARS))}…`;
  const more = button(`all ${plural(value.length, 'character')}`, () => {
    text.textContent = `"${visible(value)}"`;
    more.remove();
  });
  more.className = 'more';
  return el('span', {}, text, more);
}
