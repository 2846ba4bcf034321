import { invalidOption } from '../errors/invalid-option.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import type { ResolvedSettings, ResolveSettingsOptions } from './types.js';

/**
 * The settings that a run would see: user, project and local files and the policy of this machine, merged as
 * the CLI merges them. Starts no process and writes nothing.
 *
 * A file that cannot be used is left out, and so is one in which a value cannot be used; a policy loses only that value.
 * `leftOut` says what did not count and why, down to a single permission rule. `permissions.defaultMode` is reported as it stands:
 * {@link filterEscalatingDefaultMode} takes out a mode that the CLI would not grant.
 *
 * @throws InvalidOptionError, as a rejection: an option has the wrong type.
 * @see docs/settings.md in the repository
 */
export async function resolveSettings(
  options: ResolveSettingsOptions = {},
): Promise<ResolvedSettings> {
  validate(options);
  const { readAllSettings } = await import('./read-all-settings.js');
  return await readAllSettings(options);
}

function validate(options: unknown): asserts options is ResolveSettingsOptions {
  const refuse = (option: string, expected: string, value: unknown): never => {
    throw invalidOption(option, expected, value);
  };
  if (!isJsonObject(options)) refuse('options', 'an object', options);
  const { cwd, settingSources, managedSettings, serverManagedSettings } = options as JsonObject;
  if (cwd !== undefined && typeof cwd !== 'string') refuse('cwd', 'a path', cwd);
  if (settingSources !== undefined && settingSources !== null && !Array.isArray(settingSources)) {
    refuse('settingSources', "a list of 'user', 'project' and 'local'", settingSources);
  }
  for (const each of (settingSources ?? []) as unknown[]) {
    if (typeof each !== 'string') refuse('settingSources', 'a list of strings', each);
  }
  for (const [option, value] of Object.entries({ managedSettings, serverManagedSettings })) {
    if (value !== undefined && value !== null && !isJsonObject(value)) {
      refuse(option, 'an object', value);
    }
  }
}
