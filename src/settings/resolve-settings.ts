import { requireOption } from '../errors/usage-errors.js';
import { InvalidOptionError } from '../errors.js';
import type { Settings } from '../query/options/extension-options.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject } from '../util/json.js';
import { arrayOf, nullOr, object, string, type Validator } from '../util/validate.js';
import type { ResolvedSettingSource, ResolvedSettings, ResolveSettingsOptions } from './types.js';

/**
 * The settings that a run would see: user, project and local files and the policy of this machine, merged as the CLI
 * merges them. Starts no process and writes nothing.
 *
 * A file that cannot be used is left out, and so is one in which a value cannot be used; a policy loses only that
 * value. `leftOut` says what did not count and why, down to a single permission rule. `permissions.defaultMode` is
 * reported unchanged: {@link filterEscalatingDefaultMode} takes out a mode that the CLI would not grant.
 * @throws InvalidOptionError, as a rejection: an option has the wrong type.
 * @see docs/reference/settings.md in the repository
 */
export async function resolveSettings(options: ResolveSettingsOptions = {}): Promise<ResolvedSettings> {
  requireOption(object, options, 'options');
  for (const [name, validator] of Object.entries(VALIDATORS)) {
    const value = options[name as keyof ResolveSettingsOptions];
    if (value !== undefined) requireOption(validator, value, name);
  }
  const { readAllSettings } = await import('./read-all-settings.js');
  return await readAllSettings(options);
}

const VALIDATORS: { readonly [K in keyof Required<ResolveSettingsOptions>]: Validator } = {
  cwd: string,
  settingSources: nullOr(arrayOf(string)),
  managedSettings: nullOr(object),
  serverManagedSettings: nullOr(object),
};

/** Modes that let the model do more without asking, and the sources that a repository could have brought along. */
const UNTRUSTED: Readonly<Record<string, readonly ResolvedSettingSource[]>> = {
  acceptEdits: ['project'],
  auto: ['project', 'local'],
  bypassPermissions: ['project', 'local'],
};

/**
 * The effective settings without a `permissions.defaultMode` that gives more freedom and that a file of the project
 * set: a cloned repository must not switch questions off. Nothing is changed in place; when nothing has to go, the very
 * object `resolved.effective` is returned.
 * @throws InvalidOptionError the argument is no such result.
 */
export function filterEscalatingDefaultMode(resolved: ResolvedSettings): Settings {
  if (!isJsonObject(resolved?.effective) || !Array.isArray(resolved.sources)) {
    throw new InvalidOptionError(
      'resolved',
      `filterEscalatingDefaultMode() takes what resolveSettings() resolves to, got ${describeValue(resolved)}.`,
    );
  }
  const { effective, sources } = resolved;
  const mode = effective.permissions?.defaultMode;
  const untrusted = typeof mode === 'string' && Object.hasOwn(UNTRUSTED, mode) ? UNTRUSTED[mode] : undefined;
  if (untrusted === undefined) return effective;
  const setter = sources.findLast(
    ({ settings }) => isJsonObject(settings.permissions) && settings.permissions.defaultMode !== undefined,
  );
  if (setter === undefined || !untrusted.includes(setter.source)) return effective;
  const { defaultMode: _, ...permissions } = effective.permissions ?? {};
  return { ...effective, permissions };
}
