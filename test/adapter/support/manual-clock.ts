import type { Clock } from '../../../src/adapter/limits/clock.js';

/** A clock that stands still until it is turned. */
export class ManualClock implements Clock {
  #now: number;
  #ms = 0;
  readonly #timers = new Set<{ readonly at: number; readonly fn: () => void }>();
  /** Turned at once when the next timer is set. */
  #onArmed = 0;

  constructor(now = Date.UTC(2030, 0, 1)) {
    this.#now = now;
  }

  /** How many timers wait. */
  get armed(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now + this.#ms;
  }

  monotonic(): number {
    return this.#ms;
  }

  setTimer(ms: number, fn: () => void): () => void {
    const timer = { at: this.#ms + ms, fn };
    this.#timers.add(timer);
    const due = this.#onArmed;
    this.#onArmed = 0;
    if (due > 0) queueMicrotask(() => this.advance(due));
    return () => void this.#timers.delete(timer);
  }

  /** Milliseconds. Runs what is due, in order. */
  advance(ms: number): void {
    const end = this.#ms + ms;
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#ms = Math.max(this.#ms, next.at);
      this.#timers.delete(next);
      next.fn();
    }
    this.#ms = end;
  }

  /** Advances as soon as somebody sets the next timer. */
  advanceWhenArmed(ms: number): void {
    this.#onArmed = ms;
  }
}
