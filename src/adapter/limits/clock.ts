import { MAX_TIMER_MS } from '../../util/timer-limit.js';

/** The source of time. Tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that never goes back. */
  monotonic(): number;
  /**
   * Calls `fn` once, after `ms` milliseconds. Node's limit of 2^31 - 1 does not apply. Does not keep the process alive.
   * @returns cancels the timer. Safe to call twice.
   */
  setTimer(ms: number, fn: () => void): () => void;
}

/** The machine's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (ms, fn) => {
    let left = Number.isNaN(ms) ? 0 : Math.max(0, ms);
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      // Node fires a longer delay at once, so a long wait is a chain of waits.
      const delay = Math.min(left, MAX_TIMER_MS);
      left -= delay;
      timer = setTimeout(() => (left > 0 ? arm() : fn()), delay);
      timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
  },
};
