import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { Frame } from '../model/view-data.js';
import { byId, el } from './dom.js';
import { formatBytes, formatMs } from './format.js';
import type { Store } from './store.js';
import { visibleLine } from './visible.js';

const ROW_PX = 26;
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
  readonly #pool: Row[] = [];
  readonly #virtual: Virtualizer<HTMLElement, HTMLElement>;
  readonly #empty = el('p', { class: 'empty', text: 'No frame fits.' });
  #state: ListState = { shown: [], current: -1, selected: new Set() };

  constructor(store: Store, onPick: (frame: number, event: MouseEvent) => void) {
    this.#store = store;
    this.#virtual = new Virtualizer(this.#options(0));
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
      ...{ count, overscan: 8, scrollToFn: elementScroll, observeElementRect, observeElementOffset },
      getScrollElement: () => this.#box,
      estimateSize: () => ROW_PX,
      onChange: () => this.#paint(),
    };
  }

  #paint(): void {
    const items = this.#virtual.getVirtualItems();
    this.#rows.style.height = `${this.#virtual.getTotalSize()}px`;
    const { shown, current, selected } = this.#state;
    const peer = this.#store.frames[current]?.peer;
    for (const [slot, { index, start }] of items.entries()) {
      const number = shown[index];
      const frame = number === undefined ? undefined : this.#store.frames[number];
      if (number === undefined || frame === undefined) continue;
      const { element, cells } = this.#row(slot);
      element.hidden = false;
      element.style.transform = `translateY(${start}px)`;
      const classes = ['row'];
      if (number === current) classes.push('current');
      if (number === peer) classes.push('peer');
      if (frame.severity !== undefined) classes.push(`severity-${frame.severity}`);
      element.className = classes.join(' ');
      element.setAttribute('aria-selected', String(selected.has(number) || number === current));
      element.setAttribute('aria-posinset', String(index + 1));
      element.setAttribute('aria-setsize', String(shown.length));
      element.id = `frame-${number}`;
      element.dataset.frame = String(number);
      element.dataset.dir = frame.dir;
      this.#fill(cells, number, frame);
    }
    for (const { element } of this.#pool.slice(items.length)) {
      element.hidden = true;
      element.removeAttribute('id');
    }
    const isInView = current >= 0 && document.getElementById(`frame-${current}`) !== null;
    if (isInView) this.#box.setAttribute('aria-activedescendant', `frame-${current}`);
    else this.#box.removeAttribute('aria-activedescendant');
  }

  #fill(cells: Row['cells'], number: number, frame: Frame): void {
    cells.n.textContent = String(number + 1);
    cells.t.textContent = formatMs(frame.t);
    cells.dir.textContent = DIRECTIONS[frame.dir];
    cells.kind.textContent = visibleLine(
      frame.proc === 1 ? shortKind(frame.kind) : `${frame.proc}: ${shortKind(frame.kind)}`,
    );
    const [fault] = this.#store.faultsAt(number);
    cells.badge.hidden = fault === undefined;
    if (fault !== undefined) {
      const worst = this.#store.faultsAt(number).find(({ severity }) => severity === 'error') ?? fault;
      cells.badge.textContent = worst.kind;
      cells.badge.className = `badge ${worst.severity}`;
    }
    cells.said.textContent = visibleLine(frame.title);
    const { latencyMs } = frame;
    cells.took.textContent =
      latencyMs === undefined ? (frame.state === 'open' ? 'waits' : '') : `${formatMs(latencyMs)} ms`;
    cells.size.textContent = formatBytes(frame.bytes);
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
    this.#rows.append(element);
    return row;
  }
}
