import type { DriverHello } from '../driver/driver-protocol.js';
import type { ScenarioResult } from './results.js';

/** What the drivers that `init` writes name, until an SDK is there. */
const STAND_IN = 'mini-host';

/** The small host of a template is no SDK, so nothing that it fails is held against one. */
export function withoutStandIn(result: ScenarioResult, hello: DriverHello | undefined): ScenarioResult {
  if (result.status !== 'failed' || hello?.sdk !== STAND_IN) return result;
  const { stderr: _, reason, ...rest } = result;
  const advice = 'Put your SDK in its place, and its name into the hello of the driver.';
  return {
    ...rest,
    status: 'unsupported',
    missing: ['an SDK'],
    reason: `\`${STAND_IN}\` stands in for an SDK, and cannot do this: ${reason}. ${advice}`,
  };
}
