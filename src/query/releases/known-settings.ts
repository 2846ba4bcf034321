import type { Diagnostic } from '../../diagnostics.js';
import { isFromRelease } from '../../util/cli-versions.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { EVENTS, HOOKS_THAT_GUARD } from './honoured.js';
import { olderForms } from './lacking.js';
import { olderRule, RULE } from './older-rules.js';

/*
 * A release drops inline settings as a whole for one value that it does not know, the rules that deny included
 * (`docs/reference/releases.md`). So such values are given in an older form, are left out, or end the run.
 */

/** From here on an unknown event of hooks, type of hook, or rule costs only itself. */
export const ONLY_ITSELF = { event: '2.1.101', type: '2.1.257', rule: '2.1.47' } as const;

/** Events that the oldest release takes in settings. */
const OLD_EVENTS: ReadonlySet<string> = new Set([
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'PermissionRequest', 'Notification'],
  ...['SessionStart', 'SessionEnd', 'Stop', 'SubagentStart', 'SubagentStop', 'PreCompact'],
]);

/** Types of hooks that not every release knows. */
export const HOOK_TYPES: Readonly<Record<string, string>> = {
  command: '',
  prompt: '',
  agent: '',
  http: '2.1.48',
  mcp_tool: '2.1.118',
};

/** Modes that not every release knows in settings. */
export const MODES: Readonly<Record<string, string>> = { auto: '2.1.71', manual: '2.1.200' };

/** Events whose hooks in settings decide about a call or a prompt. */
const GUARDS: ReadonlySet<string> = new Set([...HOOKS_THAT_GUARD, 'PermissionRequest']);

/** Settings that a release takes. */
export interface KnownSettings {
  /** The given ones where nothing was changed. */
  readonly settings: JsonObject;
  /** What was left out, as paths and rules. */
  readonly leftOut: readonly string[];
  /** What protects and cannot be given in another way, with the release that it needs. */
  readonly refused?: { readonly option: string; readonly since: string };
}

/** What the program has to know of settings that were left out. */
export function leftOutNote(release: string, leftOut: readonly string[]): Diagnostic {
  return {
    code: 'option_not_honoured',
    message: `Claude Code ${release} would drop all of \`settings\` for what it does not know, so this was left out: ${leftOut.join('; ')}.`,
    details: { option: 'settings', release },
  };
}

/** Why settings are refused. */
export function refusalText(release: string, { option, since }: NonNullable<KnownSettings['refused']>): string {
  return `Claude Code ${release} does not honour \`${option}\`, which needs ${since} or newer.`;
}

/** The settings without what the release does not know. */
export function knownSettings(settings: JsonObject, release: string): KnownSettings {
  const editor = new SettingsEditor(release);
  const hooks = isJsonObject(settings.hooks) ? editor.hooks(settings.hooks) : settings.hooks;
  const permissions = isJsonObject(settings.permissions)
    ? editor.permissions(settings.permissions)
    : settings.permissions;
  const isSame = hooks === settings.hooks && permissions === settings.permissions;
  const { leftOut, refused } = editor;
  return { settings: isSame ? settings : { ...settings, hooks, permissions }, leftOut, ...(refused && { refused }) };
}

class SettingsEditor {
  readonly leftOut: string[] = [];
  refused: KnownSettings['refused'];
  readonly #release: string;

  constructor(release: string) {
    this.#release = release;
  }

  hooks(given: JsonObject): JsonObject {
    const kept = Object.entries(given).flatMap(([event, list]): [string, unknown][] => {
      if (!this.#has(ONLY_ITSELF.event) && !this.#knowsEvent(event)) {
        this.leftOut.push(`hooks.${event}`);
        return [];
      }
      return [[event, this.#matchers(event, list)]];
    });
    const isSame = kept.length === Object.keys(given).length && kept.every(([event, list]) => list === given[event]);
    return isSame ? given : Object.fromEntries(kept);
  }

  permissions(given: JsonObject): JsonObject {
    const { defaultMode } = given;
    const since = typeof defaultMode === 'string' ? MODES[defaultMode] : undefined;
    if (since !== undefined && !this.#has(since)) {
      this.#refuse(`settings.permissions.defaultMode: '${defaultMode}'`, since);
    }
    const lists = Object.fromEntries(
      ['allow', 'ask', 'deny'].flatMap((kind) => {
        const rules = given[kind];
        const known = Array.isArray(rules) ? this.#rules(kind, rules) : rules;
        return known === rules ? [] : [[kind, known]];
      }),
    );
    return Object.keys(lists).length === 0 ? given : { ...given, ...lists };
  }

  #knowsEvent(event: string): boolean {
    const since = EVENTS[event];
    return OLD_EVENTS.has(event) || (since !== undefined && this.#has(since));
  }

  #matchers(event: string, list: unknown): unknown {
    if (!Array.isArray(list) || this.#has(ONLY_ITSELF.type)) return list;
    const known = list.map((matcher: unknown): unknown => {
      if (!isJsonObject(matcher) || !Array.isArray(matcher.hooks)) return matcher;
      const hooks = matcher.hooks.filter((hook: unknown) => this.#takesHook(event, hook));
      return hooks.length === matcher.hooks.length ? matcher : { ...matcher, hooks };
    });
    return known.every((matcher, index) => matcher === list[index]) ? list : known;
  }

  #takesHook(event: string, hook: unknown): boolean {
    if (!isJsonObject(hook) || typeof hook.type !== 'string') return true;
    const since = HOOK_TYPES[hook.type] ?? ONLY_ITSELF.type;
    if (since === '' || this.#has(since)) return true;
    if (GUARDS.has(event)) this.#refuse(`settings.hooks.${event}: ${hook.type}`, since);
    else this.leftOut.push(`hooks.${event} of the type ${hook.type}`);
    return false;
  }

  #rules(kind: string, given: readonly unknown[]): readonly unknown[] {
    if (this.#has(ONLY_ITSELF.rule)) return given;
    const lacked = olderForms(this.#release);
    const isTaken = (rule: unknown): boolean =>
      typeof rule !== 'string' || takesRule(rule.trim(), lacked.has('prefix'));
    if (given.every(isTaken)) return given;
    return given.flatMap((rule) => {
      if (typeof rule !== 'string' || isTaken(rule)) return [rule];
      const older = olderRule(rule.trim());
      if (older !== undefined && isTaken(older)) return [older];
      if (kind === 'allow') this.leftOut.push(`permissions.allow: ${rule}`);
      else this.#refuse(`settings.permissions.${kind}: ${rule}`, ONLY_ITSELF.rule);
      return [];
    });
  }

  #refuse(option: string, since: string): void {
    this.refused ??= { option, since };
  }

  #has(release: string): boolean {
    return isFromRelease(this.#release, release);
  }
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
