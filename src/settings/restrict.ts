import { isJsonObject, type JsonObject } from '../util/json.js';
import { plain } from './checks.js';
import { type LeftOutKey, leftOutKeys, withCurrentNames } from './left-out.js';
import { eachSwitch, STRICTEST_PERMISSIONS, STRICTEST_SANDBOX, SWITCHES } from './managed-stand-ins.js';

/**
 * Which part of a `managedSettings` option counts: what takes something away. Found by trying every key
 * (`test/parity/settings`). The program that passes the option is less trusted than the machine's administrator.
 */
type Restriction = (value: unknown) => unknown;

/** Only this value restricts; one that is of no use at all is taken for it. */
const only =
  (strict: unknown, loose: unknown): Restriction =>
  (value) =>
    value === loose ? undefined : strict;
const restrictionsOf = (strictest: JsonObject) =>
  eachSwitch(strictest, (strict) => only(strict, strict === 'disable' ? false : !strict));
const exactly =
  (strict: unknown): Restriction =>
  (value) =>
    value === strict ? strict : undefined;

const texts: Restriction = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;
const list: Restriction = (value) => (Array.isArray(value) ? value : undefined);
/** A list that adds to what others allow: only one that allows nothing restricts. */
const onlyNone: Restriction = (value) =>
  Array.isArray(value) && value.some((each) => typeof each === 'string') ? undefined : [];
/** A list of what is allowed that cannot be read allows nothing. */
const allowed: Restriction = (value) => (Array.isArray(value) ? value : []);

const fields =
  (table: Readonly<Record<string, Restriction>>, strictest?: unknown): Restriction =>
  (value) => {
    if (!isJsonObject(value)) return strictest;
    const kept = pick(value, table);
    return Object.keys(kept).length > 0 ? kept : undefined;
  };

const sigv4 = exactly('deny');

const SANDBOX: Readonly<Record<string, Restriction>> = {
  ...restrictionsOf(STRICTEST_SANDBOX),
  enabled: only(true, false),
  failIfUnavailable: exactly(true),
  network: fields({ allowedDomains: texts, deniedDomains: texts, ...restrictionsOf(STRICTEST_SANDBOX.network) }),
  filesystem: fields({
    allowRead: texts,
    denyRead: texts,
    denyWrite: texts,
    ...restrictionsOf(STRICTEST_SANDBOX.filesystem),
  }),
  credentials: fields({
    files: (value) =>
      hidden(value, ({ path, mode }) => (mode === 'deny' ? { path, mode } : { path, mode, injectHosts: [] }), 'path'),
    envVars: (value) => hidden(value, ({ name, mode }) => (mode === 'deny' ? { name, mode } : undefined), 'name'),
    ...restrictionsOf(STRICTEST_SANDBOX.credentials),
    sigv4: (value) =>
      isJsonObject(value)
        ? pick(value, { streaming: sigv4, presigned: sigv4, sigv4a: sigv4 })
        : STRICTEST_SANDBOX.credentials.sigv4,
  }),
};

const RESTRICTIONS: Readonly<Record<string, Restriction>> = {
  ...restrictionsOf(SWITCHES),
  availableModels: allowed,
  availableModelsMatch: (value) => (value === 'prefix' ? undefined : 'exact'),
  deniedModels: list,
  allowedMcpServers: allowed,
  deniedMcpServers: list,
  allowedHttpHookUrls: onlyNone,
  httpHookAllowedEnvVars: onlyNone,
  strictKnownMarketplaces: allowed,
  blockedMarketplaces: list,
  allowedProviders: allowed,
  forceLoginOrgUUID: (value) => value,
  strictPluginOnlyCustomization: (value) => (value === false ? undefined : value),
  disableAutoMode: only('disable', false),
  permissions: fields(
    { allow: list, deny: list, ask: list, additionalDirectories: texts, ...restrictionsOf(STRICTEST_PERMISSIONS) },
    STRICTEST_PERMISSIONS,
  ),
  sandbox: fields(SANDBOX, STRICTEST_SANDBOX),
  attribution: (value) => {
    if (value === true) return undefined;
    if (value === false) return { commitTrailers: false, sessionUrl: false };
    if (!isJsonObject(value)) return { sessionUrl: false };
    return fields({ commitTrailers: exactly(false), sessionUrl: only(false, true) })(value);
  },
};

const LOSS_REASONS = {
  gone: 'Of managedSettings only what restricts counts.',
  replaced: 'Its value cannot be used: a strict one stands in for it.',
};

/** What of `managedSettings` restricts, and what of it does not. `null` sets nothing. */
export function restrictiveOnly(settings: JsonObject): {
  readonly settings: JsonObject;
  readonly leftOut: readonly LeftOutKey[];
} {
  const given = withRestrictiveNames(withCurrentNames(settings));
  const kept = pick(given, RESTRICTIONS);
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  return { settings: kept, leftOut: leftOutKeys(said, kept, LOSS_REASONS) };
}

/** Keys that restrict count under the name of what they come to, and no longer under their own. */
function withRestrictiveNames(settings: JsonObject): JsonObject {
  const { disableAllHooks, includeCoAuthoredBy, attribution } = settings;
  const result = { ...settings };
  if (disableAllHooks !== undefined && disableAllHooks !== null && disableAllHooks !== false) {
    delete result.disableAllHooks;
    result.allowManagedHooksOnly = true;
  }
  const { commit, ...credits } = isJsonObject(attribution) ? attribution : {};
  if (includeCoAuthoredBy === false) {
    delete result.includeCoAuthoredBy;
    result.attribution = {
      ...credits,
      ...(commit === undefined || commit === '' ? {} : { commit }),
      commitTrailers: false,
    };
  } else if (commit === '') {
    result.attribution = { ...credits, commitTrailers: false };
  }
  return result;
}

/** Lists of denials and blocks in which nothing is left say nothing. */
export function withoutEmptyLists(settings: JsonObject): JsonObject {
  const result = { ...settings };
  for (const key of ['deniedModels', 'blockedMarketplaces', 'strictPluginOnlyCustomization']) {
    const value = result[key];
    if (Array.isArray(value) && value.length === 0) delete result[key];
  }
  return result;
}

function pick(source: JsonObject, table: Readonly<Record<string, Restriction>>): JsonObject {
  return plain(
    Object.entries(source).flatMap(([key, value]) => {
      const restriction = Object.hasOwn(table, key) ? table[key] : undefined;
      const kept = value === null ? undefined : restriction?.(value);
      return kept === undefined ? [] : [[key, kept] as const];
    }),
  );
}

function hidden(value: unknown, strict: (entry: JsonObject) => unknown, name: string): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const kept = value
    .filter((each): each is JsonObject => isJsonObject(each) && typeof each[name] === 'string')
    .map(strict)
    .filter((each) => each !== undefined);
  return kept.length > 0 ? kept : undefined;
}
