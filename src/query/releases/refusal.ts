import { CLIVersionError } from '../../errors.js';
import { isFromRelease } from '../../util/cli-versions.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import { OLDEST_RELEASE } from './honoured.js';
import { settingsIn } from './known-settings.js';
import { lacking, neededBy } from './lacking.js';

/** The error of a run that a release cannot serve. `undefined`: it can. */
export function refusalOf(release: string, plan: LaunchPlan): CLIVersionError | undefined {
  if (!isFromRelease(release, OLDEST_RELEASE)) return new CLIVersionError(release, `${OLDEST_RELEASE} or newer`);
  const refused = lacking(release, plan).find(({ otherwise }) => otherwise === 'refuse');
  if (refused !== undefined) return new CLIVersionError(release, neededBy(refused), refused.option);
  const setting = settingsIn(plan, release).find((each) => each.refused !== undefined)?.refused;
  return setting && new CLIVersionError(release, `${setting.since} or newer`, setting.option);
}
