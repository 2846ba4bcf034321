import type { LaunchPlan } from './launch/plan.js';

/** Flags by which a process begins with a session that has used something, or may be given one. */
const WITH_HISTORY = /^--(?:resume|continue|from-pr|teleport|await-claim)(?:=|$)|^-[rc]$/;

/**
 * Whether the CLI's running totals may begin with what was used before this run. Nobody knows it of a custom transport.
 */
export function maySpendBefore({ args, means }: Pick<LaunchPlan, 'args' | 'means'>): boolean {
  return means.transport !== undefined || args.some((arg) => WITH_HISTORY.test(arg));
}
