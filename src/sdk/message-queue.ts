import { createDeferred, type Deferred } from '../util/deferred.js';

/**
 * Messages on their way to one consumer, counted in bytes. Unbounded by itself: the session decides
 * when to stop reading. No promise is made and no object allocated for a message that is not awaited.
 */
export class MessageQueue<T> {
  #items: (T | undefined)[] = [];
  #sizes: number[] = [];
  #head = 0;
  #queuedBytes = 0;
  #isEnded = false;
  #error: Error | undefined;
  #hasBeenPulled = false;
  #waiting: Deferred<IteratorResult<T, undefined>>[] = [];
  /** The first waiter that is not settled; taken from here, since `shift` would make many of them quadratic. */
  #firstWaiting = 0;
  readonly #onTaken: () => void;

  /** @param onTaken - Called after a message was taken, with {@link queuedBytes} already lower. */
  constructor(onTaken: () => void = () => {}) {
    this.#onTaken = onTaken;
  }

  /** Length of the lines of all messages that nobody has taken yet. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** True once the consumer asked for a message: a consumer that never does must not hold reading up. */
  get hasBeenPulled(): boolean {
    return this.#hasBeenPulled;
  }

  push(item: T, bytes: number): void {
    if (this.#isEnded) return;
    const waiter = this.#waiting[this.#firstWaiting];
    if (waiter !== undefined) {
      this.#firstWaiting += 1;
      if (this.#firstWaiting === this.#waiting.length) this.#forgetWaiting();
      waiter.resolve({ value: item, done: false });
      return;
    }
    this.#items.push(item);
    this.#sizes.push(bytes);
    this.#queuedBytes += bytes;
  }

  /** No more messages. What is queued stays readable; then `error` is thrown once, then the queue is simply over. */
  end(error?: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    const waiting = this.#waiting.slice(this.#firstWaiting);
    this.#forgetWaiting();
    for (const waiter of waiting) this.#settleAtEnd(waiter);
  }

  /** The consumer has left: drops what is queued, and the queue is over whatever comes. */
  abandon(): void {
    this.#clear();
    this.#error = undefined;
    this.end();
  }

  /** Resolves with the next message; concurrent calls are served in order. */
  next(): Promise<IteratorResult<T, undefined>> {
    this.#hasBeenPulled = true;
    if (this.#head < this.#items.length)
      return Promise.resolve({ value: this.#take(), done: false });
    const waiter = createDeferred<IteratorResult<T, undefined>>();
    if (this.#isEnded) this.#settleAtEnd(waiter);
    else this.#waiting.push(waiter);
    return waiter.promise;
  }

  #clear(): void {
    this.#items = [];
    this.#sizes = [];
    this.#head = 0;
    this.#queuedBytes = 0;
  }

  #take(): T {
    const head = this.#head;
    // The guard in `next` makes sure there is an item at `head`.
    const item = this.#items[head] as T;
    this.#items[head] = undefined;
    this.#queuedBytes -= this.#sizes[head] ?? 0;
    this.#head = head + 1;
    if (this.#head === this.#items.length) this.#clear();
    else if (this.#head >= COMPACT_AFTER && this.#head * 2 >= this.#items.length) this.#compact();
    this.#onTaken();
    return item;
  }

  #forgetWaiting(): void {
    this.#waiting = [];
    this.#firstWaiting = 0;
  }

  /** Gives the taken half of a long queue back, so that a consumer that never catches up does not keep it. */
  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#sizes = this.#sizes.slice(this.#head);
    this.#head = 0;
  }

  #settleAtEnd(waiter: Deferred<IteratorResult<T, undefined>>): void {
    const error = this.#error;
    this.#error = undefined;
    if (error === undefined) waiter.resolve({ value: undefined, done: true });
    else waiter.reject(error);
  }
}

const COMPACT_AFTER = 1024;
