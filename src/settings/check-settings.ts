import { isJsonObject, type JsonObject } from '../util/json.js';
import {
  anything,
  between,
  type Check,
  DROPPED,
  either,
  fieldCheck,
  filtered,
  filteredRecord,
  flag,
  forgiving,
  INVALID,
  integer,
  json,
  list,
  never,
  object,
  oneOf,
  orElse,
  plain,
  record,
  text,
  UNSET,
} from './checks.js';
import { type LeftOutKey, leftOutKeys, withCurrentNames } from './left-out.js';
import { ADMIN_SWITCHES, eachSwitch, STAND_INS, SWITCHES } from './managed-stand-ins.js';
import { hooks, permissions, policyHooks, policyPermissions, policySandbox, sandbox } from './nested-settings.js';

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

/**
 * What the CLI takes for each key of a settings file. An unusable value takes its whole file with it, unless the key is
 * forgiving. Keys that are not listed pass as they are. Found by trying values, one key at a time (`test/parity/settings`).
 */

const texts = list(text);
const command = object({ type: oneOf('command'), command: text }, { open: false, required: ['type', 'command'] });
const effort = oneOf('low', 'medium', 'high', 'xhigh');
const maxEffort = oneOf('low', 'medium', 'high', 'xhigh', 'max');
const waiting = forgiving(oneOf('60s', '5m', '10m', 'never'));
const cacheTtl = forgiving(oneOf('5m', '1h'));
const oneOrMany: Check = (value) => (typeof value === 'string' ? [value] : texts(value));
/** Where a marketplace comes from. The CLI looks further into it than this. */
const marketplaces = list(object({ source: text }, { required: ['source'] }));
const server = object({ serverName: text, serverCommand: texts, serverUrl: text }, { open: false });
const servers = filtered((value) => {
  const result = server(value);
  return result !== INVALID && Object.keys(result as object).length === 1 ? result : INVALID;
});

const attributionFields = object({ commit: text, pr: text, sessionUrl: flag });
const attribution: Check = (value) => {
  if (value === true) return {};
  if (value === false) return { commit: '', pr: '', sessionUrl: false };
  return attributionFields(value);
};

/** Keys with any string as their value. */
const TEXTS = [
  ...['$schema', 'apiKeyHelper', 'proxyAuthHelper', 'awsCredentialExport', 'awsAuthRefresh', 'gcpAuthRefresh'],
  ...['processWrapper', 'attributionProject', 'model', 'prUrlTemplate', 'otelHeadersHelper', 'outputStyle', 'language'],
  ...['advisorModel', 'agent', 'minimumVersion', 'requiredMinimumVersion', 'requiredMaximumVersion', 'plansDirectory'],
  ...['timeFormat', 'timeZone', 'autoMemoryDirectory', 'claudeMd', 'pluginTrustMessage'],
] as const;

/** Keys that are true or false, beside the switches that restrict. */
const FLAGS = [
  ...['respectGitignore', 'wslInheritsWindowsSettings', 'includeCoAuthoredBy', 'includeGitInstructions'],
  ...['disableAllHooks', 'disableReplyCheck', 'workflowKeywordTriggerEnabled', 'bashEditDiffEnabled'],
  ...['respondToBashCommands', 'allowAllClaudeAiMcps', 'allowClaudeInChromeWithManagedMcp'],
  ...['allowNestedModelAccessUnderForceLogin', 'forceRemoteSettingsRefresh', 'spinnerTipsEnabled'],
  ...['syntaxHighlightingDisabled', 'terminalTitleFromRename', 'alwaysThinkingEnabled', 'fastMode'],
  ...['promptSuggestionEnabled', 'emojiCompletionEnabled', 'showClearContextOnPlanAccept', 'prefersReducedMotion'],
  ...['autoMemoryEnabled', 'autoDreamEnabled', 'showThinkingSummaries', 'verbose', 'autoCompactEnabled'],
  ...['precomputeCompactionEnabled', 'idleCompaction', 'switchModelsOnFlag', 'autoScrollEnabled'],
  ...['wheelScrollAccelerationEnabled', 'fileCheckpointingEnabled', 'showTurnDuration', 'showMessageTimestamps'],
  ...['terminalProgressBarEnabled', 'todoFeatureEnabled', 'inputNeededNotifEnabled', 'agentPushNotifEnabled'],
  ...['voiceEnabled'],
] as const;

/** One check per key. */
export const SETTINGS_FIELDS: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(TEXTS.map((key) => [key, text])),
  ...Object.fromEntries(FLAGS.map((key) => [key, flag])),
  ...eachSwitch({ ...SWITCHES, ...ADMIN_SWITCHES }, () => flag),

  // Numbers.
  cleanupPeriodDays: integer(1),
  skillListingMaxDescChars: integer(1),
  desktopSessionCleanupPeriodDays: integer(0),
  bashOutputMaxChars: forgiving(integer(1)),
  taskOutputMaxChars: forgiving(integer(1)),
  maxProseWidth: forgiving(integer(20)),
  autoCompactWindow: forgiving(integer(100_000)),
  skillListingBudgetFraction: between(Number.MIN_VALUE, 1),
  feedbackSurveyRate: between(0, 1),

  // One of a few words.
  availableModelsMatch: oneOf('prefix', 'exact'),
  workflowSizeGuideline: oneOf('unrestricted', 'small', 'medium', 'large'),
  defaultShell: oneOf('bash', 'powershell'),
  parentSettingsBehavior: oneOf('first-wins', 'merge'),
  managedSourcesBehavior: oneOf('first-wins', 'merge'),
  feedbackDrafts: oneOf('notify', 'quiet', 'off'),
  autoUpdatesChannel: oneOf('latest', 'stable', 'rc'),
  tui: oneOf('default', 'fullscreen'),
  disableAutoMode: oneOf('disable'),
  disableDeepLinkRegistration: oneOf('disable'),
  teammateMode: oneOf('auto', 'tmux', 'iterm2', 'in-process'),
  daemonColdStart: oneOf('transient', 'ask'),
  crossSessionInbound: oneOf('accept', 'hold', 'refuse'),
  defaultView: oneOf('chat', 'transcript'),
  forceLoginMethod: forgiving(oneOf('claudeai', 'console', 'gateway')),
  viewMode: forgiving(oneOf('default', 'verbose', 'focus')),
  effortLevel: forgiving(effort),
  maxEffortLevel: forgiving(maxEffort),
  promptCacheTtl: cacheTtl,
  subagentPromptCacheTtl: cacheTtl,
  askUserQuestionTimeout: waiting,
  dialogExpiry: waiting,
  theme: forgiving(
    either(oneOf('auto', 'dark', 'light', 'light-daltonized', 'dark-daltonized', 'light-ansi', 'dark-ansi'), (value) =>
      typeof value === 'string' && value.startsWith('custom:') ? value : INVALID,
    ),
  ),
  editorMode: forgiving(oneOf('normal', 'vim')),
  keybindingFlavor: forgiving(oneOf('classic', 'readline')),
  preferredNotifChannel: forgiving(
    oneOf('auto', 'iterm2', 'terminal_bell', 'iterm2_with_bell', 'kitty', 'ghostty', 'notifications_disabled'),
  ),
  desktopMcpServersListScope: orElse(text, 'all'),
  forceLoginGatewayUrl: forgiving((value) => (value === '' ? INVALID : text(value))),
  ultracode: forgiving(flag),

  // Lists.
  fallbackModel: texts,
  availableModels: texts,
  allowedHttpHookUrls: texts,
  httpHookAllowedEnvVars: texts,
  pluginSuggestionMarketplaces: texts,
  companyAnnouncements: texts,
  claudeMdExcludes: texts,
  enabledMcpjsonServers: oneOrMany,
  disabledMcpjsonServers: oneOrMany,
  allowedMcpServers: servers,
  deniedMcpServers: servers,
  allowedProviders: forgiving(
    filtered(oneOf('anthropic', 'customEndpoint', 'bedrock', 'vertex', 'foundry', 'anthropicAws', 'mantle', 'gateway')),
  ),
  footerLinksRegexes: forgiving(filtered(object({ type: text }, { required: ['type'] }))),
  strictPluginOnlyCustomization: forgiving(either(flag, filtered(oneOf('skills', 'agents', 'hooks', 'mcp')))),
  prependPlugins: forgiving(texts),
  appendPlugins: forgiving(texts),
  strictKnownMarketplaces: marketplaces,
  blockedMarketplaces: marketplaces,
  allowedChannelPlugins: list(object({ marketplace: text, plugin: text }, { required: ['marketplace', 'plugin'] })),
  sshConfigs: list(object({ id: text, name: text, sshHost: text }, { required: ['id', 'name', 'sshHost'] })),
  sshHostCommands: anything,
  gatewayInternalNetworks: orElse(texts, ['(unreadable)']),
  forceLoginOrgUUID: either(text, texts),
  // Only policy may set it.
  deniedModels: never,

  // Objects.
  env: record((value) => String(value)),
  permissions,
  hooks,
  sandbox,
  attribution,
  attributionProjectPolicy: never,
  modelOverrides: record(text),
  skillOverrides: record(oneOf('on', 'name-only', 'user-invocable-only', 'off')),
  enabledPlugins: record(either(flag, texts)),
  pluginConfigs: record(json),
  extraKnownMarketplaces: filteredRecord(object({ source: json }, { required: ['source'] })),
  statusLine: object(
    { type: oneOf('command'), command: text, padding: anything, refreshInterval: anything, hideVimModeIndicator: flag },
    { open: false, required: ['type', 'command'] },
  ),
  subagentStatusLine: forgiving(command),
  fileSuggestion: command,
  policyHelper: forgiving(object({ path: text }, { required: ['path'] })),
  spinnerVerbs: object(
    { mode: oneOf('append', 'replace'), verbs: texts },
    { open: false, required: ['mode', 'verbs'] },
  ),
  modelPicker: object({ options: list(object({ model: text }, { required: ['model'] })) }, { required: ['options'] }),
  modelPricing: object({ multiplier: anything, overrides: json }, { open: false }),
  worktree: object(
    {
      symlinkDirectories: texts,
      sparsePaths: texts,
      baseRef: oneOf('fresh', 'head'),
      bgIsolation: oneOf('worktree', 'none'),
      location: text,
    },
    { open: false },
  ),
  remote: object({ defaultEnvironmentId: text }, { open: false }),
  voice: object({ enabled: flag, mode: oneOf('hold', 'tap'), autoSubmit: flag }, { open: false }),
  autoMode: object(
    { allow: texts, soft_deny: texts, hard_deny: texts, environment: texts, classifyAllShell: flag },
    { open: false },
  ),
  managedMcpServers: never,
  spinnerTipsOverride: forgiving(json),
  spellcheck: forgiving(json),
  vimInsertModeRemaps: forgiving(json),
  modelSettings: forgiving(filteredRecord(json)),
};

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
