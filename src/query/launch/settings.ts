import { InvalidOptionError } from '../../errors.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import type { ConfigArgument } from './launch-plan.js';
import { isFilled } from './mcp-servers.js';
import type { GivenOptions } from './validate-options.js';
import { toJsonText, toWireJson } from './wire-json.js';

/** The value of `--settings`, and what it makes of `extraArgs.settings`. */
interface SettingsPlan {
  /** `undefined`: no `--settings` is added. */
  readonly argument: ConfigArgument | undefined;
  /** True when `extraArgs.settings` went into `argument`, or was beaten by `settings`. */
  readonly replacesExtraArg: boolean;
}

/** Without any of the options that {@link planSettings} joins. */
export const NO_SETTINGS: SettingsPlan = { argument: undefined, replacesExtraArg: false };

/**
 * Joins `settings`, `sandbox` and `extraArgs.settings` into one value: the first beats the third, the second is merged
 * into inline JSON.
 * @throws InvalidOptionError `sandbox` beside a settings file, which was not read.
 */
export function planSettings(options: GivenOptions, mayUseFile: boolean): SettingsPlan {
  const { sandbox } = options;
  const extra = options.extraArgs?.settings;
  const own = options.settings === '' ? undefined : options.settings;
  const base = own ?? (typeof extra === 'string' && extra !== '' ? extra : undefined);
  const inline = typeof base === 'string' ? parseJsonObject(base) : base;

  if (sandbox === undefined) {
    const isPrivate = mayUseFile && isFilled(inline?.env);
    // Without a reason to touch it, the caller's own flag stays where it is.
    if (base === undefined || (own === undefined && !isPrivate)) {
      return NO_SETTINGS;
    }
    const text = typeof base === 'string' ? base : toJsonText(base, 'settings');
    return { argument: asArgument(text, isPrivate), replacesExtraArg: true };
  }

  if (base !== undefined && inline === undefined) {
    throw new InvalidOptionError(
      'sandbox',
      'Option `sandbox` cannot be merged into a settings file: put the sandbox into that file, or give `settings` as an object or JSON text.',
    );
  }
  const settings = toWireJson<JsonObject>(inline ?? {}, 'settings');
  const merged = { ...settings, sandbox: mergeSandbox(settings.sandbox, toWireJson<JsonObject>(sandbox, 'sandbox')) };
  return { argument: asArgument(JSON.stringify(merged), mayUseFile && isFilled(settings.env)), replacesExtraArg: true };
}

function asArgument(text: string, isPrivate: boolean): ConfigArgument {
  return { text, isPrivate, fileName: 'settings.json' };
}

/** Lists of denials: a setting cannot be undone by the option, so both lists hold. */
const JOINED: ReadonlySet<string> = new Set([
  'filesystem.denyRead',
  'filesystem.denyWrite',
  'network.deniedDomains',
  'credentials.files',
  'credentials.envVars',
]);

/** Objects that make sense only as a whole. */
const REPLACED: ReadonlySet<string> = new Set(['ripgrep', 'network.tlsTerminate']);

/**
 * The sandbox block of the settings, overlaid with the `sandbox` option key by key. What would weaken the option (a
 * proxy that bypasses its domain rules, a file system switched off) is taken out of the settings first. Both must be
 * wire JSON.
 */
function mergeSandbox(settings: unknown, option: JsonObject): JsonObject {
  const base = isJsonObject(settings) ? settings : {};
  const merged = overlay(withoutLoopholes(base, option), option, '');
  const mustFail = option.enabled === true && (merged.failIfUnavailable ?? undefined) === undefined;
  return mustFail ? { ...merged, failIfUnavailable: true } : merged;
}

function overlay(base: JsonObject, option: JsonObject, path: string): JsonObject {
  const merged: [string, unknown][] = Object.entries(option).map(([key, value]) => {
    const before = base[key];
    const here = path === '' ? key : `${path}.${key}`;
    if (isJsonObject(value) && isJsonObject(before) && !REPLACED.has(here)) return [key, overlay(before, value, here)];
    if (Array.isArray(value) && Array.isArray(before) && JOINED.has(here)) return [key, [...before, ...value]];
    return [key, value];
  });
  return Object.fromEntries([...Object.entries(base), ...merged]);
}

function withoutLoopholes(base: JsonObject, option: JsonObject): JsonObject {
  const safe = { ...base };
  if (isJsonObject(base.filesystem) && base.filesystem.disabled === true && restrictsFiles(option)) {
    const { disabled: _, ...filesystem } = base.filesystem;
    safe.filesystem = filesystem;
  }
  if (isJsonObject(base.network) && restrictsDomains(option.network)) {
    const { httpProxyPort: _http, socksProxyPort: _socks, ...network } = base.network;
    safe.network = network;
  }
  return safe;
}

function restrictsFiles(option: JsonObject): boolean {
  if ('filesystem' in option) return true;
  const credentials = option.credentials;
  const files = isJsonObject(credentials) ? credentials.files : undefined;
  return Array.isArray(files) && files.some((file) => isJsonObject(file) && file.mode === 'deny');
}

function restrictsDomains(network: unknown): boolean {
  if (!isJsonObject(network)) return false;
  const denied = network.deniedDomains;
  return (
    'allowedDomains' in network || (Array.isArray(denied) && denied.length > 0) || network.strictAllowlist === true
  );
}
