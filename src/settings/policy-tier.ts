import { isJsonObject, type JsonObject } from '../util/json.js';
import { checkPolicySettings } from './check-settings.js';
import { type LeftOutKey, leftOutKeys } from './left-out.js';
import { STAND_INS } from './managed-stand-ins.js';
import { mergeSettings } from './merge.js';
import { restrictiveOnly, withoutEmptyLists } from './restrict.js';
import type { LeftOutSettings, PolicySettingsOrigin } from './types.js';

/** The parts of the policy tier, highest first. */
export interface PolicyParts {
  readonly remote: JsonObject | undefined;
  readonly file: JsonObject;
  readonly parent: JsonObject | undefined;
}

/** The policy tier as one source. */
export interface PolicyTier {
  /** `undefined`: no part sets anything. */
  readonly settings: JsonObject | undefined;
  readonly policyOrigin: PolicySettingsOrigin;
  readonly leftOut: readonly LeftOutSettings[];
}

/** What of a part does not count; all of it when there is no key. */
type LostPart = Partial<LeftOutKey> & Pick<LeftOutKey, 'reason'>;

interface JoinedParts {
  readonly settings: JsonObject;
  /** Of the lower part. */
  readonly lost: readonly LostPart[];
}

const OVERRULED = 'A higher part of the policy is set, and does not ask for this one.';

/** Lists that the highest part which sets them owns, when parts are merged. */
const OWNED_LISTS = new Set([
  ...['fallbackModel', 'allowedMcpServers', 'allowedProviders', 'availableModels'],
  ...['strictKnownMarketplaces', 'allowedChannelPlugins', 'awsPairs'],
]);

/** Keys that only the highest part may set, when parts are merged. */
const HIGHEST_ONLY = [
  ...['forceLoginOrgUUID', 'forceLoginMethod', 'forceLoginGatewayUrl'],
  ...['gatewayInternalNetworks', 'allowNestedModelAccessUnderForceLogin'],
  ...['apiKeyHelper', 'awsAuthRefresh', 'awsCredentialExport', 'gcpAuthRefresh'],
  ...['otelHeadersHelper', 'proxyAuthHelper', 'modelPicker'],
  ...['parentSettingsBehavior', 'policyHelper'],
];

/**
 * One part wins: the highest that sets anything. With `managedSourcesBehavior: "merge"` in it the files add to the
 * server's part, with `parentSettingsBehavior: "merge"` the caller's part is laid under the winner.
 */
export function policyTier({ remote, file, parent }: PolicyParts): PolicyTier {
  const leftOut: LeftOutSettings[] = [];
  const note = (policyOrigin: PolicySettingsOrigin, lost: readonly LostPart[]) =>
    leftOut.push(...lost.map((each) => ({ source: 'managed' as const, policyOrigin, ...each })));
  const checked = (policyOrigin: PolicySettingsOrigin, given: JsonObject): JsonObject => {
    const { settings = {}, leftOut: lost } = checkPolicySettings(given);
    note(policyOrigin, lost);
    return settings;
  };
  const restricting = restrictiveOnly(parent ?? {});
  note('parent', restricting.leftOut);
  const server = withoutIdleKeys(checked('remote', remote ?? {}));
  const machine = withoutIdleKeys(file);
  const caller = withoutEmptyLists(checked('parent', restricting.settings));

  const { settings: admin, lost } = isEmpty(server)
    ? { settings: { ...machine }, lost: [] }
    : server.managedSourcesBehavior === 'merge'
      ? mergeParts(machine, server)
      : withVariablesOf(machine, server);
  note('file', lost);
  // It has had its effect.
  delete admin.managedSourcesBehavior;
  if (isEmpty(admin)) return { settings: isEmpty(caller) ? undefined : caller, policyOrigin: 'parent', leftOut };
  const isMerged = admin.parentSettingsBehavior === 'merge';
  if (!isMerged && !isEmpty(caller)) note('parent', [{ reason: OVERRULED }]);
  return {
    settings: isMerged ? mergeSettings(caller, admin) : admin,
    policyOrigin: isEmpty(server) ? 'file' : 'remote',
    leftOut,
  };
}

/** Keys that say nothing here: one is for Windows alone, the other sets no variable. */
function withoutIdleKeys(settings: JsonObject): JsonObject {
  const { wslInheritsWindowsSettings: _, ...rest } = settings;
  const { env, ...others } = rest;
  return isJsonObject(env) && isEmpty(env) ? others : rest;
}

/** Environment variables of all parts are joined whatever the rest does. */
function withVariablesOf(lower: JsonObject, higher: JsonObject): JoinedParts {
  const { env, ...rest } = lower;
  const lost = isEmpty(rest) ? [] : [{ reason: OVERRULED }];
  if (!isJsonObject(env)) return { settings: { ...higher }, lost };
  const own = higher.env;
  return { settings: { ...higher, env: { ...env, ...(isJsonObject(own) ? own : {}) } }, lost };
}

function mergeParts(lower: JsonObject, higher: JsonObject): JoinedParts {
  const below = { ...lower };
  for (const key of HIGHEST_ONLY) delete below[key];
  if (isJsonObject(below.permissions)) {
    const { defaultMode: _, ...permissions } = below.permissions;
    below.permissions = permissions;
  }
  if (Object.hasOwn(higher, 'modelOverrides') || Object.hasOwn(higher, 'availableModels')) delete below.modelOverrides;
  const reason = 'Only the highest part of the policy may set it.';
  return {
    settings: strictestOf(below, higher, mergeSettings(below, higher, OWNED_LISTS, 'higher')),
    lost: leftOutKeys(lower, below, { gone: reason, replaced: reason }),
  };
}

/** A switch that restricts is on when any part has it on. */
function strictestOf(lower: JsonObject, higher: JsonObject, merged: JsonObject): JsonObject {
  const result = { ...merged };
  for (const [key, strictest] of Object.entries(STAND_INS)) {
    if (isJsonObject(strictest) || Array.isArray(strictest)) continue;
    if (lower[key] === strictest || higher[key] === strictest) result[key] = strictest;
  }
  return result;
}

function isEmpty(settings: JsonObject): boolean {
  return Object.keys(settings).length === 0;
}
