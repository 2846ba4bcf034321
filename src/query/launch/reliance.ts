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
  const named: NamedUse[] = [];
  if (all.some(needsSandbox)) named.push('sandbox');
  if (!hasMode(given, all)) named.push('noPermissionMode');
  const isPlain = given.systemPrompt === undefined && !asksHost && !named.includes('sandbox');
  return {
    release: given.claudeCodeVersion ?? (isElsewhere ? 'newest' : undefined),
    named,
    mayAsk: !isPlain || (given.agents ?? given.disallowedTools) !== undefined,
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

const MODE_FLAGS = ['permission-mode', 'dangerously-skip-permissions'];

function hasMode({ permissionMode, extraArgs }: GivenOptions, settings: readonly JsonObject[]): boolean {
  return (
    Boolean(permissionMode) ||
    MODE_FLAGS.some((name) => extraArgs?.[name] !== undefined) ||
    settings.some(({ permissions }) => isJsonObject(permissions) && permissions.defaultMode !== undefined)
  );
}
