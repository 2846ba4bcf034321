import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { Frame } from '../model/view-data.js';
import { byId, el } from './dom.js';
import { formatBytes, formatMs } from './format.js';
import type { Store } from './store.js';
import { visibleLine } from './visible.js';

const ROW_PX = 26;
/** Less than the columns beside the title take. */
const LEFT_PX = 330;
/** Less than a character takes. */
const CHAR_PX = 6;
const DIRECTIONS = { in: '→ in', out: '← out', err: 'stderr', meta: 'note' } as const;

/** Kinds are long, and a column is narrow. */
function shortKind(kind: string): string {
  return kind
    .replace('stream_event/content_block_', 'stream/')
    .replace('stream_event/', 'stream/')
    .replace(/^control_request\//, 'request/')
    .replace(/^control_response\//, 'answer/')
    .replace(/^meta\//, '');
}

interface Row {
  readonly element: HTMLElement;
  readonly cells: Readonly<Record<'n' | 't' | 'dir' | 'kind' | 'badge' | 'said' | 'took' | 'size', HTMLElement>>;
}

interface Place {
  /** In the list. */
  readonly index: number;
  /** Of the frame. */
  readonly number: number;
  readonly frame: Frame;
  readonly peer: number | undefined;
}

/* What stays as it is must not be written: the browser would lay it out again. */

function setText(element: HTMLElement, text: string): void {
  const { firstChild } = element;
  if (!(firstChild instanceof Text)) element.textContent = text;
  else if (firstChild.data !== text) firstChild.data = text;
}

function setAttribute(element: HTMLElement, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function setStyle(element: HTMLElement, name: 'height' | 'transform', value: string): void {
  if (element.style[name] !== value) element.style[name] = value;
}

export interface ListState {
  readonly shown: readonly number[];
  readonly current: number;
  readonly selected: ReadonlySet<number>;
}

/** The frames, of which only those in view have an element. */
export class List {
  readonly #store: Store;
  readonly #box = byId('list');
  readonly #rows = byId('rows');
  readonly #window = el('div', { class: 'window' });
  readonly #pool: Row[] = [];
  readonly #virtual: Virtualizer<HTMLElement, HTMLElement>;
  readonly #empty = el('p', { class: 'empty', text: 'No frame fits.' });
  #width = 0;
  #titleChars = 0;
  #state: ListState = { shown: [], current: -1, selected: new Set() };

  constructor(store: Store, onPick: (frame: number, event: MouseEvent) => void) {
    this.#store = store;
    this.#rows.append(this.#window);
    this.#virtual = new Virtualizer(this.#options(0));
    new ResizeObserver(() => {
      this.#width = this.#box.clientWidth;
      this.#paint();
    }).observe(this.#box);
    this.#virtual._didMount();
    this.#virtual._willUpdate();
    this.#rows.addEventListener('click', (event) => {
      const row = event.target instanceof Element ? event.target.closest('.row') : null;
      const frame = row?.getAttribute('data-frame');
      if (frame != null) onPick(Number(frame), event);
    });
  }

  show(state: ListState): void {
    const isSame = state.shown === this.#state.shown;
    this.#state = state;
    if (!isSame) {
      this.#virtual.setOptions(this.#options(state.shown.length));
      this.#virtual._willUpdate();
      this.#virtual.measure();
      this.#empty.remove();
      if (state.shown.length === 0) this.#rows.append(this.#empty);
    }
    this.#paint();
  }

  /** Brings a row into view. @param place - `auto` moves as little as it can. */
  reveal(position: number, place: 'auto' | 'center' = 'auto'): void {
    if (position >= 0) this.#virtual.scrollToIndex(position, { align: place });
  }

  get isAtEnd(): boolean {
    return this.#box.scrollHeight - this.#box.scrollTop - this.#box.clientHeight < ROW_PX * 2;
  }

  get pageRows(): number {
    return Math.max(1, Math.floor(this.#box.clientHeight / ROW_PX) - 1);
  }

  #options(count: number) {
    return {
      ...{ count, overscan: 4, scrollToFn: elementScroll, observeElementRect, observeElementOffset },
      getScrollElement: () => this.#box,
      estimateSize: () => ROW_PX,
      onChange: () => this.#paint(),
    };
  }

  #paint(): void {
    const items = this.#virtual.getVirtualItems();
    setStyle(this.#rows, 'height', `${this.#virtual.getTotalSize()}px`);
    // The rows follow one another: one move is cheaper than forty.
    setStyle(this.#window, 'transform', `translateY(${items[0]?.start ?? 0}px)`);
    this.#titleChars = Math.max(40, Math.ceil((this.#width - LEFT_PX) / CHAR_PX));
    const { shown, current } = this.#state;
    const peer = this.#store.frames[current]?.peer;
    for (const [slot, { index }] of items.entries()) {
      const number = shown[index];
      const frame = number === undefined ? undefined : this.#store.frames[number];
      if (number !== undefined && frame !== undefined) this.#fill(this.#row(slot), { index, number, frame, peer });
    }
    for (const { element } of this.#pool.slice(items.length)) {
      if (element.hidden) continue;
      element.hidden = true;
      element.removeAttribute('id');
    }
    const isInView = current >= 0 && document.getElementById(`frame-${current}`) !== null;
    if (isInView) setAttribute(this.#box, 'aria-activedescendant', `frame-${current}`);
    else this.#box.removeAttribute('aria-activedescendant');
  }

  #fill({ element, cells }: Row, { index, number, frame, peer }: Place): void {
    const { current, selected, shown } = this.#state;
    const { severity, dir, latencyMs, state } = frame;
    if (element.hidden) element.hidden = false;
    const marks = `${number === current ? ' current' : ''}${number === peer ? ' peer' : ''}`;
    setAttribute(element, 'class', `row${marks}${severity === undefined ? '' : ` severity-${severity}`}`);
    setAttribute(element, 'id', `frame-${number}`);
    setAttribute(element, 'data-frame', String(number));
    setAttribute(element, 'data-dir', dir);
    setAttribute(element, 'aria-selected', String(selected.has(number) || number === current));
    setAttribute(element, 'aria-posinset', String(index + 1));
    setAttribute(element, 'aria-setsize', String(shown.length));
    setText(cells.n, String(number + 1));
    setText(cells.t, formatMs(frame.t));
    setText(cells.dir, DIRECTIONS[dir]);
    setText(cells.kind, visibleLine(`${frame.proc === 1 ? '' : `${frame.proc}: `}${shortKind(frame.kind)}`));
    const faults = severity === undefined ? [] : this.#store.faultsAt(number);
    const worst = faults.find((fault) => fault.severity === severity);
    if (cells.badge.hidden !== (worst === undefined)) cells.badge.hidden = worst === undefined;
    if (worst !== undefined) {
      setText(cells.badge, worst.kind);
      setAttribute(cells.badge, 'class', `badge ${worst.severity}`);
    }
    // What is cut off at the right must not be measured.
    setText(cells.said, visibleLine(frame.title.slice(0, this.#titleChars)));
    setText(cells.took, latencyMs === undefined ? (state === 'open' ? 'waits' : '') : `${formatMs(latencyMs)} ms`);
    setText(cells.size, formatBytes(frame.bytes));
  }

  #row(slot: number): Row {
    const known = this.#pool[slot];
    if (known !== undefined) return known;
    const cells = {
      n: el('span', { class: 'n' }),
      t: el('span', { class: 't' }),
      dir: el('span', { class: 'dir' }),
      kind: el('span', { class: 'kind' }),
      badge: el('b', { class: 'badge' }),
      said: el('bdi', { class: 'said' }),
      took: el('span', { class: 'took' }),
      size: el('span', { class: 'size' }),
    };
    const what = el('span', { class: 'what' }, cells.badge, cells.said);
    const { n, t, dir, kind, took, size } = cells;
    const element = el('div', { class: 'row' }, n, t, dir, kind, what, took, size);
    element.setAttribute('role', 'option');
    const row = { element, cells };
    this.#pool[slot] = row;
    this.#window.append(element);
    return row;
  }
}
