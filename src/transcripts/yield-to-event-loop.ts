import { setImmediate } from 'node:timers/promises';

/** How long work that does not wait goes on before the program may do something else, in milliseconds. */
const SLICE_MS = 8;

/** Time for work that does not wait, handed out in slices. */
export class Slices {
  #until = performance.now() + SLICE_MS;

  /** Lets timers, I/O and other work run when the slice is used up. */
  rest(): Promise<void> | undefined {
    return performance.now() < this.#until ? undefined : this.#next();
  }

  /** Maps items with a function that does not wait. */
  async map<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Promise<Result[]> {
    const results: Result[] = [];
    for (const item of items) {
      results.push(map(item));
      const rest = this.rest();
      if (rest !== undefined) await rest;
    }
    return results;
  }

  async #next(): Promise<void> {
    await setImmediate();
    this.#until = performance.now() + SLICE_MS;
  }
}
