import type { Direction, Severity } from '../model/view-data.js';
import { BodyStore } from './body-store.js';
import { Copier } from './copy.js';
import { Details } from './details.js';
import { byId, el } from './dom.js';
import { Filter } from './filter.js';
import { formatCount, plural } from './format.js';
import { showHead } from './head.js';
import { listenToKeys, showKeys } from './keys.js';
import { LanesView } from './lanes-view.js';
import { List } from './list.js';
import { followServer } from './live.js';
import { PlotsView } from './plots-view.js';
import { Selection } from './selection.js';
import type { Store } from './store.js';
import { visibleLine } from './visible.js';

const SEARCH_PAUSE_MS = 120;

/** The page: its parts, and what joins them. */
export class Viewer {
  readonly #store: Store;
  readonly #bodies = new BodyStore();
  readonly #filter: Filter;
  readonly #list: List;
  readonly #details: Details;
  readonly #lanes: LanesView;
  readonly #plots: PlotsView;
  readonly #copier: Copier;
  readonly #selection = new Selection();
  #position = 0;

  constructor(store: Store, switchTheme: () => void) {
    this.#store = store;
    this.#copier = new Copier(store, this.#bodies);
    this.#filter = new Filter(store, this.#bodies, () => this.#refresh());
    const pick = (frame: number): void => this.go(frame);
    this.#list = new List(store, (frame, { shiftKey, ctrlKey, metaKey }) => {
      if (shiftKey) this.#selection.extend(this.#filter.shown, frame);
      else if (ctrlKey || metaKey) this.#selection.toggle(frame);
      else this.#selection.set(frame);
      this.#showCurrent(false);
    });
    const copies = {
      copyFrame: () => void this.#copier.frame(this.#selection.current),
      copyFixture: () => void this.#copier.fixture(this.#selection.frames()),
      copyScenario: () => void this.#copier.scenario(this.#selection.frames()),
    };
    this.#details = new Details(store, this.#bodies, { go: pick, ...copies });
    this.#lanes = new LanesView(store, pick);
    this.#plots = new PlotsView(store);
    showHead(store);
    this.#fillKinds();
    this.#listen();
    const next = (step: 1 | -1, severity?: Severity): void => this.#nextFault(step, severity);
    byId('next-fault').addEventListener('click', () => next(1));
    byId('help').addEventListener('click', showKeys);
    listenToKeys({
      ...copies,
      ...{ next, switchTheme, showKeys },
      move: (by, extends_) => this.#move(by, extends_),
      page: (by, extends_) => this.#move(by * this.#list.pageRows, extends_),
      toEnd: (end) => this.#move(end * this.#filter.shown.length, false),
      toggle: () => {
        this.#selection.toggle(this.#selection.current);
        this.#showCurrent(false);
      },
      selectAll: () => {
        this.#selection.all(this.#filter.shown);
        this.#showCurrent(false);
      },
      toPeer: () => {
        const peer = this.#store.frames[this.#selection.current]?.peer;
        if (peer !== undefined) this.go(peer);
      },
      zoom: (factor) => (factor === undefined ? this.#lanes.fit() : this.#lanes.zoom(factor)),
    });
    this.#refresh();
    this.#details.show(-1);
    if (store.data.isLive) this.#follow();
  }

  /** Shows a frame, also one that the filter hides. */
  go(frame: number): void {
    if (!this.#filter.shown.includes(frame)) this.#showAll();
    this.#selection.set(frame);
    this.#showCurrent(true, 'center');
  }

  /** In the colours of now. */
  redraw(): void {
    this.#plots.draw();
    this.#lanes.paint();
  }

  #follow(): void {
    followServer(this.#store.frames.length, (update) => {
      const wasAtEnd = this.#list.isAtEnd;
      if (update.isNew) {
        this.#bodies.clear();
        this.#selection.set(-1);
        this.#details.show(-1);
      }
      this.#bodies.add(update.bodiesFrom, update.bodies);
      this.#store.update(update);
      this.#filter.apply();
      showHead(this.#store);
      this.#fillKinds();
      this.#refresh();
      this.redraw();
      if (wasAtEnd) this.#list.reveal(this.#filter.shown.length - 1);
    });
  }

  #showAll(): void {
    byId<HTMLInputElement>('search').value = '';
    byId<HTMLSelectElement>('kind').value = '';
    this.#filter.kind = '';
    this.#filter.onlyFaults = false;
    this.#filter.foldsText = false;
    for (const each of ['in', 'out', 'err', 'meta'] as const) this.#filter.directions.add(each);
    for (const toggle of document.querySelectorAll('#toolbar .toggle')) {
      toggle.setAttribute('aria-pressed', String(toggle.hasAttribute('data-dir')));
    }
    this.#filter.search('');
  }

  #nextFault(step: 1 | -1, severity?: Severity): void {
    const { frames } = this.#store;
    const { current } = this.#selection;
    const shown = this.#filter.shown.filter((frame) => {
      const found = frames[frame]?.severity;
      return found !== undefined && (severity === undefined || found === severity);
    });
    const ordered = step === 1 ? shown : [...shown].reverse();
    const next = ordered.find((frame) => (step === 1 ? frame > current : frame < current || current === -1));
    const found = next ?? ordered[0];
    if (found !== undefined) this.go(found);
  }

  #move(by: number, extends_: boolean): void {
    const { shown } = this.#filter;
    if (shown.length === 0) return;
    const from = shown[this.#position] === this.#selection.current ? this.#position : by > 0 ? -1 : shown.length;
    const position = Math.max(0, Math.min(shown.length - 1, from + by));
    const frame = shown[position] ?? 0;
    if (extends_) this.#selection.extend(shown, frame);
    else this.#selection.set(frame);
    this.#showCurrent(true);
  }

  #showCurrent(reveals: boolean, place: 'auto' | 'center' = 'auto'): void {
    const { current } = this.#selection;
    this.#position = this.#filter.shown.indexOf(current);
    this.#showList();
    if (reveals) this.#list.reveal(this.#position, place);
    this.#details.show(current);
    this.#lanes.mark(current);
  }

  #refresh(): void {
    this.#position = this.#filter.shown.indexOf(this.#selection.current);
    this.#showList();
  }

  #showList(): void {
    const { shown, isSearching } = this.#filter;
    this.#list.show({ shown, current: this.#selection.current, selected: this.#selection.selected });
    const all = this.#store.frames.length;
    const some =
      shown.length === all ? plural(all, 'frame') : `${formatCount(shown.length)} of ${plural(all, 'frame')}`;
    const { size } = this.#selection.selected;
    const selected = size > 1 ? ` · ${formatCount(size)} selected` : '';
    byId('count').textContent = `${some}${selected}${isSearching ? ' · searches…' : ''}`;
    byId<HTMLButtonElement>('next-fault').disabled = this.#store.data.faults.length === 0;
  }

  #fillKinds(): void {
    const select = byId<HTMLSelectElement>('kind');
    const before = select.value;
    const counts = new Map<string, number>();
    for (const { kind } of this.#store.frames) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const all = el('option', { text: 'All kinds' });
    all.value = '';
    const options = [...counts]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([kind, count]) => {
        const option = el('option', { text: `${visibleLine(kind)} (${formatCount(count)})` });
        option.value = kind;
        return option;
      });
    select.replaceChildren(all, ...options);
    select.value = before;
  }

  #listen(): void {
    const change = (): void => {
      this.#filter.apply();
      this.#refresh();
    };
    for (const toggle of document.querySelectorAll<HTMLButtonElement>('#toolbar .toggle')) {
      toggle.addEventListener('click', () => {
        const isOn = toggle.getAttribute('aria-pressed') !== 'true';
        toggle.setAttribute('aria-pressed', String(isOn));
        // The attribute is one of ours.
        const dir = toggle.dataset.dir as Direction | undefined;
        if (toggle.id === 'fold') this.#filter.foldsText = isOn;
        else if (dir === undefined) this.#filter.onlyFaults = isOn;
        else if (isOn) this.#filter.directions.add(dir);
        else this.#filter.directions.delete(dir);
        change();
      });
    }
    const kind = byId<HTMLSelectElement>('kind');
    kind.addEventListener('change', () => {
      this.#filter.kind = kind.value;
      change();
    });
    const search = byId<HTMLInputElement>('search');
    let pause: number | undefined;
    search.addEventListener('input', () => {
      clearTimeout(pause);
      pause = window.setTimeout(() => this.#filter.search(search.value), SEARCH_PAUSE_MS);
    });
    byId('zoom-in').addEventListener('click', () => this.#lanes.zoom(0.5));
    byId('zoom-out').addEventListener('click', () => this.#lanes.zoom(2));
    byId('zoom-fit').addEventListener('click', () => this.#lanes.fit());
  }
}
