export interface VersionedSummary {
  /** Of the transcript that it was made of; '' for one that does not exist. */
  readonly version: string;
  readonly data: Record<string, unknown> | undefined;
}

const MOST = 1_000;

/** What this process knows of the sessions it wrote to last, so that an append is one request. Redis has the truth. */
export class RecentSummaries {
  readonly #kept = new Map<string, VersionedSummary>();

  get(name: string): VersionedSummary | undefined {
    return this.#kept.get(name);
  }

  set(name: string, summary: VersionedSummary): void {
    this.#kept.delete(name);
    this.#kept.set(name, summary);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST && oldest !== undefined) this.#kept.delete(oldest);
  }

  forget(name: string): void {
    this.#kept.delete(name);
  }

  clear(): void {
    this.#kept.clear();
  }
}
