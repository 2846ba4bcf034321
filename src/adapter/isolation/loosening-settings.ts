import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../util/json.js';

/**
 * Keys that others may add to the settings in force, and what each would open. Checked by hand, since most keys are cosmetic and
 * new ones come with every release.
 */
const LOOSENING: readonly (readonly string[])[] = [
  // A rule for Edit or WebFetch opens the path or the host for the sandbox as well (seen).
  ['permissions', 'allow'],
  // The sandbox and the file tools write there (seen).
  ['permissions', 'additionalDirectories'],
  // Programs that the CLI starts outside of the sandbox, with the key in their environment. Hooks may also approve and rewrite calls.
  ['hooks'],
  ['apiKeyHelper'],
  ['proxyAuthHelper'],
  ['awsAuthRefresh'],
  ['awsCredentialExport'],
  ['gcpAuthRefresh'],
  ['otelHeadersHelper'],
  ['fileSuggestion'],
  ['statusLine'],
  // They bring hooks and servers.
  ['enabledPlugins'],
  // Ours among them, which hold the web tools and the file tools to their limits.
  ['disableAllHooks'],
];

/**
 * Keys in force that we did not write and that open something. A variable counts when the child does not have it with that value: it might be
 * a path to other programs, another endpoint that gets the key, or a secret that commands see.
 */
export function loosened(
  written: JsonObject,
  effective: JsonObject,
  childEnv: Readonly<Record<string, string | undefined>>,
): string[] {
  const keys = LOOSENING.filter((path) => {
    const now = at(effective, path);
    return !isEmpty(now) && !isDeepStrictEqual(now, at(written, path));
  }).map((path) => path.join('.'));
  const { env } = effective;
  if (env === undefined || env === null) return keys;
  if (!isJsonObject(env)) return [...keys, 'env'];
  const names = Object.entries(env).filter(([name, value]) => value !== childEnv[name]);
  return [...keys, ...names.map(([name]) => `env.${name}`)];
}

function at(root: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), root);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.values(value).every(isEmpty);
  return value === undefined || value === null || value === false || value === '';
}
