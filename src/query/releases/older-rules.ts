import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { DeniedForm } from './honoured.js';

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

/** A matcher is a name, names with `|` between them, or a regular expression. */
export function namesAgent(matcher: unknown): matcher is string {
  return typeof matcher === 'string' && /\bAgent\b/.test(matcher);
}

/** A list of names with commas, or with blanks around them. */
export function isLooseList(matcher: unknown): matcher is string {
  return typeof matcher === 'string' && /^[\w\s,|]*$/.test(matcher) && /[\s,]/.test(matcher);
}

/** The `hooks` of `initialize`, with lists of names as older releases read them, and `Task` beside the tool `Agent`. */
export function withOlderMatchers(hooks: unknown): unknown {
  const older = (entry: unknown): unknown => {
    if (!isJsonObject(entry) || typeof entry.matcher !== 'string') return entry;
    const list = isLooseList(entry.matcher) ? namesIn(entry.matcher).join('|') : entry.matcher;
    return { ...entry, matcher: namesAgent(list) ? `${list}|Task` : list };
  };
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
  if (tool === 'Agent') return content === undefined ? ['agent'] : ['agentType', 'agent'];
  if (tool === 'Task') return content === undefined ? [] : ['agentType'];
  if (content === undefined) return !tool.includes('*') ? [] : SERVER.test(tool) ? ['server'] : ['name'];
  // Other tools have patterns of paths and domains, which are as old as they are.
  if (tool !== 'Bash') return content === '*' ? ['all'] : [];
  if (content === '*') return ['prefix'];
  const prefix = /[ :]\*$/.test(content) ? content.slice(0, -2) : content;
  if (prefix.includes('*')) return ['pattern'];
  return content.endsWith(' *') ? ['prefix'] : [];
}

/** Whether a rule is more than the name of a tool that every release knows. */
export function isNarrow(rule: string): boolean {
  return RULE.test(rule) || deniedForms(rule).length > 0;
}

const RULE = /^([^()]*)\((.*)\)$/s;
const SERVER = /^mcp__[^*]+__\*$/;

/** Those of `rules` that have an older form, in it. */
export function olderRules(rules: readonly unknown[]): string[] {
  return rules.flatMap((rule) => (typeof rule === 'string' ? (olderRule(rule) ?? []) : []));
}

/** The `agents` of `initialize`, with the older forms beside what is disallowed for each. */
export function withOlderRules(agents: JsonObject): JsonObject {
  const older = (agent: unknown): unknown => {
    if (!isJsonObject(agent) || !Array.isArray(agent.disallowedTools)) return agent;
    return { ...agent, disallowedTools: [...agent.disallowedTools, ...olderRules(agent.disallowedTools)] };
  };
  return Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, older(agent)]));
}

function olderRule(rule: string): string | undefined {
  const forms = deniedForms(rule);
  if (forms.includes('agent')) return `Task${rule.slice('Agent'.length)}`;
  if (forms.includes('prefix')) return rule === 'Bash(*)' ? 'Bash' : `${rule.slice(0, -' *)'.length)}:*)`;
  if (forms.includes('all')) return rule.slice(0, -'(*)'.length);
  return forms.includes('server') ? rule.slice(0, -'__*'.length) : undefined;
}
