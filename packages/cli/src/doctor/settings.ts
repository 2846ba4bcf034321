import { type ResolvedSettings, resolveSettings } from 'claudewire';
import { replaceSecrets } from 'claudewire/testing';
import { isJsonObject } from '../../../../src/util/json.js';
import { type Finding, warned } from './finding.js';

const CURE = 'A program that wants to decide sets `settingSources: []`, or a PreToolUse hook, which sees every call.';
/** What `canUseTool` is not asked about in each mode. */
const MODES: Readonly<Record<string, string>> = {
  bypassPermissions: 'anything',
  dontAsk: 'anything: what no rule allows is denied',
  acceptEdits: 'edits of files in the working directory',
  auto: 'what a classifier finds harmless',
};
/** Hooks of the settings that decide before `canUseTool` is asked, or in its place. */
const DECIDING_HOOKS = ['PreToolUse', 'PermissionRequest'];

/** Settings of the user and the project that decide in the place of a program's callbacks, and those that do not count. */
export async function settingsFindings(cwd: string): Promise<readonly Finding[]> {
  const resolved = await resolveSettings({ cwd });
  const lost = (resolved.leftOut ?? []).map(({ source, path, key, reason }) =>
    warned('settings', [path ?? source, ...(key === undefined ? [] : [key])].join(': '), reason, 'Correct it there.'),
  );
  return [...lost, ...resolved.sources.flatMap(shadowing)];
}

function shadowing({ source, path, settings }: ResolvedSettings['sources'][number]): readonly Finding[] {
  const where = path ?? source;
  const findings: Finding[] = [];
  const add = (found: string): void => void findings.push(warned('callbacks', where, found, CURE));
  const permissions = isJsonObject(settings.permissions) ? settings.permissions : {};
  const mode = typeof permissions.defaultMode === 'string' ? MODES[permissions.defaultMode] : undefined;
  if (mode !== undefined) add(`defaultMode ${permissions.defaultMode}: canUseTool is not asked about ${mode}.`);
  const [allowed, denied] = [rules(permissions.allow), rules(permissions.deny)];
  if (allowed !== '') add(`permissions.allow: canUseTool is not asked about ${allowed}.`);
  if (denied !== '') add(`permissions.deny: refused without asking canUseTool: ${denied}.`);
  const hooks = isJsonObject(settings.hooks) ? settings.hooks : {};
  const deciding = DECIDING_HOOKS.filter((event) => Array.isArray(hooks[event]) && hooks[event].length > 0);
  if (deciding.length > 0)
    add(`hooks.${deciding.join(', hooks.')}: commands that may decide before canUseTool is asked.`);
  return findings;
}

const SHOWN_RULES = 5;
/** A rule may be a whole command line. */
const RULE_CHARS = 120;

function rules(value: unknown): string {
  const texts = Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
  const more = texts.length > SHOWN_RULES ? ` and ${texts.length - SHOWN_RULES} more` : '';
  const shown = texts.slice(0, SHOWN_RULES).map((each) => {
    const rule = replaceSecrets(each, '[secret]');
    return rule.length > RULE_CHARS ? `${rule.slice(0, RULE_CHARS)}…` : rule;
  });
  return `${shown.join(', ')}${more}`;
}
