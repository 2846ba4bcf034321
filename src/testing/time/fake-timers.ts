type Run = (...args: unknown[]) => void;

/** One timer, as Node's own `Timeout` looks to its users. */
class FakeTimeout {
  at: number;
  readonly order: number;
  readonly run: () => void;
  readonly everyMs: number | undefined;
  readonly #timers: FakeTimers;
  readonly #delayMs: number;

  constructor(
    timers: FakeTimers,
    fields: { order: number; delayMs: number; repeats: boolean; run: () => void },
  ) {
    this.#timers = timers;
    this.#delayMs = fields.delayMs;
    this.order = fields.order;
    this.run = fields.run;
    this.everyMs = fields.repeats ? fields.delayMs : undefined;
    this.at = timers.now + fields.delayMs;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    this.at = this.#timers.now + this.#delayMs;
    this.#timers.add(this);
    return this;
  }

  close(): this {
    this.#timers.clearTimeout(this);
    return this;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  [Symbol.toPrimitive](): number {
    return this.order;
  }
}

const MAX_DELAY_MS = 2 ** 31 - 1;
const realClearTimeout = globalThis.clearTimeout;

/** Timers that run when they are told to, in the order they are due. */
export class FakeTimers {
  /** Milliseconds since the start. */
  now = 0;
  readonly #queue = new Set<FakeTimeout>();
  #count = 0;

  /** When the next timer is due; `Infinity` when there is none. */
  get nextAt(): number {
    return this.#next()?.at ?? Number.POSITIVE_INFINITY;
  }

  add(timer: FakeTimeout): void {
    this.#queue.add(timer);
  }

  clear(): void {
    this.#queue.clear();
  }

  /** Moves to the next timer and runs it. */
  runNext(): void {
    const timer = this.#next();
    if (timer === undefined) return;
    this.now = Math.max(this.now, timer.at);
    if (timer.everyMs === undefined) this.#queue.delete(timer);
    else timer.at = this.now + timer.everyMs;
    timer.run();
  }

  readonly setTimeout = (run: Run, ms?: number, ...args: unknown[]): FakeTimeout =>
    this.#set(() => run(...args), ms, false);

  readonly setInterval = (run: Run, ms?: number, ...args: unknown[]): FakeTimeout =>
    this.#set(() => run(...args), ms, true);

  readonly clearTimeout = (timer: unknown): void => {
    if (timer instanceof FakeTimeout) this.#queue.delete(timer);
    // One that was set before time became virtual.
    else if (typeof timer === 'object' && timer !== null) realClearTimeout(timer as NodeJS.Timeout);
    else for (const each of this.#queue) if (each.order === Number(timer)) this.#queue.delete(each);
  };

  /** The `setTimeout` of `node:timers/promises`. */
  readonly wait = <T>(
    ms?: number,
    value?: T,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const abort = (): void => {
        this.clearTimeout(timer);
        reject(
          Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), {
            name: 'AbortError',
            code: 'ABORT_ERR',
          }),
        );
      };
      const timer = this.setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      }, ms);
      if (signal?.aborted === true) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });

  #set(run: () => void, ms: number | undefined, repeats: boolean): FakeTimeout {
    this.#count += 1;
    const isDelay = ms !== undefined && ms >= 1 && ms <= MAX_DELAY_MS;
    // As Node does: what cannot be a delay is 1 ms.
    const delayMs = isDelay ? ms : 1;
    const timer = new FakeTimeout(this, { order: this.#count, delayMs, repeats, run });
    this.#queue.add(timer);
    return timer;
  }

  #next(): FakeTimeout | undefined {
    let next: FakeTimeout | undefined;
    for (const timer of this.#queue) {
      if (next === undefined || timer.at < next.at) next = timer;
    }
    return next;
  }
}
