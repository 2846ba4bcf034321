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
export function isFailure({ status }: ScenarioResult): boolean {
  return status === 'failed' || status === 'driver_error';
}
