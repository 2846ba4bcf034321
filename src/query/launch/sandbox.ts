import { isJsonObject, type JsonObject } from '../../util/json.js';

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
 * The sandbox block of the settings, overlaid with the `sandbox` option key by key. What would weaken
 * the option (a proxy that bypasses its domain rules, a file system switched off) is taken out of the settings first.
 * Both must be wire JSON.
 */
export function mergeSandbox(settings: unknown, option: JsonObject): JsonObject {
  const base = isJsonObject(settings) ? settings : {};
  const merged = overlay(withoutLoopholes(base, option), option, '');
  const mustFail = option.enabled === true && !('failIfUnavailable' in merged);
  return mustFail ? { ...merged, failIfUnavailable: true } : merged;
}

function overlay(base: JsonObject, option: JsonObject, path: string): JsonObject {
  const merged: [string, unknown][] = Object.entries(option).map(([key, value]) => {
    const before = base[key];
    const here = path === '' ? key : `${path}.${key}`;
    if (isJsonObject(value) && isJsonObject(before) && !REPLACED.has(here)) {
      return [key, overlay(before, value, here)];
    }
    if (Array.isArray(value) && Array.isArray(before) && JOINED.has(here)) {
      return [key, [...before, ...value]];
    }
    return [key, value];
  });
  return Object.fromEntries([...Object.entries(base), ...merged]);
}

function withoutLoopholes(base: JsonObject, option: JsonObject): JsonObject {
  const filesystem = base.filesystem;
  const network = base.network;
  return {
    ...base,
    ...(isJsonObject(filesystem) && restrictsFiles(option)
      ? { filesystem: without(filesystem, (key, value) => key === 'disabled' && value === true) }
      : {}),
    ...(isJsonObject(network) && restrictsDomains(option.network)
      ? { network: without(network, (key) => key === 'httpProxyPort' || key === 'socksProxyPort') }
      : {}),
  };
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
    'allowedDomains' in network ||
    (Array.isArray(denied) && denied.length > 0) ||
    network.strictAllowlist === true
  );
}

function without(
  object: JsonObject,
  isDropped: (key: string, value: unknown) => boolean,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([key, value]) => !isDropped(key, value)),
  );
}
