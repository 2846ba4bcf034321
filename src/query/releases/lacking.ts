import { isFromRelease } from '../../util/cli-versions.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import type { DeniedForm, Feature, NamedUse } from './feature.js';
import { FEATURES, OLDEST_RELEASE } from './honoured.js';
import { matcherUses, withOlderNames } from './older-rules.js';

/* What a release does not honour: of a plan, and at all. */

/** What a plan uses and a release does not honour. */
export function lacking(release: string, plan: LaunchPlan): readonly Feature[] {
  return FEATURES.filter((feature) => !isHonoured(feature, release) && isUsed(feature, plan));
}

export function isHonoured({ since = OLDEST_RELEASE, except = [] }: Feature, release: string): boolean {
  return isFromRelease(release, since) && !except.some(([first, last]) => isBetween(release, first, last));
}

function isBetween(release: string, first: string, last: string): boolean {
  return isFromRelease(release, first) && isFromRelease(last, release);
}

/** What a release needs to be for it, as a sentence has it. */
export function neededBy({ since, except = [] }: Feature): string {
  const ranges = except.map((range) => range.join(' to ')).join(' or ');
  if (since === undefined) return `a release other than ${ranges}`;
  return ranges === '' ? `${since} or newer` : `${since} or newer, but not ${ranges}`;
}

/** The forms of rules that the release does not understand, and that have an older one. */
export function olderForms(release: string): ReadonlySet<DeniedForm> {
  const lacked = FEATURES.filter((feature) => feature.otherwise === 'olderRules' && !isHonoured(feature, release));
  return new Set(lacked.map(({ use }) => use.slice('denied '.length) as DeniedForm));
}

/** Whether the arguments have a flag that not every release knows. */
export function usesNewFlags(plan: LaunchPlan): boolean {
  return FEATURES.some((feature) => feature.use.startsWith('--') && isUsed(feature, plan));
}

function isUsed({ use }: Feature, { args, initialize, reliance }: LaunchPlan): boolean {
  if (use.startsWith('--')) return args.some((token) => isFlag(token, use));
  const [, field, list] = /^initialize\.(\w+)(\[\])?$/.exec(use) ?? [];
  if (field === undefined) return reliance.named.some((name) => name === use);
  return list === undefined ? initialize[field] !== undefined : Array.isArray(initialize[field]);
}

/** @param use - Ends with `=` where the flag has any value. A flag in `extraArgs` has its value in the next argument. */
export function isFlag(token: string | undefined, use: string): boolean {
  return use.endsWith('=') ? token?.startsWith(use) === true : token === use;
}

/** The matcher of a hook as the release reads it. The same where it reads it as it is. */
export function olderMatcher(matcher: unknown, release: string): unknown {
  if (typeof matcher !== 'string') return matcher;
  const uses = matcherUses(matcher);
  const isLacked = FEATURES.some((feature) => uses.includes(feature.use as NamedUse) && !isHonoured(feature, release));
  return isLacked ? withOlderNames(matcher) : matcher;
}
