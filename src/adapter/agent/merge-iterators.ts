import { createDeferred, type Deferred, ignoreRejection } from '../../util/deferred.js';

/**
 * Lets a generator wait for the first of several sources. There is one waiter, and `wake()` without a waiter has no
 * effect: check the sources first, then wait, with no `await` in between.
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

/** An item, the end or the failure of a source. */
type Arrival<T> =
  | { readonly kind: 'item'; readonly value: T }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Pulls one item at a time from an iterator and reports its arrival. */
export class Pull<T> {
  readonly #iterator: AsyncIterator<T>;
  readonly #onArrival: () => void;
  #isPulling = false;
  #arrival: Arrival<T> | undefined;

  constructor(iterator: AsyncIterator<T>, onArrival: () => void) {
    this.#iterator = iterator;
    this.#onArrival = onArrival;
  }

  /** Requests the next item, unless one is requested or has arrived. */
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

/** A foreign iterator may throw where it should reject. */
async function callNext<T>(iterator: AsyncIterator<T>): Promise<IteratorResult<T, unknown>> {
  return iterator.next();
}

/**
 * An async generator whose `return()` takes effect at once, even while a `next()` waits. A plain generator would wait
 * for the next item first, which may never come.
 * @param make - Waits with `wakeup.wait()` only, and checks `wakeup.isLeft` after it.
 */
export function leavable<T>(make: (wakeup: Wakeup) => AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
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
