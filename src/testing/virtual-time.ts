import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { invalidOption } from '../errors/usage-errors.js';
import { ClaudeSDKError } from '../errors.js';
import { MAX_TIMER_MS } from '../util/timer-limit.js';
import { MAX_REAL_WAIT_MS, quiet } from './scripted/play-host.js';

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
};
const realWait = timersPromises.setTimeout;
const realNow = Date.now;
const RealDate = Date;
const realPerformanceNow = performance.now.bind(performance);

const DAY_MS = 24 * 60 * 60 * 1000;

/** Time that a test moves. */
export interface VirtualTime extends Disposable {
  /** Virtual milliseconds that have passed. */
  readonly elapsedMs: number;
  /** Moves time, and runs what comes due, in order, with everything that follows from it. */
  advance(ms: number): Promise<void>;
  /**
   * Waits for the promise, and moves time on whenever nothing else happens.
   * @param maxMs - Virtual milliseconds, at most. @defaultValue one day
   * @throws what the promise rejects with.
   * @throws ClaudeSDKError (`deadline_exceeded`) `maxMs` passed, or nothing is left that could settle the promise.
   */
  until<T>(promise: Promise<T>, maxMs?: number): Promise<T>;
  /** Real time again. The same as leaving the scope of `using`. Timers that were set are dropped. */
  restore(): void;
}

let active: VirtualTime | undefined;

/**
 * Replaces the clock of this process: `setTimeout`, `setInterval`, those of `node:timers` and the `setTimeout` of
 * `node:timers/promises`, `Date`, `performance.now()`. The SDK's time-outs, the application's retries and the delays of
 * a script that plays in process then pass when the test says so.
 *
 * One at a time in a process: not for tests that run concurrently. `AbortSignal.timeout()` stays real, and so do
 * subprocesses: use `scriptedCli(script, { inProcess: true })`, made after this call.
 * @throws ClaudeSDKError (`invalid_option`) virtual time is on already.
 * @example
 * using time = virtualTime();
 * await using cli = scriptedCli(({ outcome, prompt }) => [prompt(), outcome.overloaded()], { inProcess: true });
 * await time.until(myApp({ query: cli.query })); // its pauses take no time
 */
export function virtualTime(): VirtualTime {
  if (active !== undefined) {
    throw new ClaudeSDKError('Virtual time is on already', 'invalid_option', {
      hint: 'Restore the one before, and do not run these tests concurrently.',
    });
  }
  const startedAt = realNow();
  const performanceStartedAt = realPerformanceNow();
  const fake = new FakeTimers();
  install(fake, startedAt, performanceStartedAt);
  const advance = async (ms: number): Promise<void> => {
    const end = fake.now + ms;
    await quiet();
    while (fake.nextAt <= end) {
      fake.runNext();
      await quiet();
    }
    fake.now = end;
  };
  const time: VirtualTime = {
    get elapsedMs() {
      return fake.now;
    },
    advance,
    until: (promise, maxMs = DAY_MS) => runUntil(fake, promise, fake.now + maxMs),
    restore() {
      if (active !== time) return;
      active = undefined;
      fake.clear();
      uninstall();
    },
    [Symbol.dispose]() {
      time.restore();
    },
  };
  active = time;
  return time;
}

/** A subprocess would run on a clock of its own, and its time-outs would fire at once. @throws InvalidOptionError virtual time is on. */
export function requireRealTime(): void {
  if (active === undefined) return;
  const hint = 'Pass `{ inProcess: true }`, or restore the time before.';
  throw invalidOption('inProcess', 'true while virtual time is on: a process has a clock of its own', false, hint);
}

async function runUntil<T>(fake: FakeTimers, promise: Promise<T>, endAt: number): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  let giveUpAt = realPerformanceNow() + MAX_REAL_WAIT_MS;
  for (;;) {
    await quiet();
    if (isSettled) return promise;
    if (fake.nextAt > endAt) throw new ClaudeSDKError('The promise did not settle in time', 'deadline_exceeded');
    if (fake.nextAt !== Number.POSITIVE_INFINITY) {
      fake.runNext();
      giveUpAt = realPerformanceNow() + MAX_REAL_WAIT_MS;
    } else if (realPerformanceNow() > giveUpAt) {
      throw new ClaudeSDKError('The promise did not settle, and no timer is left that could help', 'deadline_exceeded');
    }
  }
}

function install(fake: FakeTimers, startedAt: number, performanceStartedAt: number): void {
  const replaced = {
    setTimeout: Object.assign(fake.setTimeout, {
      // What `util.promisify(setTimeout)` gives.
      [Symbol.for('nodejs.util.promisify.custom')]: fake.wait,
    }),
    clearTimeout: fake.clearTimeout,
    setInterval: fake.setInterval,
    clearInterval: fake.clearTimeout,
  };
  replaceClock(
    replaced,
    fake.wait,
    virtualDate(() => startedAt + fake.now),
  );
  performance.now = () => performanceStartedAt + fake.now;
}

/**
 * The real `Date` with another now: its dates are real dates, and real ones are its instances. No proxy: a spy on
 * `Date.now` must not reach the real one.
 */
function virtualDate(now: () => number): DateConstructor {
  function VirtualDate(...args: readonly unknown[]): unknown {
    if (new.target === undefined) return new RealDate(now()).toString();
    // Without arguments it is now; with some it is what the real one makes of them.
    return Reflect.construct(RealDate, args.length === 0 ? [now()] : args, new.target);
  }
  Object.setPrototypeOf(VirtualDate, RealDate);
  Object.defineProperty(VirtualDate, 'name', { value: RealDate.name });
  return Object.assign(VirtualDate, { prototype: RealDate.prototype, now }) as DateConstructor;
}

function replaceClock(functions: object, wait: unknown, date: DateConstructor): void {
  Object.assign(globalThis, functions);
  Object.assign(timers, functions);
  Object.assign(timersPromises, { setTimeout: wait });
  syncBuiltinESMExports();
  globalThis.Date = date;
  // What `new Date().constructor` is.
  RealDate.prototype.constructor = date;
}

function uninstall(): void {
  replaceClock(real, realWait, RealDate);
  // The method is the prototype's: take the replacement away.
  Reflect.deleteProperty(performance, 'now');
}

type Run = (...args: unknown[]) => void;

/** One timer, as Node's own `Timeout` looks to its users. */
class FakeTimeout {
  at: number;
  readonly order: number;
  readonly run: () => void;
  readonly everyMs: number | undefined;
  readonly #timers: FakeTimers;
  readonly #delayMs: number;

  constructor(timers: FakeTimers, fields: { order: number; delayMs: number; repeats: boolean; run: () => void }) {
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

/** Timers that run when they are told to, in the order they are due. */
class FakeTimers {
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
    else if (typeof timer === 'object' && timer !== null) real.clearTimeout(timer as NodeJS.Timeout);
    else for (const each of this.#queue) if (each.order === Number(timer)) this.#queue.delete(each);
  };

  /** The `setTimeout` of `node:timers/promises`. */
  readonly wait = <T>(ms?: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const abort = (): void => {
        this.clearTimeout(timer);
        const error = new Error('The operation was aborted', { cause: signal?.reason });
        reject(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }));
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
    // As Node does: what cannot be a delay is 1 ms.
    const delayMs = ms !== undefined && ms >= 1 && ms <= MAX_TIMER_MS ? ms : 1;
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
