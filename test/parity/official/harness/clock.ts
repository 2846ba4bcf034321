/**
 * A clock that rows can stop. It is put in place before the package under test is loaded, so that whatever way
 * a package takes to its timers (the globals, `node:timers`), a stopped clock is stopped for it: waits of
 * minutes take none, in the same way for every package.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';

/**
 * Waits that a machine with other things to do may outlast, in milliseconds, and what they are here: for the manifests
 * of in-process servers, for a CLI to leave after its input ended. What is seen must not depend on the load. Rows
 * about these waits stop the clock, or turn this off.
 */
const STRETCHED: ReadonlyMap<unknown, number> = new Map(
  process.env.PARITY_REAL_TIMERS === '1'
    ? []
    : [
        [250, 3000],
        [2000, 8000],
      ],
);

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly everyMs: number | undefined;
  readonly call: () => void;
}

const real = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clearTimeout: globalThis.clearTimeout,
  clearInterval: globalThis.clearInterval,
  now: performance.now.bind(performance),
  date: Date.now.bind(Date),
};

/** What a timer call gives back while the clock is stopped; has what callers use of Node's. */
class StoppedTimer {
  unref(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  refresh(): this {
    return this;
  }
  close(): this {
    entries.delete(this);
    return this;
  }
  [Symbol.dispose](): void {
    entries.delete(this);
  }
}

const entries = new Map<StoppedTimer, Entry>();
let elapsed: number | undefined;
let stoppedAt = 0;
let orders = 0;

function add(call: () => void, ms: number, everyMs: number | undefined): StoppedTimer {
  const timer = new StoppedTimer();
  orders += 1;
  entries.set(timer, { at: (elapsed ?? 0) + Math.max(ms, 1), order: orders, everyMs, call });
  return timer;
}

function replace(name: 'setTimeout' | 'setInterval', isRepeated: boolean): void {
  const original = real[name] as (...args: unknown[]) => unknown;
  const replaced = (call: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): unknown => {
    if (elapsed === undefined) return original(call, STRETCHED.get(ms) ?? ms, ...args);
    const delay = Number(ms) || 0;
    return add(() => call(...args), delay, isRepeated ? Math.max(delay, 1) : undefined);
  };
  // util.promisify(setTimeout) takes the road of the original: no package under test takes it while it is stopped.
  Object.defineProperties(replaced, Object.getOwnPropertyDescriptors(original));
  Reflect.set(globalThis, name, replaced);
  Reflect.set(timers, name, replaced);
}

function replaceClear(name: 'clearTimeout' | 'clearInterval'): void {
  const original = real[name];
  const replaced = (timer: unknown): void => {
    if (timer instanceof StoppedTimer) entries.delete(timer);
    else original(timer as NodeJS.Timeout);
  };
  Reflect.set(globalThis, name, replaced);
  Reflect.set(timers, name, replaced);
}

replace('setTimeout', false);
replace('setInterval', true);
replaceClear('clearTimeout');
replaceClear('clearInterval');
performance.now = () => elapsed ?? real.now();
Date.now = () => (elapsed === undefined ? real.date() : stoppedAt + elapsed);
syncBuiltinESMExports();

/** The next entry that is due until then. */
function due(until: number): [StoppedTimer, Entry] | undefined {
  let first: [StoppedTimer, Entry] | undefined;
  for (const candidate of entries) {
    const [, { at, order }] = candidate;
    if (at > until) continue;
    if (!first || at < first[1].at || (at === first[1].at && order < first[1].order)) {
      first = candidate;
    }
  }
  return first;
}

function fire([timer, entry]: [StoppedTimer, Entry]): void {
  elapsed = entry.at;
  if (entry.everyMs === undefined) entries.delete(timer);
  else entries.set(timer, { ...entry, at: entry.at + entry.everyMs });
  entry.call();
}

export const clock = {
  get isStopped(): boolean {
    return elapsed !== undefined;
  },
  /** From here on time passes only by `advance`; `performance.now()` begins at 0. */
  stop(): void {
    stoppedAt = real.date();
    elapsed = 0;
  },
  /** Goes on as ever. What was set while it was stopped is dropped. */
  start(): void {
    elapsed = undefined;
    entries.clear();
  },
  advance(ms: number): void {
    const until = (elapsed ?? 0) + ms;
    for (let next = due(until); next; next = due(until)) fire(next);
    elapsed = until;
  },
  /** The same, letting promises and pipes go on between two timers. */
  async advanceAsync(ms: number): Promise<void> {
    const until = (elapsed ?? 0) + ms;
    await settle();
    for (let next = due(until); next; next = due(until)) {
      fire(next);
      await settle();
    }
    elapsed = until;
    await settle();
  },
  /** Waits that long whether or not the clock is stopped. */
  realDelay(ms: number): Promise<void> {
    return new Promise((resolve) => void real.setTimeout(resolve, ms));
  },
};

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
