import { invalidOption, requireOption } from '../../errors/usage-errors.js';
import { InvalidOptionError } from '../../errors.js';
import { memberPath } from '../../util/member-path.js';
import { argumentString } from '../../util/validate.js';
import type { Options } from '../options.js';
import type { ConfigArgument, LaunchPlan, PrivateFile } from './launch-plan.js';
import type { GivenOptions } from './validate-options.js';

/** What argv needs beside the options themselves. */
interface ArgvParts {
  readonly mcpConfig: ConfigArgument | undefined;
  readonly settings: ConfigArgument | undefined;
  readonly outputSchema: object | undefined;
  readonly managedSettings: string | undefined;
  readonly awaitInitialize: boolean;
  readonly dropsExtraSettings: boolean;
}

type Token = string | ConfigArgument;

const BASE = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

/**
 * The CLI's arguments in the official order (TS-021 to TS-064, `recordings/official-sdk-many.jsonl`). `--flag=value` is
 * one token because the CLI takes a following token that starts with `-` for a flag.
 */
export function buildArgv(o: GivenOptions, parts: ArgvParts): Pick<LaunchPlan, 'args' | 'files'> {
  const tokens: readonly (readonly Token[])[] = [
    BASE,
    thinkingFlags(o),
    flag('effort', o.effort),
    flag('max-turns', o.maxTurns === 0 ? undefined : finite(o.maxTurns)),
    flag('max-budget-usd', finite(o.maxBudgetUsd)),
    flag('task-budget', o.taskBudget?.total),
    flag('model', o.model),
    flag('agent', o.agent),
    listFlag('betas', o.betas),
    flag('json-schema', parts.outputSchema && JSON.stringify(parts.outputSchema)),
    o.debugFile ? flag('debug-file', o.debugFile) : toggle('debug', o.debug),
    flag('permission-prompt-tool', o.canUseTool ? 'stdio' : o.permissionPromptToolName),
    flag('permission-prompts', o.permissionPrompts),
    toggle('continue', o.continue),
    flag('resume', o.resume),
    listFlag('allowedTools', o.skills ? allowedToolsWithSkills(o.skills, o.allowedTools) : o.allowedTools),
    listFlag('disallowedTools', o.disallowedTools),
    o.tools === undefined ? [] : toolsFlag(o.tools),
    configFlag('mcp-config', parts.mcpConfig),
    o.settingSources === undefined ? [] : [`--setting-sources=${o.settingSources.join(',')}`],
    toggle('strict-mcp-config', o.strictMcpConfig),
    flag('permission-mode', o.permissionMode),
    toggle('allow-dangerously-skip-permissions', o.allowDangerouslySkipPermissions),
    flag('fallback-model', o.fallbackModel),
    toggle('include-hook-events', o.includeHookEvents),
    toggle('include-partial-messages', o.includePartialMessages),
    toggle('session-mirror', o.sessionStore !== undefined),
    o.projectConfigRoot === undefined ? [] : [`--project-config-root=${o.projectConfigRoot}`],
    (o.additionalDirectories ?? []).map((path) => `--add-dir=${path}`),
    toggle('await-initialize', parts.awaitInitialize),
    o.plugins === undefined || o.pluginDelivery === 'initialize' ? [] : pluginFlags(o.plugins),
    toggle('fork-session', o.forkSession),
    flag('resume-session-at', o.resumeSessionAt),
    o.resumeDropsTurn === undefined ? [] : [`--resume-drops-turn=${o.resumeDropsTurn}`],
    flag('session-id', o.sessionId),
    toggle('no-session-persistence', o.persistSession === false),
    parts.managedSettings === undefined ? [] : ['--managed-settings', parts.managedSettings],
    o.extraArgs === undefined ? configFlag('settings', parts.settings) : settingsAndExtra(o.extraArgs, parts),
  ];
  return placeFiles(tokens.flat());
}

/** The settings come last, or take the place of the caller's own flag of that name (TS-063). */
function settingsAndExtra(own: NonNullable<Options['extraArgs']>, parts: ArgvParts): readonly Token[] {
  const settings = configFlag('settings', parts.settings);
  if (!parts.dropsExtraSettings || !Object.hasOwn(own, 'settings')) return [...extraArguments(own), ...settings];
  return Object.entries(own).flatMap(([name, value]) =>
    name === 'settings' ? settings : extraArguments({ [name]: value }),
  );
}

/** Puts placeholders where the paths of private files will be. */
function placeFiles(tokens: readonly Token[]): Pick<LaunchPlan, 'args' | 'files'> {
  const files: PrivateFile[] = [];
  const args = tokens.map((token, argIndex) => {
    if (typeof token === 'string') return token;
    if (!token.isPrivate) return token.text;
    files.push({ argIndex, content: token.text, name: token.fileName });
    return `<path of ${token.fileName}>`;
  });
  return { args, files };
}

function thinkingFlags({ thinking, maxThinkingTokens }: GivenOptions): readonly string[] {
  if (thinking === undefined) {
    return maxThinkingTokens === 0 ? ['--thinking=disabled'] : flag('max-thinking-tokens', maxThinkingTokens);
  }
  if (thinking.type === 'disabled') return ['--thinking=disabled'];
  const budget = thinking.type === 'enabled' ? (thinking.budgetTokens ?? undefined) : undefined;
  return [
    budget === undefined ? '--thinking=adaptive' : `--max-thinking-tokens=${budget}`,
    ...flag('thinking-display', thinking.display),
  ];
}

function toolsFlag(tools: NonNullable<GivenOptions['tools']>): readonly string[] {
  return [`--tools=${Array.isArray(tools) ? tools.join(',') : 'default'}`];
}

function pluginFlags(plugins: NonNullable<GivenOptions['plugins']>): readonly string[] {
  return plugins.map(({ path, skipMcpDiscovery }) =>
    skipMcpDiscovery === true ? `--plugin-dir-no-mcp=${path}` : `--plugin-dir=${path}`,
  );
}

/** One token; nothing for an empty text, which the official SDK does not send either. */
function flag(name: string, value: string | number | null | undefined): readonly string[] {
  return value === undefined || value === null || value === '' ? [] : [`--${name}=${value}`];
}

function toggle(name: string, isOn: boolean | undefined): readonly string[] {
  return isOn === true ? [`--${name}`] : [];
}

function listFlag(name: string, values: readonly string[] = []): readonly string[] {
  return values.length === 0 ? [] : [`--${name}=${values.join(',')}`];
}

function configFlag(name: string, value: ConfigArgument | undefined): readonly Token[] {
  return value === undefined ? [] : [`--${name}`, value];
}

/** `Infinity` is "no limit": nothing to send. */
function finite(value: number | undefined): number | undefined {
  return value === Number.POSITIVE_INFINITY ? undefined : value;
}

/** `allowedTools` with the rules that `skills` adds after the caller's own, none twice. */
function allowedToolsWithSkills(
  given: NonNullable<Options['skills']>,
  allowedTools: readonly string[] = [],
): readonly string[] {
  const rules = given === 'all' ? ['Skill'] : given.map((name) => `Skill(${name})`);
  return [...allowedTools, ...new Set(rules.filter((rule) => !allowedTools.includes(rule)))];
}

/**
 * The caller's own flags (TS-063): `null` is the bare flag, text a second token, or `--k=v` when it starts with `-`.
 * Not checked against the SDK's flags: both appear.
 * @throws InvalidOptionError a value that is not text, a number, a boolean or `null`; a name with dashes.
 */
function extraArguments(extraArgs: NonNullable<Options['extraArgs']>): readonly string[] {
  return Object.entries(extraArgs).flatMap(([name, value]) => extraArgument(name, value));
}

function extraArgument(name: string, value: unknown): readonly string[] {
  const path = memberPath('extraArgs', name);
  requireOption(argumentString, name, path);
  if (name === '' || name.startsWith('-')) {
    throw new InvalidOptionError(
      path,
      `Option \`extraArgs\` takes names without dashes, but one is ${JSON.stringify(name.slice(0, 80))}.`,
      { hint: 'The SDK writes the two dashes itself.' },
    );
  }
  if (value === undefined) return [];
  if (value === null) return [`--${name}`];
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw invalidOption(path, 'a string or null', value);
  }
  const text = String(value);
  requireOption(argumentString, text, path);
  return text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text];
}
