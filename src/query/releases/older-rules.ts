import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { DeniedForm, NamedUse } from './feature.js';

/** The rules in a text, as the CLI parts them: by commas or blanks outside of brackets. */
export function rulesIn(text: string): string[] {
  const rules = [''];
  let depth = 0;
  for (const unit of text) {
    if (unit === '(') depth += 1;
    else if (unit === ')') depth -= 1;
    if (depth <= 0 && /[\s,]/.test(unit)) rules.push('');
    else rules.push(`${rules.pop()}${unit}`);
  }
  return rules.filter(Boolean).map((rule) => rule.replace(/\s+/g, ' ').replace('( ', '('));
}

/** What of a matcher some releases do not read as newer ones do. It is a name, a list of names, or a regular expression. */
export function matcherUses(matcher: unknown): readonly NamedUse[] {
  if (typeof matcher !== 'string') return [];
  const isLoose = isLooseList(matcher);
  return [
    ...(namesAgent(matcher) ? (['agentMatcher'] as const) : []),
    ...(namesSkill(matcher) ? (['skillMatcher'] as const) : []),
    ...(isLoose ? (['looseMatcher'] as const) : []),
    ...(isLoose && matcher.includes('-') ? (['hyphenMatcher'] as const) : []),
  ];
}

const namesAgent = (matcher: string): boolean => /\bAgent\b/.test(matcher);
const namesSkill = (matcher: string): boolean => /\bSkill\b/.test(matcher);

/** A list of names with commas, or with blanks around them. */
function isLooseList(matcher: string): boolean {
  return /^[\w\s,|-]*$/.test(matcher) && /[\s,]/.test(matcher);
}

/** A matcher as older releases read it: a list of names with bars, and older names beside those of tools. */
export function withOlderNames(matcher: string): string {
  const list = isLooseList(matcher) ? namesIn(matcher).join('|') : matcher;
  const older = [...(namesAgent(list) ? ['Task'] : []), ...(namesSkill(list) ? ['SlashCommand'] : [])];
  return [list, ...older.filter((name) => !list.split('|').includes(name))].join('|');
}

/** The `hooks` of `initialize`, with matchers as older releases read them. */
export function withOlderMatchers(hooks: unknown): unknown {
  const older = (entry: unknown): unknown =>
    isJsonObject(entry) && typeof entry.matcher === 'string'
      ? { ...entry, matcher: withOlderNames(entry.matcher) }
      : entry;
  const events = Object.entries(isJsonObject(hooks) ? hooks : {});
  return Object.fromEntries(events.map(([event, list]) => [event, Array.isArray(list) ? list.map(older) : list]));
}

function namesIn(list: string): string[] {
  return list
    .split(/[,|]/)
    .map((name) => name.trim())
    .filter(Boolean);
}

/** Which of the forms that not every release understands a rule that denies has. */
export function deniedForms(rule: string): readonly DeniedForm[] {
  const [, tool = rule, content] = RULE.exec(rule) ?? [];
  const named: readonly DeniedForm[] = tool === 'Agent' ? ['agent'] : tool === 'Skill' ? ['skillTool'] : [];
  if (content === undefined) return tool.includes('*') ? [SERVER.test(tool) ? 'server' : 'name'] : named;
  return [...(tool.includes('*') ? (['name'] as const) : []), ...contentForms(tool, content), ...named];
}

function contentForms(tool: string, content: string): readonly DeniedForm[] {
  if (content === '*' || content === '') return tool === 'Bash' && content === '*' ? ['prefix'] : ['all'];
  if (isParameter(tool, content)) return ['parameter'];
  switch (tool) {
    case 'Agent':
    case 'Task':
      return ['agentType'];
    case 'Bash':
      return bashForms(content);
    case 'Skill':
      return content.endsWith(' *') ? ['skill'] : [];
    case 'WebFetch':
      return content.includes('*') ? ['domain'] : [];
    default:
      // Other patterns of paths are as old as the tools.
      return /^(?:\/\/?|~\/)\*\*$/.test(content) ? ['root'] : [];
  }
}

function bashForms(content: string): readonly DeniedForm[] {
  const prefix = /[ :]\*$/.test(content) ? content.slice(0, -2) : content;
  if (prefix.includes('*')) return ['pattern'];
  return content.endsWith(' *') ? ['prefix'] : [];
}

/** `run_in_background:true`. What has always had a colon is none: `git:*`, `domain:x.org`, `plugin:skill`. */
function isParameter(tool: string, content: string): boolean {
  if (tool === 'WebFetch' || tool === 'Skill' || content.endsWith(':*')) return false;
  if (tool === 'Bash')
    return /^(?:command|timeout|description|run_in_background|dangerouslyDisableSandbox):/.test(content);
  if (tool === 'Agent' || tool === 'Task') return AGENT_PARAMETER.test(content);
  return /^[A-Za-z]\w+:/.test(content);
}

const AGENT_PARAMETER =
  /^(?:model|subagent_type|description|prompt|run_in_background|isolation|name|team_name|mode|resume|max_turns):/;

/** Whether a rule denies less than all that another rule may allow: calls of a tool, or tools of a server. */
export function deniesPart(rule: string): boolean {
  const [, tool = rule, content = '*'] = RULE.exec(rule) ?? [];
  return tool.startsWith('mcp__') || !/^\*?$/.test(content);
}

/** Whether a rule is about some commands of `Bash`. */
export function isOfCommands(rule: string): boolean {
  const [, tool, content = ''] = RULE.exec(rule) ?? [];
  return tool === 'Bash' && !/^[:*]*$/.test(content) && !isParameter(tool, content);
}

/** Whether a rule is more than the name of a tool that every release knows. */
export function isNarrow(rule: string): boolean {
  return RULE.test(rule) || deniedForms(rule).some((form) => form !== 'skillTool');
}

/** A rule with content: the tool and the content. */
export const RULE = /^([^()]*)\((.*)\)$/s;
const SERVER = /^mcp__[^*]+__\*$/;

/** The older forms of those of `rules` that are in a form which a release does not understand. */
export function olderRules(rules: readonly unknown[], lacked: ReadonlySet<DeniedForm>): string[] {
  return rules.flatMap((rule) => {
    const forms = typeof rule === 'string' ? deniedForms(rule).filter((form) => lacked.has(form)) : [];
    if (typeof rule !== 'string' || forms.length === 0) return [];
    const older = forms.some((form) => form !== 'skillTool') ? olderRule(rule) : undefined;
    return [...(older === undefined ? [] : [older]), ...(forms.includes('skillTool') ? [commandRule(rule)] : [])];
  });
}

/** A skill was a command, with a slash before its name. */
function commandRule(rule: string): string {
  const content = RULE.exec(rule)?.[2] ?? '';
  const name = content.replace(/ \*$/, ':*');
  return name === '' || name === '*' ? 'SlashCommand' : `SlashCommand(/${name})`;
}

/** The `agents` of `initialize`, with the older forms beside what is disallowed for each. */
export function withOlderRules(agents: JsonObject, lacked: ReadonlySet<DeniedForm>): JsonObject {
  const older = (agent: unknown): unknown => {
    if (!isJsonObject(agent) || !Array.isArray(agent.disallowedTools)) return agent;
    const { disallowedTools: denied } = agent;
    return { ...agent, disallowedTools: [...denied, ...olderRules(denied, lacked)] };
  };
  return Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, older(agent)]));
}

/** The older form of a rule. `undefined`: there is none. */
export function olderRule(rule: string): string | undefined {
  const forms = deniedForms(rule);
  const { name = rule } = /^(?<name>[^()]*)\(/.exec(rule)?.groups ?? {};
  if (forms.includes('root')) return `${rule.slice(0, -1)}/*)`;
  if (forms.includes('all')) return name === 'Agent' ? 'Task' : name;
  if (forms.includes('agent')) return `Task${rule.slice('Agent'.length)}`;
  if (forms.includes('prefix') && rule === 'Bash(*)') return 'Bash';
  if (forms.includes('prefix') || forms.includes('skill')) return `${rule.slice(0, -' *)'.length)}:*)`;
  return forms.includes('server') ? rule.slice(0, -'__*'.length) : undefined;
}

/** Whether a rule is about a server or its tools as a whole. In the list of an agent, not every release honours it. */
export function isAboutServer(rule: string): boolean {
  return /^mcp__(?:(?!__).)+(?:__\*)?$/.test(rule) || rule === 'mcp__*';
}
