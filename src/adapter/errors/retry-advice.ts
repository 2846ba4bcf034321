/** Whether trying again can help, and what has to happen before. */
export interface RetryAdvice {
  /**
   * `safe`: the same call may be repeated as it is. `after_change`: not before something the error names was changed.
   * `unsafe`: it may work, but part of the work was done already. `never`: the same call fails again.
   */
  readonly retry: 'safe' | 'unsafe' | 'after_change' | 'never';
  /** Milliseconds to wait before; `null` when nobody said. */
  readonly retryAfterMs: number | null;
  /** What to do, as one sentence. */
  readonly action: string;
}

/** @param retryAfterMs - Milliseconds; `null` when nobody said. */
export function advise(retry: RetryAdvice['retry'], action: string, retryAfterMs: number | null = null): RetryAdvice {
  return { retry, retryAfterMs, action };
}

export const RESUME =
  'Resume the session of `partial.cliSessionId`, or repeat the call when doing the work twice does no harm.';
