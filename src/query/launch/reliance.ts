import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import type { NamedUse } from '../releases/honoured.js';
import type { Reliance } from './launch-plan.js';
import type { GivenOptions } from './validate-options.js';

/**
 * What a run relies on beside its flags and fields.
 * @param settings - The value of `--settings` that {@link planSettings} made. `undefined`: that of `extraArgs` counts.
 */
export function planReliance(given: GivenOptions, settings: string | undefined): Reliance {
  const isElsewhere = (given.transport ?? given.spawnClaudeCodeProcess) !== undefined;
  const inline = toObject(settings ?? given.extraArgs?.settings);
  const flags = modeFlags(given);
  const mode = modeIn(inline);
  const named: NamedUse[] = [];
  if (needsSandbox(inline)) named.push('sandbox');
  if (flags.length === 0 && !MODES.has(mode)) named.push('noPermissionMode');
  const managed = modeIn(toObject(given.managedSettings));
  if (flags.includes('plan') || mode === 'plan' || managed === 'plan') named.push('planMode');
  if (given.hooks !== undefined) named.push('hooks');
  const guards = given.agents ?? given.disallowedTools ?? given.allowedTools ?? given.tools ?? given.settingSources;
  const others = given.canUseTool ?? given.hooks ?? given.settings ?? given.sandbox ?? given.extraArgs;
  return {
    release: given.claudeCodeVersion ?? (isElsewhere ? 'newest' : undefined),
    named,
    mayAsk:
      (given.systemPrompt ?? guards ?? others) !== undefined ||
      Boolean(given.permissionPromptToolName) ||
      named.includes('planMode'),
  };
}

/** A path of a settings file is left to the CLI. */
function toObject(settings: unknown): JsonObject {
  const value = typeof settings === 'string' ? parseJsonObject(settings) : settings;
  return isJsonObject(value) ? value : {};
}

/** When no sandbox can be made and `failIfUnavailable` is not set, every release runs commands without one. */
function needsSandbox({ sandbox }: JsonObject): boolean {
  return isJsonObject(sandbox) && sandbox.enabled === true && sandbox.failIfUnavailable === true;
}

/** The CLI ignores others in its settings. */
const MODES: ReadonlySet<unknown> = new Set(['default', 'acceptEdits', 'plan', 'bypassPermissions', 'dontAsk', 'auto']);

function modeIn({ permissions }: JsonObject): unknown {
  return isJsonObject(permissions) ? permissions.defaultMode : undefined;
}

/** Every mode on the command line: which of them counts is left to the CLI. */
function modeFlags({ permissionMode, extraArgs }: GivenOptions): readonly unknown[] {
  const skips = extraArgs?.['dangerously-skip-permissions'] === undefined ? undefined : 'bypassPermissions';
  return [permissionMode, extraArgs?.['permission-mode'], skips].filter(Boolean);
}
