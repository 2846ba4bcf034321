import { createDeferred, type Deferred, ignoreRejection } from '../../util/deferred.js';

/**
 * Where a generator waits for whichever of its sources has something. One waiter; a call to `wake()` while nobody waits is
 * not remembered, so look at the sources first and wait then, without anything between.
 */
export class Wakeup {
  #waiter: Deferred<void> | undefined;
  #isLeft = false;

  /** The consumer wants no more. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  wait(): Promise<void> {
    this.#waiter ??= createDeferred<void>();
    return this.#waiter.promise;
  }

  wake(): void {
    this.#waiter?.resolve();
    this.#waiter = undefined;
  }

  leave(): void {
    this.#isLeft = true;
    this.wake();
  }
}

/** What a source gave: an item, its end, or its failure. */
type Arrival<T> =
  | { readonly kind: 'item'; readonly value: T }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Pulls one item at a time from an iterator, and wakes whoever waits when it is there. */
export class Pull<T> {
  readonly #iterator: AsyncIterator<T>;
  readonly #onArrival: () => void;
  #isPulling = false;
  #arrival: Arrival<T> | undefined;

  constructor(iterator: AsyncIterator<T>, onArrival: () => void) {
    this.#iterator = iterator;
    this.#onArrival = onArrival;
  }

  /** Asks for the next item unless one is on its way or there. */
  start(): void {
    if (this.#isPulling || this.#arrival !== undefined) return;
    this.#isPulling = true;
    const arrived = (arrival: Arrival<T>): void => {
      this.#isPulling = false;
      this.#arrival = arrival;
      this.#onArrival();
    };
    ignoreRejection(
      callNext(this.#iterator).then(
        ({ done, value }) => arrived(done === true ? { kind: 'end' } : { kind: 'item', value }),
        (error: unknown) => arrived({ kind: 'failed', error }),
      ),
    );
  }

  get hasArrived(): boolean {
    return this.#arrival !== undefined;
  }

  take(): Arrival<T> | undefined {
    const arrival = this.#arrival;
    this.#arrival = undefined;
    return arrival;
  }
}

/** An iterator of somebody else may throw where it should reject. */
async function callNext<T>(iterator: AsyncIterator<T>): Promise<IteratorResult<T, unknown>> {
  return iterator.next();
}

/**
 * An async generator that can be left at any time: `return()` takes effect at once, also while a `next()` waits. A plain
 * one would wait for the next item first, which may never come.
 *
 * @param make - waits with `wakeup.wait()` only, and looks at `wakeup.isLeft` after it
 */
export function leavable<T>(
  make: (wakeup: Wakeup) => AsyncGenerator<T, void, void>,
): AsyncGenerator<T, void, void> {
  const wakeup = new Wakeup();
  const inner = make(wakeup);
  const leave = (): Promise<IteratorResult<T, void>> => {
    wakeup.leave();
    return inner.return();
  };
  return {
    next: () => inner.next(),
    return: leave,
    throw: async (error: unknown) => {
      await leave();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
