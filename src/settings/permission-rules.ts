import { type Check, filtered, INVALID } from './checks.js';

/** Tools whose rules name files, where the `prefix:*` of commands means nothing. */
const FILE_TOOLS = new Set(['Read', 'Edit', 'Write', 'Glob', 'MultiEdit', 'NotebookEdit']);

/** Rules of one list; what is no rule is left out, as the CLI does, and the rest of the list counts. */
export const allowRules: Check = filtered((rule) => (isRule(rule, true) ? rule : INVALID));
export const askAndDenyRules: Check = filtered((rule) => (isRule(rule, false) ? rule : INVALID));

/** Whether the CLI takes a text for a permission rule: `Tool`, `Tool(what)`, `mcp__server__tool`. */
function isRule(rule: unknown, grants: boolean): boolean {
  if (typeof rule !== 'string' || rule === '') return false;
  const open = rule.indexOf('(');
  if (open === -1) return !rule.includes(')') && isToolName(rule, grants);
  if (!rule.endsWith(')') || rule.endsWith('\\)')) return false;
  const tool = rule.slice(0, open);
  const content = rule.slice(open + 1, -1);
  if (content === '' || tool.startsWith('mcp__')) return false;
  return (tool === '' || isToolName(tool, grants)) && isContent(tool, content);
}

/** A rule that grants may leave a part open only within one named MCP server; one that restricts may anywhere. */
function isToolName(name: string, grants: boolean): boolean {
  if (name.startsWith('mcp__')) {
    return !grants || !name.includes('*') || /^mcp__[^*]+?__/.test(name);
  }
  return !/^[a-z]/.test(name) && !(grants && name.includes('*'));
}

function isContent(tool: string, content: string): boolean {
  if (tool === 'Bash') return content !== ':*';
  if (tool === 'WebFetch') return content === '*' || content.startsWith('domain:');
  if (tool === 'WebSearch') return content === '*' || !content.includes('*');
  return !FILE_TOOLS.has(tool) || !content.includes(':*');
}
