import { invalidArgument, requireObject } from '../../errors/invalid-option.js';
import type { DriverHello } from '../driver/driver-protocol.js';
import type { ScenarioResult } from './scenario-result.js';

/** What came of the suite with one driver. */
export interface SuiteResult {
  /** What the caller called it, else what it called itself. */
  readonly name: string;
  /** `undefined`: it never started. */
  readonly hello: DriverHello | undefined;
  /** In the order of the data; scenarios that were not run (`bail`, abort) are not in it. */
  readonly results: readonly ScenarioResult[];
  readonly ms: number;
}

/** True for a result that counts against the SDK or its driver. */
export function isFailure(result: ScenarioResult): boolean {
  const cure = 'Pass one of the `results` of what runSuite() resolves to.';
  requireObject('result', 'isFailure() takes a ScenarioResult', result, cure);
  const { status } = result;
  return status === 'failed' || status === 'driver_error';
}

/** @throws InvalidOptionError it is no result of a suite. */
export function requireSuite(call: string, suite: SuiteResult): void {
  const cure = 'Pass what runSuite() resolves to.';
  requireObject('suite', `${call}() takes a SuiteResult`, suite, cure, { results: 'list' });
}

/** @throws InvalidOptionError it is no list of results of suites. */
export function requireSuites(call: string, suites: readonly SuiteResult[]): void {
  if (!Array.isArray(suites)) {
    const cure = 'Pass `[await runSuite(options)]`.';
    throw invalidArgument('suites', `${call}() takes an array of SuiteResults`, suites, cure);
  }
  for (const suite of suites) requireSuite(call, suite);
}
