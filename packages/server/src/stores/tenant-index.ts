import type { ConversationRecord } from './conversation-store.js';
import { type ListOptions, type ListPlace, newestFirst } from './list-options.js';

/** What a list and a sum need to know about a conversation. */
export interface IndexEntry extends ListPlace {
  /** What is stored for it. */
  readonly bytes: number;
}

export function entryOf({ id, updatedAt, bytes = 0 }: ConversationRecord): IndexEntry {
  return { id, updatedAt, bytes };
}

/** The conversations of one tenant in the order of its list, in memory. */
export class TenantIndex {
  readonly #entries = new Map<string, IndexEntry>();
  /** Made when it is needed, and kept in order from then on. */
  #sorted: IndexEntry[] | undefined;
  #bytes = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** Of all together. */
  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): IndexEntry | undefined {
    return this.#entries.get(id);
  }

  values(): Iterable<IndexEntry> {
    return this.#entries.values();
  }

  set({ id, updatedAt, bytes }: IndexEntry): void {
    this.delete(id);
    const entry = { id, updatedAt, bytes };
    this.#entries.set(id, entry);
    this.#bytes += bytes;
    if (this.#sorted !== undefined) this.#sorted.splice(placeOf(this.#sorted, entry), 0, entry);
  }

  delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#bytes -= entry.bytes;
    if (this.#sorted !== undefined) this.#sorted.splice(placeOf(this.#sorted, entry), 1);
  }

  page({ limit, after }: ListOptions): readonly IndexEntry[] {
    this.#sorted ??= [...this.#entries.values()].sort(newestFirst);
    let start = after === undefined ? 0 : placeOf(this.#sorted, after);
    const first = this.#sorted[start];
    if (after !== undefined && first !== undefined && newestFirst(first, after) === 0) start += 1;
    return this.#sorted.slice(start, start + limit);
  }
}

/** The index of the first that does not come before a place. */
function placeOf(sorted: readonly IndexEntry[], place: ListPlace): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = sorted[middle];
    if (entry !== undefined && newestFirst(entry, place) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
