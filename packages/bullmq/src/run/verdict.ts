import type { Outcome } from 'claudewire';
import type { RetryPolicy } from './profile.js';

/** What becomes of a job after a run. */
export type Verdict =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** @param why - Beside the outcome's own message. */
  | { readonly kind: 'fail'; readonly why?: string };

/**
 * `outcomeOf()` does not call these retryable, since tools may have run half way. Here a retry resumes, knows which calls
 * were cut, and asks the profile about them.
 */
const RESUMABLE = new Set<Outcome['kind']>(['crashed', 'incomplete']);

/** @param attempts - Runs that were made, with this one. */
export function verdictOn(outcome: Outcome, attempts: number, policy: Required<RetryPolicy>): Verdict {
  if (outcome.kind === 'completed') return { kind: 'done' };
  if (!outcome.retryable && !RESUMABLE.has(outcome.kind)) return { kind: 'fail' };
  if (attempts >= policy.attempts) return { kind: 'fail', why: `after ${attempts} attempts` };
  const delayMs = outcome.retryAfterMs ?? backoff(attempts, policy);
  if (delayMs <= policy.maxWaitMs) return { kind: 'retry', delayMs };
  return { kind: 'fail', why: `and a retry would have to wait for ${Math.round(delayMs / 1000)} s` };
}

/** Exponential, without chance: jobs that failed together are spread by the workers' concurrency. */
export function backoff(attempts: number, { delayMs, maxDelayMs }: Required<RetryPolicy>): number {
  return Math.min(delayMs * 2 ** Math.min(attempts - 1, 31), maxDelayMs);
}
