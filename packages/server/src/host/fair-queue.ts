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

  get size(): number {
    return this.all.length;
  }

  /** In the order in which they would be served. */
  get all(): readonly T[] {
    const lines = [...this.#lines.values()];
    const longest = lines.reduce((most, line) => Math.max(most, line.length), 0);
    return Array.from({ length: longest }, (_, round) => lines.flatMap((line) => line[round] ?? [])).flat();
  }

  add(item: T): void {
    const line = this.#lines.get(item.tenant);
    if (line === undefined) this.#lines.set(item.tenant, [item]);
    else line.push(item);
  }

  remove(item: T): void {
    const line = this.#lines.get(item.tenant);
    const index = line?.indexOf(item) ?? -1;
    if (line === undefined || index < 0) return;
    line.splice(index, 1);
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
