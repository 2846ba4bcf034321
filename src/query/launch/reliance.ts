import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import type { NamedUse } from '../releases/honoured.js';
import type { Reliance } from './launch-plan.js';
import type { GivenOptions } from './validate-options.js';

/**
 * What a run relies on beside its flags and fields.
 * @param settings - The value of `--settings`.
 */
export function planReliance(given: GivenOptions, settings: string | undefined): Reliance {
  const isElsewhere = (given.transport ?? given.spawnClaudeCodeProcess) !== undefined;
  const asksHost = (given.canUseTool ?? given.hooks) !== undefined || Boolean(given.permissionPromptToolName);
  const all = [settings, given.extraArgs?.settings, given.managedSettings].flatMap(toObject);
  const modes = modesOf(given, all);
  const named: NamedUse[] = [];
  if (all.some(needsSandbox)) named.push('sandbox');
  if (modes.length === 0) named.push('noPermissionMode');
  if (modes.includes('plan')) named.push('planMode');
  if (given.hooks !== undefined && mayApprove(given, modes)) named.push('hooksOverApproval');
  const guards = given.agents ?? given.disallowedTools ?? given.settingSources;
  const isPlain = given.systemPrompt === undefined && !asksHost && guards === undefined;
  return {
    release: given.claudeCodeVersion ?? (isElsewhere ? 'newest' : undefined),
    named,
    mayAsk: !isPlain || named.includes('sandbox') || named.includes('planMode'),
  };
}

/** A path of a settings file is left to the CLI. */
function toObject(settings: unknown): readonly JsonObject[] {
  const value = typeof settings === 'string' ? parseJsonObject(settings) : settings;
  return isJsonObject(value) ? [value] : [];
}

/** Without `failIfUnavailable`, every release runs commands outside of a sandbox that cannot be made. */
function needsSandbox({ sandbox }: JsonObject): boolean {
  return isJsonObject(sandbox) && sandbox.enabled === true && sandbox.failIfUnavailable === true;
}

const SKIPS_PERMISSIONS = 'dangerously-skip-permissions';

/** Every mode that is given: which of them counts is left to the CLI. */
function modesOf({ permissionMode, extraArgs }: GivenOptions, settings: readonly JsonObject[]): readonly unknown[] {
  const inSettings = settings.map(({ permissions }) => isJsonObject(permissions) && permissions.defaultMode);
  const skips = extraArgs?.[SKIPS_PERMISSIONS] === undefined ? undefined : 'bypassPermissions';
  return [permissionMode, extraArgs?.['permission-mode'], skips, ...inSettings].filter(Boolean);
}

/** Whether a call may be approved without a question. Rules in settings files are not looked at. */
function mayApprove({ allowedTools = [] }: GivenOptions, modes: readonly unknown[]): boolean {
  return allowedTools.length > 0 || modes.some((mode) => mode !== 'default' && mode !== 'plan' && mode !== 'dontAsk');
}
