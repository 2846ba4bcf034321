import { createDeferred, type Deferred } from '../util/deferred.js';
import { jsonTextOf } from '../util/json.js';
import { Backlog, type BacklogOptions, NOTHING } from './backlog/backlog.js';
import { HIGH_WATER_BYTES } from './flow-control.js';

/**
 * Above this much, messages wait as bytes. Reading pauses below it where it may, so that no byte is parsed twice then.
 */
const MAX_OBJECT_BYTES = HIGH_WATER_BYTES + 256 * 1024;

const COMPACT_AFTER = 1024;

export interface MessageQueueOptions extends Omit<BacklogOptions, 'onLoaded'> {
  /** After a message was taken, with {@link MessageQueue.queuedBytes} already lower. */
  readonly onTaken: () => void;
  /** Bytes of lines that wait as objects. @defaultValue a little more than 16 MiB */
  readonly maxObjectBytes?: number | undefined;
}

/** A place in the queue behind which nothing is handed out yet. */
interface Gate {
  /** Number of the message that it holds. */
  readonly at: number;
  isOpen: boolean;
  /** Messages that go before the held one. */
  readonly before: { readonly item: unknown; readonly bytes: number }[];
}

/**
 * Messages on their way to one consumer, counted in bytes: objects first, the lines of later ones in memory and in a
 * private file. No promise is made and no object allocated for a message that is not awaited.
 */
export class MessageQueue<T> {
  readonly #options: MessageQueueOptions;
  readonly #maxObjectBytes: number;
  #items: (T | undefined)[] = [];
  #sizes: number[] = [];
  #head = 0;
  #objectBytes = 0;
  /** Behind {@link #items}. `undefined` until it is needed. */
  #backlog: Backlog<T> | undefined;
  #gates: Gate[] = [];
  #gateBytes = 0;
  /** Messages taken, those of a {@link Gate} left out. */
  #taken = 0;
  #isEnded = false;
  #error: Error | undefined;
  #hasBeenPulled = false;
  #waiting: Deferred<IteratorResult<T, undefined>>[] = [];
  /** The first waiter that is not settled; taken from here, since `shift` would make many of them quadratic. */
  #firstWaiting = 0;

  constructor(options: MessageQueueOptions) {
    this.#options = options;
    this.#maxObjectBytes = options.maxObjectBytes ?? MAX_OBJECT_BYTES;
  }

  /** Length of the lines of all messages that were not taken yet. */
  get queuedBytes(): number {
    return this.#objectBytes + this.#gateBytes + (this.#backlog?.bytes ?? 0);
  }

  /** True once the consumer asked for a message: a consumer that never does must not hold reading up. */
  get hasBeenPulled(): boolean {
    return this.#hasBeenPulled;
  }

  /**
   * @param bytes - Length of its line.
   * @param line - The line itself, where there is one: a message that has to wait long waits as such.
   */
  push(item: T, bytes: number, line?: string): void {
    if (this.#isEnded) return;
    const waiter = this.#waiting[this.#firstWaiting];
    if (waiter !== undefined && this.#isEmpty) {
      this.#taken += 1;
      this.#forgetWaiter();
      waiter.resolve({ value: item, done: false });
    } else if (this.#objectBytes >= this.#maxObjectBytes || this.#hasBacklog) {
      this.#keepAsBytes(item, line);
    } else {
      this.#items.push(item);
      this.#sizes.push(bytes);
      this.#objectBytes += bytes;
    }
  }

  /**
   * The message that is pushed next is not handed out, nor any behind it, until the returned function is called. Every
   * hold has to be released, also after {@link end}.
   */
  hold(): () => void {
    if (this.#isEnded) return () => {};
    const gate: Gate = { at: this.#taken + this.#queuedCount, isOpen: false, before: [] };
    this.#gates.push(gate);
    return () => {
      gate.isOpen = true;
      this.#serve();
    };
  }

  /** As {@link push}, but in front of the first message that is held. */
  pushBeforeHeld(item: T, bytes: number): void {
    const gate = this.#gates.find(({ isOpen }) => !isOpen);
    if (gate === undefined) {
      this.push(item, bytes);
    } else if (!this.#isEnded) {
      gate.before.push({ item, bytes });
      this.#gateBytes += bytes;
      this.#serve();
    }
  }

  /** No more messages. What is queued stays readable; then `error` is thrown once, then the queue is over. */
  end(error?: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.#serve();
  }

  /** The consumer has left: drops what is queued and ignores what comes. */
  abandon(): void {
    this.#isEnded = true;
    this.#dropAll(undefined);
  }

  /** Resolves with the next message; concurrent calls are served in order. */
  next(): Promise<IteratorResult<T, undefined>> {
    this.#hasBeenPulled = true;
    if (this.#firstWaiting === this.#waiting.length) {
      const item = this.#take();
      if (item !== NOTHING) return Promise.resolve({ value: item, done: false });
    }
    const waiter = createDeferred<IteratorResult<T, undefined>>();
    if (this.#isEnded && this.#isEmpty) this.#settleAtEnd(waiter);
    else this.#waiting.push(waiter);
    return waiter.promise;
  }

  get #hasBacklog(): boolean {
    return this.#backlog !== undefined && this.#backlog.count > 0;
  }

  get #queuedCount(): number {
    return this.#items.length - this.#head + (this.#backlog?.count ?? 0);
  }

  get #isEmpty(): boolean {
    return this.#head === this.#items.length && this.#gates.length === 0 && !this.#hasBacklog;
  }

  #keepAsBytes(item: T, line: string | undefined): void {
    this.#backlog ??= new Backlog<T>({ ...this.#options, onLoaded: () => this.#serve() });
    // Only a custom transport brings items without JSON.
    this.#backlog.push(item, line ?? jsonTextOf(item));
  }

  /** Serves those who wait, as far as there is something; at the end, everybody. */
  #serve(): void {
    for (let waiter = this.#waiting[this.#firstWaiting]; waiter !== undefined; ) {
      const item = this.#take();
      if (item === NOTHING) break;
      this.#forgetWaiter();
      waiter.resolve({ value: item, done: false });
      waiter = this.#waiting[this.#firstWaiting];
    }
    if (!this.#isEnded || !this.#isEmpty) return;
    const waiting = this.#waiting.slice(this.#firstWaiting);
    this.#forgetWaiting();
    for (const waiter of waiting) this.#settleAtEnd(waiter);
  }

  #clear(): void {
    this.#items = [];
    this.#sizes = [];
    this.#head = 0;
    this.#objectBytes = 0;
  }

  /** The next message, {@link NOTHING} when it is not there yet. */
  #take(): T | typeof NOTHING {
    const gate = this.#gates[0];
    const item = gate?.at === this.#taken ? this.#takeAt(gate) : this.#takeQueued();
    if (item !== NOTHING) this.#options.onTaken();
    return item;
  }

  #takeAt(gate: Gate): T | typeof NOTHING {
    const first = gate.before.shift();
    if (first !== undefined) {
      this.#gateBytes -= first.bytes;
      // The cast: `pushBeforeHeld` put it there.
      return first.item as T;
    }
    if (!gate.isOpen) return NOTHING;
    this.#gates.shift();
    return this.#takeQueued();
  }

  #takeQueued(): T | typeof NOTHING {
    const head = this.#head;
    if (head === this.#items.length) return this.#takeFromBacklog();
    // There is an item at every place between `head` and the end.
    const item = this.#items[head] as T;
    this.#items[head] = undefined;
    this.#objectBytes -= this.#sizes[head] ?? 0;
    this.#head = head + 1;
    this.#taken += 1;
    if (this.#head === this.#items.length) this.#clear();
    else if (this.#head >= COMPACT_AFTER && this.#head * 2 >= this.#items.length) this.#compact();
    return item;
  }

  #takeFromBacklog(): T | typeof NOTHING {
    const backlog = this.#backlog;
    if (backlog === undefined) return NOTHING;
    const item = backlog.take();
    if (item !== NOTHING) this.#taken += 1;
    else if (backlog.lost !== undefined) this.#onLost(backlog.lost);
    return item;
  }

  /** Nothing behind a gap is handed out. */
  #onLost(error: Error): void {
    this.#isEnded = true;
    this.#dropAll(error);
    this.#options.onFailed(error);
  }

  #dropAll(error: Error | undefined): void {
    this.#clear();
    this.#gates = [];
    this.#gateBytes = 0;
    this.#backlog?.clear();
    this.#backlog = undefined;
    this.#error = error;
    this.#serve();
  }

  #forgetWaiter(): void {
    this.#firstWaiting += 1;
    if (this.#firstWaiting === this.#waiting.length) this.#forgetWaiting();
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
