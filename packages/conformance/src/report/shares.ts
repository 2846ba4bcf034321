import { isChoice } from '../driver/known-features.js';
import { isFailure, type ScenarioResult } from '../runner/results.js';

/** How much of some scenarios an SDK passed. */
export interface Share {
  readonly passed: number;
  readonly failed: number;
  /** It cannot be asked for them: it lacks a feature. */
  readonly unsupported: number;
  /** All of these: without those that only ask for a way that this SDK does not go. */
  readonly all: number;
}

export function shareOf(results: readonly ScenarioResult[]): Share {
  const count = (test: (result: ScenarioResult) => boolean): number => results.filter(test).length;
  const passed = count(({ status }) => status === 'passed');
  const failed = count(isFailure);
  const unsupported = count((result) => result.status === 'unsupported' && !asksForChoice(result));
  return { passed, failed, unsupported, all: passed + failed + unsupported };
}

/** It asks for a way that this SDK does not go, or for a limit that it does not have: no SDK has all of them. */
export function asksForChoice({ missing = [] }: ScenarioResult): boolean {
  return missing.length > 0 && missing.every(isChoice);
}

/** The driver said itself that it cannot, in words of its own. Otherwise it lacks a feature. */
export function isAnswered({ status, details }: ScenarioResult): boolean {
  return status === 'unsupported' && details !== undefined;
}

/** Rounded down: 100 % is all of it. */
export function percent({ passed, all }: Share): string {
  return all === 0 ? '–' : `${Math.floor((passed / all) * 100)} %`;
}
