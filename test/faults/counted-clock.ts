import { type VirtualTime, virtualTime } from '../../src/testing/virtual-time.js';

type SetTimer = (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => Timer;
interface Timer {
  refresh(): Timer;
}

/** Virtual time that knows which timers of the program under test are still set. */
export class CountedClock implements Disposable {
  readonly #time: VirtualTime = virtualTime();
  readonly #live = new Map<unknown, string>();
  readonly #peerTimeout = globalThis.setTimeout as unknown as SetTimer;

  constructor() {
    const setVirtual = this.#peerTimeout;
    const clearVirtual = globalThis.clearTimeout;
    const setCounted: SetTimer = (run, ms, ...args) => {
      const where = new Error('set here').stack ?? '';
      const timer = setVirtual(() => {
        this.#live.delete(timer);
        run(...args);
      }, ms);
      const refresh = timer.refresh.bind(timer);
      timer.refresh = () => {
        this.#live.set(timer, where);
        return refresh();
      };
      this.#live.set(timer, where);
      return timer;
    };
    const clearCounted = (timer: unknown): void => {
      this.#live.delete(timer);
      clearVirtual(timer as NodeJS.Timeout);
    };
    Object.assign(globalThis, { setTimeout: setCounted, clearTimeout: clearCounted });
  }

  get elapsedMs(): number {
    return this.#time.elapsedMs;
  }

  /** Where each timer that still runs was set. */
  get liveTimers(): readonly string[] {
    return [...this.#live.values()];
  }

  /** A timer of the peer or of the test: not counted. */
  readonly later = (ms: number, run: () => void): void => void this.#peerTimeout(run, ms);

  readonly wait = (ms: number): Promise<void> => new Promise((resolve) => this.later(ms, resolve));

  until<T>(promise: Promise<T>, maxMs: number): Promise<T> {
    return this.#time.until(promise, maxMs);
  }

  advance(ms: number): Promise<void> {
    return this.#time.advance(ms);
  }

  [Symbol.dispose](): void {
    this.#time.restore();
  }
}
