import type { LaunchPlan } from '../launch/launch-plan.js';
import { readSettings, settingsFilesOf } from './settings-files.js';

/**
 * The settings file by which the CLI of a plan would switch hooks off. `undefined`: none does, or inline settings
 * decide. Reads files: for releases that do not call callbacks then.
 */
export function fileThatSwitchesHooksOff(plan: LaunchPlan): string | undefined {
  const { managed, own } = settingsFilesOf(plan);
  // The first that says something decides.
  const places = typeof plan.reliance.settings.inline.disableAllHooks === 'boolean' ? managed : [...managed, ...own];
  const deciding = places.find((path) => switchIn(path) !== undefined);
  return deciding !== undefined && switchIn(deciding) === true ? deciding : undefined;
}

function switchIn(file: string): boolean | undefined {
  const { disableAllHooks } = readSettings(file);
  return typeof disableAllHooks === 'boolean' ? disableAllHooks : undefined;
}
