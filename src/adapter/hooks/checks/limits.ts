import type { HookRun } from '../hook-run.js';
import { type Check, deny } from './check.js';

/** The limit that leaves no room for another call. Tokens may be used up to the limit, not beyond. */
export function reachedLimit({ deadline, budgetTracker }: HookRun) {
  if (deadline?.isExpired() === true) {
    return { reason: 'Deadline exceeded', logEvent: 'hook.deadline_exceeded' };
  }
  if (budgetTracker?.isExhausted() === true) {
    return { reason: 'Token budget exhausted', logEvent: 'hook.budget_exhausted' };
  }
  return undefined;
}

export const checkLimits: Check = async (_call, run) => {
  // The question overtakes the messages that came before it, and they tell what was used: first they are read.
  if (run.budgetTracker !== undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    await run.usageKnown?.();
  }
  const limit = reachedLimit(run);
  return limit && deny(limit.reason, limit.logEvent);
};
