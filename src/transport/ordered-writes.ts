import { createDeferred, type Deferred } from '../util/deferred.js';

/** Above this much waiting text the caller is told to wait. */
const FULL_UNITS = 64 * 1024;

/** Calls an asynchronous `write` once per text, in order, one at a time. */
export class OrderedWrites {
  readonly #write: (data: string) => void | Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  #queue: string[] = [];
  #queuedUnits = 0;
  #state: 'held' | 'idle' | 'writing' | 'stopped' = 'held';
  #drained: Deferred<void> | undefined;
  #idle: Deferred<void> | undefined;

  /** @param onFailure - Called once, with what `write` threw. Nothing is written after it. */
  constructor(write: (data: string) => void | Promise<void>, onFailure: (error: unknown) => void) {
    this.#write = write;
    this.#onFailure = onFailure;
  }

  /** @returns false when much is waiting: await {@link drained}. */
  push(data: string): boolean {
    this.#queue.push(data);
    this.#queuedUnits += data.length;
    void this.#pump();
    return !this.#isFull();
  }

  /** What was pushed before waits for this. */
  start(): void {
    if (this.#state !== 'held') return;
    this.#state = 'idle';
    void this.#pump();
  }

  /** Drops what is waiting and releases whoever waits. */
  stop(): void {
    this.#state = 'stopped';
    this.#queue = [];
    this.#queuedUnits = 0;
    this.#release();
  }

  drained(): Promise<void> {
    if (!this.#isFull()) return Promise.resolve();
    this.#drained ??= createDeferred();
    return this.#drained.promise;
  }

  /** Resolves when everything is written, or nothing more will be. */
  idle(): Promise<void> {
    if (this.#queue.length === 0 && this.#state !== 'writing') return Promise.resolve();
    this.#idle ??= createDeferred();
    return this.#idle.promise;
  }

  async #pump(): Promise<void> {
    if (this.#state !== 'idle') return;
    this.#state = 'writing';
    try {
      while (this.#queue.length > 0) {
        // From the end of a reversed list: taking from the front of a long one costs the square of its length.
        const batch = this.#queue.reverse();
        this.#queue = [];
        for (let data = batch.pop(); data !== undefined; data = batch.pop()) {
          this.#queuedUnits -= data.length;
          const written = this.#write(data);
          // A synchronous write goes out in the tick it was made in.
          if (written !== undefined) await written;
          if (this.#isStopped()) return;
          if (!this.#isFull()) this.#releaseDrained();
        }
      }
      this.#state = 'idle';
      this.#release();
    } catch (error) {
      this.stop();
      this.#onFailure(error);
    }
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #isFull(): boolean {
    return this.#queuedUnits > FULL_UNITS;
  }

  #release(): void {
    this.#releaseDrained();
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  #releaseDrained(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
