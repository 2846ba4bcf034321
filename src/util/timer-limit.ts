/** The longest delay a Node timer takes, in milliseconds (24.8 days). A longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** A time limit that timers can keep: `0`, and more than a timer can hold, is `Infinity`. */
export function toTimerLimit(ms: number): number {
  return ms === 0 || ms > MAX_TIMER_MS ? Number.POSITIVE_INFINITY : ms;
}
