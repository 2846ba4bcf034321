import type { Requirement } from '../data/conformance-data.js';
import { requireSuite, type SuiteResult } from '../runner/results.js';

/** `untested`: no scenario of it was run. `unsupported`: none that was run could be. */
export type RequirementStatus = 'passed' | 'failed' | 'unsupported' | 'untested';

/** What a driver's results say about one requirement. One failure is enough for `failed`. */
export function requirementStatus(suite: SuiteResult, id: string): RequirementStatus {
  requireSuite('requirementStatus', suite);
  const { results } = suite;
  const statuses = results.filter(({ requirements }) => requirements.includes(id)).map(({ status }) => status);
  if (statuses.includes('failed') || statuses.includes('driver_error')) return 'failed';
  if (statuses.includes('passed')) return 'passed';
  return statuses.length > 0 ? 'unsupported' : 'untested';
}

/** True for what an SDK MUST do; a SHOULD or a MAY is advice. */
export function isMust({ text }: Requirement): boolean {
  return /\bMUST\b/.test(text) || !/\b(?:SHOULD|MAY)\b/.test(text);
}
