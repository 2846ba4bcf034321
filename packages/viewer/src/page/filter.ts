import type { Direction, Frame } from '../model/view-data.js';
import type { BodyStore } from './body-store.js';
import type { Store } from './store.js';

/** Which frames are in the list. */
export class Filter {
  readonly directions = new Set<Direction>(['in', 'out', 'err', 'meta']);
  /** Empty: all. */
  kind = '';
  onlyFaults = false;
  foldsText = false;
  /** Indices of frames, in order. */
  shown: readonly number[] = [];
  isSearching = false;
  readonly #store: Store;
  readonly #bodies: BodyStore;
  readonly #onChange: () => void;
  #query = '';
  #matches: Set<number> | undefined;
  #search = new AbortController();

  constructor(store: Store, bodies: BodyStore, onChange: () => void) {
    this.#store = store;
    this.#bodies = bodies;
    this.#onChange = onChange;
    this.apply();
  }

  get query(): string {
    return this.#query;
  }

  /** Titles at once, bodies as they are decompressed. */
  search(query: string): void {
    this.#query = query.toLowerCase();
    this.#search.abort();
    this.#search = new AbortController();
    this.#matches = this.#query === '' ? undefined : new Set();
    this.isSearching = this.#matches !== undefined;
    this.apply();
    this.#onChange();
    if (this.#matches !== undefined) void this.#scan(this.#matches, this.#search.signal);
  }

  /** Looks again at everything. */
  apply(): void {
    const shown: number[] = [];
    for (const [index, frame] of this.#store.frames.entries()) if (this.#fits(index, frame)) shown.push(index);
    this.shown = shown;
  }

  #fits(index: number, frame: Frame): boolean {
    if (!this.directions.has(frame.dir)) return false;
    if (this.kind !== '' && frame.kind !== this.kind) return false;
    if (this.onlyFaults && frame.severity === undefined) return false;
    if (this.foldsText && frame.text !== undefined && this.#store.data.texts[frame.text]?.last !== index) return false;
    if (this.#matches === undefined) return true;
    return this.#matches.has(index) || `${frame.kind} ${frame.title}`.toLowerCase().includes(this.#query);
  }

  async #scan(matches: Set<number>, signal: AbortSignal): Promise<void> {
    // Quotes and line breaks are escaped in a body.
    const written = JSON.stringify(this.#query).slice(1, -1);
    const update = (): void => {
      if (signal.aborted) return;
      this.apply();
      this.#onChange();
    };
    let before = 0;
    await this.#bodies.scan(
      signal,
      (frame, line) => {
        const text = line.toLowerCase();
        if (text.includes(this.#query) || text.includes(written)) matches.add(frame);
      },
      () => {
        if (matches.size > before) update();
        before = matches.size;
      },
    );
    if (signal.aborted) return;
    this.isSearching = false;
    update();
  }
}
