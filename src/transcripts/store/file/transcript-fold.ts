import { isDeepStrictEqual } from 'node:util';
import { foldSessionSummary } from '../fold-session-summary.js';
import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from '../session-store.js';

/** Passes on what `load` gives: of entries with the same `uuid` the first one. */
export class Repetitions {
  readonly #seen = new Set<string>();

  isNew({ uuid }: SessionStoreEntry): boolean {
    if (typeof uuid !== 'string') return true;
    if (this.#seen.has(uuid)) return false;
    this.#seen.add(uuid);
    return true;
  }
}

/**
 * The summary of a transcript, or of what was appended to one whose beginning is folded already. Repeated entries are left
 * out, as `load` does.
 */
export class TranscriptFold {
  readonly #key: SessionKey;
  readonly #repetitions = new Repetitions();
  #summary: SessionSummaryEntry;
  /** Without the entries that may stand before the start too; `undefined` when nothing stands there. */
  #certain: SessionSummaryEntry | undefined;

  /** @param before - What the summary says of all before the start; `undefined` at the beginning of a transcript. */
  constructor(key: SessionKey, before: Record<string, unknown> | undefined) {
    this.#key = key;
    this.#summary = { sessionId: key.sessionId, mtime: 0, data: before ?? {} };
    this.#certain = before && this.#summary;
  }

  add(entries: readonly SessionStoreEntry[]): void {
    const fresh = entries.filter((entry) => this.#repetitions.isNew(entry));
    this.#summary = foldSessionSummary(this.#summary, this.#key, fresh);
    if (this.#certain === undefined) return;
    const unnamed = fresh.filter(({ uuid }) => typeof uuid !== 'string');
    this.#certain = foldSessionSummary(this.#certain, this.#key, unnamed);
  }

  /**
   * `undefined` when an entry with a `uuid` has changed the summary: whether it repeats one from before the start decides, and
   * only the whole transcript tells.
   */
  get data(): Record<string, unknown> | undefined {
    const { data } = this.#summary;
    const isCertain = this.#certain === undefined || isDeepStrictEqual(this.#certain.data, data);
    return isCertain ? data : undefined;
  }
}
