/** Whoever waits in a {@link FairQueue}. */
export interface Queued {
  readonly tenant: string;
}

/**
 * Those who wait, served by turns between tenants, and in order within one. A tenant with many that wait delays another
 * one by one place at most.
 */
export class FairQueue<T extends Queued> {
  /** By tenant. The first is the one whose turn it is. */
  readonly #lines = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Those of whom somebody waits. */
  get tenants(): readonly string[] {
    return [...this.#lines.keys()];
  }

  /** @param tenant - Of this one, if given. */
  count(counts: (item: T) => boolean, tenant?: string): number {
    const lines = tenant === undefined ? [...this.#lines.values()] : [this.#lines.get(tenant) ?? []];
    return lines.reduce((sum, line) => sum + line.filter(counts).length, 0);
  }

  /** In the order in which they would be served. Not to be changed meanwhile. */
  *inOrder(): Generator<T, void> {
    let lines = [...this.#lines.values()];
    for (let round = 0; lines.length > 0; round += 1) {
      lines = lines.filter((line) => round < line.length);
      for (const line of lines) yield line[round] as T;
    }
  }

  add(item: T): void {
    this.#size += 1;
    const line = this.#lines.get(item.tenant);
    if (line === undefined) this.#lines.set(item.tenant, [item]);
    else line.push(item);
  }

  remove(item: T): void {
    const line = this.#lines.get(item.tenant);
    const index = line?.indexOf(item) ?? -1;
    if (line === undefined || index < 0) return;
    line.splice(index, 1);
    this.#size -= 1;
    if (line.length === 0) this.#lines.delete(item.tenant);
  }

  has(item: T): boolean {
    return this.#lines.get(item.tenant)?.includes(item) === true;
  }

  /** Takes the next one that can be served. Its tenant has its next turn after all others. */
  take(canServe: (tenant: string) => boolean): T | undefined {
    for (const [tenant, [first]] of this.#lines) {
      if (first === undefined || !canServe(tenant)) continue;
      this.remove(first);
      const rest = this.#lines.get(tenant);
      if (rest !== undefined) {
        this.#lines.delete(tenant);
        this.#lines.set(tenant, rest);
      }
      return first;
    }
    return undefined;
  }

  /**
   * Who has to go when there are too many: the newest of the tenant with the most, and of the tenant that came last
   * where several have as many.
   */
  excess(counts: (item: T) => boolean, newcomer: T): T {
    const own = this.#lines.get(newcomer.tenant)?.filter(counts) ?? [];
    let most: readonly T[] = own;
    for (const line of this.#lines.values()) {
      const counted = line.filter(counts);
      if (counted.length > most.length) most = counted;
    }
    return most === own ? newcomer : (most.at(-1) ?? newcomer);
  }
}
