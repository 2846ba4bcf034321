import type { JsonObject } from '../../util/json.js';
import { olderForms } from './lacking.js';
import { olderRule, RULE } from './older-rules.js';
import { type SettingsChanges, unlessSame } from './settings-changes.js';

/** From here on a rule that the release does not take costs only itself. */
export const RULES_ALONE = '2.1.47';

/** Modes that not every release knows in settings. */
export const MODES: Readonly<Record<string, string>> = { auto: '2.1.71', manual: '2.1.200' };

/** The permissions of inline settings as the release takes them. */
export function knownPermissions(given: JsonObject, changes: SettingsChanges): JsonObject {
  const { defaultMode } = given;
  const since = typeof defaultMode === 'string' ? MODES[defaultMode] : undefined;
  if (since !== undefined && !changes.has(since)) changes.refuse(`permissions.defaultMode: '${defaultMode}'`, since);
  if (changes.has(RULES_ALONE)) return given;
  const known = Object.entries(given).map(([kind, rules]): [string, unknown] => {
    const isList = ['allow', 'ask', 'deny'].includes(kind) && Array.isArray(rules);
    return [kind, isList ? unlessSame(rules, knownRules(kind, rules, changes)) : rules];
  });
  return unlessSame(given, Object.fromEntries(known));
}

function knownRules(kind: string, given: readonly unknown[], changes: SettingsChanges): unknown[] {
  const isPatternLacked = olderForms(changes.release).has('prefix');
  return given.flatMap((rule) => {
    if (typeof rule !== 'string' || takesRule(rule.trim(), isPatternLacked)) return [rule];
    const older = olderRule(rule.trim());
    if (older !== undefined && takesRule(older, isPatternLacked)) return [older];
    if (kind === 'allow') changes.leftOut.push(`permissions.allow: ${rule}`);
    else changes.refuse(`permissions.${kind}: ${rule}`, RULES_ALONE);
    return [];
  });
}

const FILE_TOOLS = /^(?:Read|Edit|Write|Glob|Grep|LS|MultiEdit|Notebook(?:Read|Edit))$/;

/** Whether a release that checks rules strictly takes this one. */
function takesRule(rule: string, isPatternLacked: boolean): boolean {
  const count = (sign: string): number => rule.split(sign).length - 1;
  if (!/^(?:[A-Z*]|mcp__)/.test(rule) || count('(') !== count(')') || rule.includes('()')) return false;
  const [, tool, content] = RULE.exec(rule) ?? [];
  if (tool === undefined || content === undefined) return true;
  if (tool.startsWith('mcp__')) return false;
  switch (tool) {
    case 'Bash':
      return takesCommand(content, isPatternLacked);
    case 'WebFetch':
      return content.startsWith('domain:');
    case 'WebSearch':
      return !/[*?]/.test(content);
    default:
      return !(FILE_TOOLS.test(tool) && content.includes(':*'));
  }
}

function takesCommand(content: string, isPatternLacked: boolean): boolean {
  const prefix = content.endsWith(':*') ? content.slice(0, -2) : content;
  return prefix !== '' && !prefix.includes(':*') && !(isPatternLacked && prefix.includes('*'));
}
