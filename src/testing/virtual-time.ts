import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { ClaudeSDKError } from '../errors.js';
import { FakeTimers } from './time/fake-timers.js';
import { MAX_REAL_WAIT_MS, quiet } from './time/quiet.js';

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
};
const realPromises = { setTimeout: timersPromises.setTimeout };
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
   *
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
 * `node:timers/promises`, `Date`, `performance.now()`. The SDK's time-outs, the application's retries and the delays
 * of a script that plays in process then pass when the test says so.
 *
 * One at a time in a process: not for tests that run concurrently. `AbortSignal.timeout()` stays real, and so do
 * subprocesses: use `scriptedCli(script, { inProcess: true })`, made after this call.
 *
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
    if (fake.nextAt > endAt) {
      throw new ClaudeSDKError('The promise did not settle in time', 'deadline_exceeded');
    }
    if (fake.nextAt !== Number.POSITIVE_INFINITY) {
      fake.runNext();
      giveUpAt = realPerformanceNow() + MAX_REAL_WAIT_MS;
    } else if (realPerformanceNow() > giveUpAt) {
      throw new ClaudeSDKError(
        'The promise did not settle, and no timer is left that could help',
        'deadline_exceeded',
      );
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
  Object.assign(globalThis, replaced);
  Object.assign(timers, replaced);
  Object.assign(timersPromises, { setTimeout: fake.wait });
  syncBuiltinESMExports();
  const now = (): number => startedAt + fake.now;
  globalThis.Date = virtualDate(now);
  // What `new Date().constructor` is.
  RealDate.prototype.constructor = globalThis.Date;
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

function uninstall(): void {
  Object.assign(globalThis, real);
  Object.assign(timers, real);
  Object.assign(timersPromises, realPromises);
  syncBuiltinESMExports();
  globalThis.Date = RealDate;
  RealDate.prototype.constructor = RealDate;
  // The method is the prototype's: take the replacement away.
  Reflect.deleteProperty(performance, 'now');
}
