import { InvalidOptionError } from '../errors.js';
import type { Settings } from '../query/options/extension-options.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject } from '../util/json.js';
import type { ResolvedSettingSource, ResolvedSettings } from './types.js';

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
 *
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
  const untrusted =
    typeof mode === 'string' && Object.hasOwn(UNTRUSTED, mode) ? UNTRUSTED[mode] : undefined;
  if (untrusted === undefined) return effective;
  const setter = sources.findLast(
    ({ settings }) =>
      isJsonObject(settings.permissions) && settings.permissions.defaultMode !== undefined,
  );
  if (setter === undefined || !untrusted.includes(setter.source)) return effective;
  const { defaultMode: _, ...permissions } = effective.permissions ?? {};
  return { ...effective, permissions };
}
