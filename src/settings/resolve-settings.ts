import { requireOption } from '../errors/invalid-option.js';
import { arrayOf, nullOr, object, string, type Validator } from '../util/validate.js';
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

const VALIDATORS: { readonly [K in keyof Required<ResolveSettingsOptions>]: Validator } = {
  cwd: string,
  settingSources: nullOr(arrayOf(string)),
  managedSettings: nullOr(object),
  serverManagedSettings: nullOr(object),
};

function validate(options: ResolveSettingsOptions): void {
  requireOption(object, options, 'options');
  for (const [name, validator] of Object.entries(VALIDATORS)) {
    const value = options[name as keyof ResolveSettingsOptions];
    if (value !== undefined) requireOption(validator, value, name);
  }
}
