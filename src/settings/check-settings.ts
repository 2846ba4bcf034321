import { isJsonObject, type JsonObject } from '../util/json.js';
import {
  anything,
  type Check,
  DROPPED,
  fieldCheck,
  filtered,
  filteredRecord,
  INVALID,
  list,
  never,
  object,
  oneOf,
  plain,
  text,
  UNSET,
} from './checks.js';
import { SETTINGS_FIELDS } from './fields.js';
import { type LeftOutKey, leftOutKeys, withCurrentNames } from './left-out.js';
import { STAND_INS } from './managed-stand-ins.js';
import { policyHooks, policyPermissions, policySandbox } from './nested-settings.js';

/** A source with what is wrong in it. */
export interface CheckedSettings {
  /** `undefined`: nothing of the source counts. */
  readonly settings: JsonObject | undefined;
  /** Whether the source says anything, used or not. */
  readonly saysSomething: boolean;
  /** Top-level keys that cannot be used as they are. */
  readonly badKeys: readonly string[];
  /** What of a source that counts does not count. */
  readonly leftOut: readonly LeftOutKey[];
}

const CANNOT_BE_USED = 'Its value cannot be used.';

const FILE_REASONS = {
  gone: (key: string) =>
    Object.hasOwn(SETTINGS_FIELDS, key) && SETTINGS_FIELDS[key] === never
      ? 'Only a policy may set it.'
      : CANNOT_BE_USED,
  replaced: 'Its value cannot be used: another stands in for it.',
};

const POLICY_REASONS = { gone: CANNOT_BE_USED, replaced: 'Its value cannot be used: a strict one stands in for it.' };

/** A user, project or local file: one unusable value and nothing of the file counts, as with the CLI. */
export function checkFileSettings(source: JsonObject): CheckedSettings {
  const { entries, badKeys } = checkEach(withCurrentNames(source), SETTINGS_FIELDS);
  const settings = badKeys.length === 0 ? plain(entries) : undefined;
  const leftOut = settings === undefined ? [] : leftOutKeys(source, settings, FILE_REASONS);
  return { settings, saysSomething: entries.length > 0, badKeys, leftOut };
}

const disabled: Check = (value) => (value === false ? DROPPED : oneOf('disable')(value));

/** A value that a file forgives gets a stand-in in a policy. */
const unforgiving =
  (check: Check = anything): Check =>
  (value) => {
    const result = check(value);
    return result === UNSET ? INVALID : result;
  };

/** Keys that only policy may set, and lists of which policy keeps the usable items. */
const POLICY_FIELDS: Readonly<Record<string, Check>> = {
  ...SETTINGS_FIELDS,
  availableModels: filtered(text),
  allowedHttpHookUrls: filtered(text),
  httpHookAllowedEnvVars: filtered(text),
  deniedModels: filtered(text),
  blockedMarketplaces: filtered((value) => (isJsonObject(value) && typeof value.source === 'string' ? value : INVALID)),
  allowedProviders: unforgiving(SETTINGS_FIELDS.allowedProviders),
  strictPluginOnlyCustomization: unforgiving(SETTINGS_FIELDS.strictPluginOnlyCustomization),
  permissions: policyPermissions,
  sandbox: policySandbox,
  hooks: policyHooks,
  attributionProjectPolicy: object({ default: text }, { open: false }),
  managedMcpServers: filteredRecord((value) =>
    isJsonObject(value) && ['command', 'url'].some((key) => typeof value[key] === 'string') ? value : INVALID,
  ),
  enabledMcpjsonServers: list(text),
  disabledMcpjsonServers: list(text),
  disableAutoMode: disabled,
  disableDeepLinkRegistration: disabled,
};

/** A policy: an unusable value goes alone, or becomes the strictest one where dropping it would loosen the policy. */
export function checkPolicySettings(source: JsonObject): CheckedSettings {
  const { entries, badKeys } = checkEach(withCurrentNames(source), POLICY_FIELDS);
  const stricter = badKeys.flatMap((key) =>
    // An object is only unusable for a list inside; what it closes elsewhere has been seen to.
    Object.hasOwn(STAND_INS, key) && !(key === 'permissions' && isJsonObject(source[key]))
      ? [[key, STAND_INS[key]] as const]
      : [],
  );
  const settings = plain([...entries, ...stricter]);
  const leftOut = leftOutKeys(source, settings, POLICY_REASONS);
  return { settings, saysSomething: Object.keys(settings).length > 0, badKeys, leftOut };
}

/** One key after the other; unknown keys pass. */
function checkEach(source: JsonObject, fields: Readonly<Record<string, Check>>) {
  const badKeys: string[] = [];
  const entries: (readonly [string, unknown])[] = [];
  for (const [key, value] of Object.entries(source)) {
    const result = fieldCheck(fields, key)(value);
    if (result === INVALID) badKeys.push(key);
    else if (result !== DROPPED) entries.push([key, result]);
  }
  return { entries, badKeys };
}
