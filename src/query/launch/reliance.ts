import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import type { NamedUse } from '../releases/feature.js';
import { limitsIn, modeIn, needsSandbox, rulesOf } from '../releases/given-settings.js';
import { HOOKS_THAT_GUARD } from '../releases/honoured.js';
import { isNewModel } from '../releases/new-models.js';
import {
  deniedForms,
  deniesPart,
  isAboutServer,
  isNarrow,
  isOfCommands,
  matcherUses,
  rulesIn,
} from '../releases/older-rules.js';
import { allowedBy } from '../releases/plan-mode.js';
import type { LaunchHost, Reliance } from './launch-plan.js';
import { hasToolPolicies } from './mcp-servers.js';
import type { GivenOptions } from './validate-options.js';

/**
 * What a run relies on beside its flags and fields.
 * @param settings - The value of `--settings` that {@link planSettings} made. `undefined`: that of `extraArgs` counts.
 */
export function planReliance(
  given: GivenOptions,
  settings: string | undefined,
  { checksVerbatim }: Pick<LaunchHost, 'checksVerbatim'>,
): Reliance {
  const isElsewhere = (given.transport ?? given.spawnClaudeCodeProcess) !== undefined;
  const value = settings ?? given.extraArgs?.settings ?? undefined;
  const inline = toObject(value);
  const isFile = value !== undefined && value.trim() !== '' && parseJsonObject(value) === undefined;
  const flags = modeFlags(given);
  const mode = modeIn(inline);
  const named: NamedUse[] = [];
  if (needsSandbox(inline)) named.push('sandbox');
  if (flags.length === 0 && !MODES.has(mode)) named.push('noPermissionMode');
  const managed = [given.managedSettings, given.extraArgs?.['managed-settings']].map(toObject);
  const allSettings = [inline, ...managed];
  named.push(...allSettings.flatMap(limitsIn).map((path) => `limit ${path}` as const));
  if (flags.includes('plan') || mode === 'plan' || managed.some((each) => modeIn(each) === 'plan'))
    named.push('planMode');
  const servers = Object.values(given.mcpServers ?? {});
  if (servers.some(hasToolPolicies)) named.push('serverToolPolicies');
  const hooks = Object.entries(given.hooks ?? {}).filter(([, list]) => list?.length > 0);
  const matchers = hooks.flatMap(([, list]) => list.map(({ matcher }) => matcher));
  if (hooks.length > 0) named.push('hooks', ...hooks.map(([event]) => `hook ${event}` as const));
  if (hooks.some(([event]) => HOOKS_THAT_GUARD.has(event))) named.push('guardingHooks');
  if (hooks.length > 0 && inline.disableAllHooks === true) named.push('hooksSwitchedOff');
  named.push(...new Set(matchers.flatMap(matcherUses)));
  if (given.verbatimPrompts === true && checksVerbatim !== true) named.push('verbatimPrompts');
  const byOption = [...(given.disallowedTools ?? []), ...byFlag(given, 'disallowedTools', 'disallowed-tools')].flatMap(
    rulesIn,
  );
  const denied = [...byOption, ...allSettings.flatMap((each) => rulesOf('deny', each))];
  const allowedByOption = [...(given.allowedTools ?? []), ...byFlag(given, 'allowedTools', 'allowed-tools')].flatMap(
    rulesIn,
  );
  const allowed = [...allowedByOption, ...allSettings.flatMap((each) => rulesOf('allow', each))];
  const ofAgents = Object.values(given.agents ?? {}).flatMap(({ disallowedTools }) => disallowedTools ?? []);
  if (denied.some(deniesPart)) named.push('deniedPart');
  if (denied.some(isOfCommands)) named.push('deniedCommands');
  for (const form of new Set([...denied, ...ofAgents].flatMap(deniedForms))) named.push(`denied ${form}`);
  if (ofAgents.some(isAboutServer)) named.push('agentsWithoutServer');
  const agents = Object.values(given.agents ?? {});
  if (agents.some(({ maxTurns }) => maxTurns !== undefined)) named.push('agentTurns');
  const isBypassAgent = agents.some(({ permissionMode }) => permissionMode === 'bypassPermissions');
  if (isBypassAgent && !mayBypass(given)) named.push('agentBypass');
  if (agents.some(({ model }) => isNewModel(model))) named.push('agentModel');
  if (agents.some(({ permissionMode }) => permissionMode === 'auto')) named.push('agentAuto');
  if (agents.some(({ permissionMode }) => permissionMode === 'plan')) named.push('agentPlan');
  if (agents.some(({ effort }) => effort === 'xhigh')) named.push('agentEffort');
  named.push(...mainAgentUses(given, allSettings));
  const asked = allSettings.flatMap((each) => rulesOf('ask', each));
  if (asked.some(isNarrow)) named.push('askingRule');
  named.push(...asked.flatMap(deniedForms).map((form) => `asked ${form}` as const));
  const guards = given.agents ?? given.disallowedTools ?? given.allowedTools ?? given.tools ?? given.settingSources;
  const others =
    given.canUseTool ??
    given.enableFileCheckpointing ??
    given.hooks ??
    given.settings ??
    given.sandbox ??
    given.extraArgs;
  if (named.includes('planMode') || named.includes('agentPlan'))
    named.push(...new Set(allowed.map(allowedBy).flatMap((each) => (each ? [`plan beside ${each}` as const] : []))));
  return {
    denied,
    asked,
    allowed,
    settings: { inline, file: isFile ? value : undefined, sources: given.settingSources ?? undefined },
    release: given.claudeCodeVersion ?? (isElsewhere ? 'newest' : undefined),
    named,
    mayAsk:
      (given.systemPrompt ?? guards ?? others) !== undefined ||
      (given.toolAliases ?? given.verbatimPrompts ?? given.agent) !== undefined ||
      Boolean(given.permissionPromptToolName) ||
      named.includes('planMode'),
  };
}

/** A path of a settings file is left to the CLI. */
function toObject(settings: unknown): JsonObject {
  const value = typeof settings === 'string' ? parseJsonObject(settings) : settings;
  return isJsonObject(value) ? value : {};
}

/** The CLI ignores others in its settings. */
const MODES: ReadonlySet<unknown> = new Set(['default', 'acceptEdits', 'plan', 'bypassPermissions', 'dontAsk', 'auto']);

/** The values of the caller's own flags. */
function byFlag({ extraArgs = {} }: GivenOptions, ...flags: readonly string[]): string[] {
  return flags.map((flag) => extraArgs[flag]).filter((value) => typeof value === 'string');
}

/** An agent that is not in `agents` may be one of a file, which newer releases hold to its lists. */
function mainAgentUses(
  { agent, agents = {}, extraArgs }: GivenOptions,
  allSettings: readonly JsonObject[],
): NamedUse[] {
  const byFlag = [agent, extraArgs?.agent].filter((name) => typeof name === 'string' && name !== '');
  const bySetting = allSettings.some((each) => typeof each.agent === 'string' && each.agent !== '');
  const definitions = byFlag.map((name) => (name && Object.hasOwn(agents, name) ? agents[name] : undefined));
  const mayRestrict = definitions.some((each) => (each === undefined ? true : (each.tools ?? each.disallowedTools)));
  return [
    ...(byFlag.length > 0 ? (['mainAgent'] as const) : []),
    ...(mayRestrict || bySetting ? (['mainAgentTools'] as const) : []),
  ];
}

function mayBypass({ allowDangerouslySkipPermissions, extraArgs = {} }: GivenOptions): boolean {
  const flags = ['dangerously-skip-permissions', 'allow-dangerously-skip-permissions'];
  return allowDangerouslySkipPermissions === true || flags.some((flag) => extraArgs[flag] !== undefined);
}

/** Every mode on the command line: which of them counts is left to the CLI. */
function modeFlags({ permissionMode, extraArgs }: GivenOptions): readonly unknown[] {
  const skips = extraArgs?.['dangerously-skip-permissions'] === undefined ? undefined : 'bypassPermissions';
  return [permissionMode, extraArgs?.['permission-mode'], skips].filter(Boolean);
}
