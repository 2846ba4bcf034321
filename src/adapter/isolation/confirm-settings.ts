import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { AdapterConfigError } from '../errors/adapter-error.js';

export interface ConfirmSettingsInput {
  /** The settings that we wrote. */
  readonly written: JsonObject;
  /** The answer to `get_settings`. `undefined` when the CLI does not know the request. */
  readonly answer: JsonObject | undefined;
  /**
   * Requires every written value to be in force. Without isolation only the CLI's errors count, since sources merge.
   */
  readonly isolated: boolean;
  /** The child's variables, as we chose them. */
  readonly childEnv: Readonly<Record<string, string | undefined>>;
  /** Refuses settings that cannot be confirmed. */
  readonly sandboxRequired: boolean;
  /** Path of the settings file, for messages. */
  readonly file: string;
}

interface ConfirmedSettings {
  /** The CLI named our settings as the ones in force. */
  readonly confirmed: boolean;
  /** Why not. */
  readonly reason: string | undefined;
  /** Sources other than ours, such as `policySettings`. */
  readonly managedSources: readonly string[];
  /** The settings in force as the CLI reports them. `undefined` when it did not. */
  readonly effective: JsonObject | undefined;
}

const OURS = 'flagSettings';
/** Lists that only forbid: more entries close more. */
const FORBIDDING = new Set([
  ...['permissions.deny', 'sandbox.network.deniedDomains'],
  ...['sandbox.filesystem.denyRead', 'sandbox.filesystem.denyWrite'],
  ...['sandbox.credentials.envVars', 'sandbox.credentials.files'],
]);

const BLOCK_FLAGS = {
  blockReadsOutsideWorkingDirectories: 'outsideFileToolReadsBlocked',
  blockWritesOutsideWorkingDirectories: 'outsideFileToolWritesBlocked',
};

/**
 * Checks the settings in force as the CLI reports them. One value of a wrong type makes the CLI drop the whole file
 * silently, and the managed settings of the machine are merged into ours. Pure.
 * @throws {@link AdapterConfigError} the file was dropped, a value is not in force as written, a limit was loosened,
 *   or the sandbox is required and the CLI did not answer.
 */
export function confirmSettings(input: ConfirmSettingsInput): ConfirmedSettings {
  const { answer, written, isolated, childEnv, file } = input;
  const effective = isJsonObject(answer?.effective) ? answer.effective : undefined;
  refuseErrors(answer?.errors, file);
  if (answer === undefined || effective === undefined) return unconfirmed(input);
  if (isolated) {
    const wrong = [
      ...missing(written, effective, []),
      ...added(written, effective),
      ...loosened(written, effective, childEnv),
      ...notApplied(written, answer),
    ];
    if (wrong.length > 0) throw notInForce(wrong, file);
  }
  return {
    confirmed: true,
    reason: undefined,
    managedSources: sourcesOf(answer).filter((source) => source !== OURS),
    effective,
  };
}

function unconfirmed({ answer, sandboxRequired, file }: ConfirmSettingsInput): ConfirmedSettings {
  const reason =
    answer === undefined
      ? 'The CLI does not say which settings are in force (`get_settings` failed)'
      : 'The CLI says nothing about the settings in force (`get_settings` has no `effective`)';
  if (!sandboxRequired) return { confirmed: false, reason, managedSources: [], effective: undefined };
  throw new AdapterConfigError(`${reason}, and the sandbox is required: ${file}`, ['isolation.sandbox.required'], {
    hint: 'Use a newer release of the CLI, or `isolation.sandbox.required: false`.',
  });
}

function refuseErrors(errors: unknown, file: string): void {
  if (!Array.isArray(errors) || errors.length === 0) return;
  const lines = errors.map((error: unknown) => {
    const { file: where, path, message } = isJsonObject(error) ? error : {};
    return `${text(where) || file}: ${text(path) || '(whole file)'}: ${text(message) || 'unknown error'}`;
  });
  throw new AdapterConfigError(
    `The CLI does not accept the settings, and none of that file would be in force. ${lines.join('; ')}`,
    errors.map((error: unknown) => (isJsonObject(error) && text(error.path)) || 'settings'),
    { hint: 'Correct the value that the message names.' },
  );
}

/** Keys that are not in force as written. */
function missing(written: JsonObject, effective: JsonObject, path: readonly string[]): string[] {
  return Object.entries(written).flatMap(([name, value]) => {
    const keys = [...path, name];
    const now = effective[name];
    if (isJsonObject(value) && isJsonObject(now)) return missing(value, now, keys);
    const isInForce =
      Array.isArray(value) && Array.isArray(now)
        ? holdsAll(now, value) && (isForbidding(keys) ? !hasRival(value, now) : holdsAll(value, now))
        : isDeepStrictEqual(value, now);
    return isInForce ? [] : [keys.join('.')];
  });
}

/** Keys below `sandbox` that we did not write, except those that only forbid. */
function added(written: JsonObject, effective: JsonObject): string[] {
  const walk = (ours: unknown, now: JsonObject, path: readonly string[]): string[] =>
    Object.entries(now).flatMap(([name, value]) => {
      const keys = [...path, name];
      if (isForbidding(keys)) return [];
      const own = isJsonObject(ours) ? ours[name] : undefined;
      if (isJsonObject(value)) return walk(own, value, keys);
      return own === undefined ? [keys.join('.')] : [];
    });
  const { sandbox } = effective;
  return isJsonObject(sandbox) ? walk(written.sandbox, sandbox, ['sandbox']) : [];
}

/** Block keys that the CLI reports as not applied, beside the settings themselves. */
function notApplied({ permissions }: JsonObject, { applied }: JsonObject): string[] {
  if (!isJsonObject(permissions) || !isJsonObject(applied)) return [];
  return Object.entries(BLOCK_FLAGS).flatMap(([key, flag]) =>
    permissions[key] === true && applied[flag] === false ? [`permissions.${key}`] : [],
  );
}

const isForbidding = (keys: readonly string[]): boolean => FORBIDDING.has(keys.join('.'));

function holdsAll(list: readonly unknown[], entries: readonly unknown[]): boolean {
  return entries.every((entry) => list.some((each) => isDeepStrictEqual(each, entry)));
}

/** Another entry for one of our credentials might show it again. */
function hasRival(ours: readonly unknown[], now: readonly unknown[]): boolean {
  const names = new Set(ours.filter(isJsonObject).map((entry) => entry.name));
  const isOurs = (entry: unknown): boolean => isJsonObject(entry) && names.has(entry.name);
  return now.some((entry) => isOurs(entry) && !holdsAll(ours, [entry]));
}

function notInForce(keys: readonly string[], file: string): AdapterConfigError {
  return new AdapterConfigError(
    `The CLI does not have our settings in force as written: ${keys.map((key) => `\`${key}\``).join(', ')} (${file})`,
    keys,
    {
      hint: 'Managed settings of this machine change them: have them changed, or write the same value (of a variable: in `isolation.env`).',
    },
  );
}

/** Names of the sources that the CLI merged, lowest first. */
function sourcesOf(answer: JsonObject): string[] {
  const sources: unknown[] = Array.isArray(answer.sources) ? answer.sources : [];
  return sources.flatMap((source) => (isJsonObject(source) ? text(source.source) || [] : []));
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Keys of other sources that would open something. Listed by hand, since most keys are cosmetic and every release adds
 * some.
 */
const LOOSENING: readonly string[] = [
  // A rule for Edit or WebFetch also opens the path or the host for the sandbox (observed).
  'permissions.allow',
  // The sandbox and the file tools can write there (observed).
  'permissions.additionalDirectories',
  // Programs that the CLI starts outside of the sandbox, with the key in their environment. Hooks can approve and
  // rewrite calls.
  'hooks',
  'apiKeyHelper',
  'proxyAuthHelper',
  'awsAuthRefresh',
  'awsCredentialExport',
  'gcpAuthRefresh',
  'otelHeadersHelper',
  'fileSuggestion',
  'statusLine',
  // Plugins have hooks and servers.
  'enabledPlugins',
  // That would disable our hooks, which limit the web tools and the file tools.
  'disableAllHooks',
];

/**
 * Keys in force that we did not write and that open something. A variable counts unless the child has it with that
 * value: it might name other programs or another endpoint that gets the key, or be a secret that commands can see.
 */
export function loosened(
  written: JsonObject,
  effective: JsonObject,
  childEnv: Readonly<Record<string, string | undefined>>,
): string[] {
  const keys = LOOSENING.filter((path) => {
    const now = at(effective, path);
    return !isEmpty(now) && !isDeepStrictEqual(now, at(written, path));
  });
  const { env } = effective;
  if (env === undefined || env === null) return keys;
  if (!isJsonObject(env)) return [...keys, 'env'];
  const names = Object.entries(env).filter(([name, value]) => value !== childEnv[name]);
  return [...keys, ...names.map(([name]) => `env.${name}`)];
}

/** @param path - Keys, joined with dots. */
function at(root: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), root);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.values(value).every(isEmpty);
  return value === undefined || value === null || value === false || value === '';
}
