import type { RetryAdvice } from './adapter-error.js';

type Retry = RetryAdvice['retry'];

/** @param retryAfterMs - Milliseconds; `null` when nobody said. */
export function advise(
  retry: Retry,
  action: string,
  retryAfterMs: number | null = null,
): RetryAdvice {
  return { retry, retryAfterMs, action };
}

export const RESUME =
  'Resume the session of `partial.cliSessionId`, or repeat the call when doing the work twice does no harm.';
