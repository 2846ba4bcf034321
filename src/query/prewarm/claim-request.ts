import { isAbsolute } from 'node:path';
import { invalidOption } from '../../errors/invalid-option.js';
import { InvalidOptionError } from '../../errors.js';
import { absolutePath } from '../../util/host-places.js';
import type { JsonObject } from '../../util/json.js';
import { memberPath } from '../../util/member-path.js';
import type { Warning } from '../../util/warn-once.js';
import { planAgents } from '../launch/agents.js';
import {
  type Check,
  isArgument,
  isCount,
  isListOf,
  isObjectWith,
  isRecord,
  isRecordOf,
  isText,
} from '../launch/option-checks.js';
import { agentInProcessServer } from '../launch/warnings.js';
import { toWireJson } from '../launch/wire-json.js';
import { refuseSessionsInClaim } from './session-options.js';
import type { ClaimOptions } from './spare-types.js';

/** What goes with the claim, in the order it is written. All are wire JSON. */
export interface ClaimRequest {
  /** Settings that decide what the claim starts. `undefined`: none. */
  readonly settingsBefore: JsonObject | undefined;
  /** Fields of `claim_session` without `subtype`. */
  readonly claim: JsonObject;
  /** `undefined`: as the process was started. */
  readonly model: string | undefined;
  readonly maxThinkingTokens: number | null | undefined;
  /** Settings that the claim would reset. `undefined`: none. */
  readonly settingsAfter: JsonObject | undefined;
  readonly warnings: readonly Warning[];
  /** Whether the prompt waits until everything but the two options is accepted. */
  readonly holdsPrompt: boolean;
}

/** They have to be there before any hook runs. */
const HOOK_SETTINGS = [
  'hooks',
  'disableAllHooks',
  'allowManagedHooksOnly',
  'allowedHttpHookUrls',
  'httpHookAllowedEnvVars',
];

/** Written behind the claim, which has a say in them. In this order. */
const SETTINGS_AFTER = [
  'model',
  'agent',
  'fastMode',
  'permissions',
  'availableModels',
  'disableAutoMode',
];

/**
 * Checks the options of a claim and puts them into wire form. Pure but for the working directory of this process,
 * which relative paths start from.
 *
 * @throws InvalidOptionError the first one that cannot be used.
 */
export function planClaim(options: unknown, sdkMcpServers: readonly string[]): ClaimRequest {
  isRecord(options, 'options');
  refuseSessionsInClaim(options);
  const given = readOptions(options as Readonly<Record<string, unknown>>);
  const settings = given.settings && toWireJson<JsonObject>(given.settings, 'settings');
  const { before, after } = splitSettings(settings ?? {});
  const agents = planAgents(given.agents);
  const claim: JsonObject = {
    cwd: absolute(given.cwd),
    permission_mode: given.permissionMode,
    env: given.env && toWireJson(given.env, 'env'),
    additional_directories: given.additionalDirectories && [...given.additionalDirectories],
    append_system_prompt: given.appendSystemPrompt,
    title: given.title,
    agents: agents.wire,
    sdk_mcp_servers: sdkMcpServers,
    include_initialize: true,
  };
  return {
    settingsBefore: before,
    claim: Object.fromEntries(Object.entries(claim).filter(([, value]) => value !== undefined)),
    model: given.model,
    maxThinkingTokens: given.maxThinkingTokens,
    settingsAfter: after,
    warnings: agents.inProcessServers.map(agentInProcessServer),
    holdsPrompt: settings !== undefined,
  };
}

type GivenClaim = { readonly [K in keyof ClaimOptions]: ClaimOptions[K] };

/** Reads every known option once. `null` means "not given", except where it is a value. */
function readOptions(source: Readonly<Record<string, unknown>>): GivenClaim {
  const given: Record<string, unknown> = {};
  for (const [name, check] of Object.entries(CHECKS)) {
    const value = source[name];
    const isValue = name === 'cwd' || (name === 'maxThinkingTokens' && value === null);
    if (!isValue && (value === undefined || value === null)) continue;
    check(value, name);
    given[name] = value;
  }
  // Every member has passed its check, and `cwd` is never left out.
  return given as GivenClaim;
}

const isFolder: Check = (value, path) => {
  if (typeof value !== 'string' || value === '') {
    throw invalidOption(path, 'a path, the working directory of the session', value);
  }
  isArgument(value, path);
};

/** Its message shows no value: what is in it may be a token. */
const isEnvironment: Check = (value, path) => {
  isRecord(value, path);
  for (const [name, text] of Object.entries(value as object)) {
    if (text === undefined || (typeof text === 'string' && !text.includes('\0'))) continue;
    const member = memberPath(path, name);
    throw new InvalidOptionError(
      member,
      `Option \`${member}\` must be a string without NUL characters, but is of type ${typeof text}.`,
    );
  }
};

const isOverlay: Check = (value, path) => {
  isRecord(value, path);
  const settings = value as Readonly<Record<string, unknown>>;
  const name = HOOK_SETTINGS.find((key) => settings[key] !== undefined);
  if (name === undefined) return;
  throw new InvalidOptionError(
    memberPath(path, name),
    `Option \`${memberPath(path, name)}\` governs hooks, and those cannot be changed by a claim. Nothing was sent: the spare can be claimed without it.`,
    { hint: 'Give it to prewarm() in `options.settings`.' },
  );
};

const isCountOrNull: Check = (value, path) => {
  if (value !== null) isCount(value, path);
};

const CHECKS: { readonly [K in keyof Required<ClaimOptions>]: Check } = {
  cwd: isFolder,
  env: isEnvironment,
  additionalDirectories: isListOf(isArgument),
  model: isText,
  permissionMode: isText,
  maxThinkingTokens: isCountOrNull,
  settings: isOverlay,
  appendSystemPrompt: isText,
  title: isText,
  agents: isRecordOf(isObjectWith({ mcpServers: isListOf(() => {}) })),
};

function absolute(cwd: string): string {
  return isAbsolute(cwd) || cwd === '~' || cwd.startsWith('~/') ? cwd : absolutePath('cwd', cwd);
}

function splitSettings(settings: JsonObject): {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
} {
  const before = Object.entries(settings).filter(([key]) => !SETTINGS_AFTER.includes(key));
  const after = SETTINGS_AFTER.filter((key) => key in settings).map((key) => [key, settings[key]]);
  return {
    before: before.length === 0 ? undefined : Object.fromEntries(before),
    after: after.length === 0 ? undefined : Object.fromEntries(after),
  };
}
