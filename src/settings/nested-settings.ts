import { HOOK_EVENTS } from '../control/hook-types.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import {
  anything,
  type Check,
  DROPPED,
  filtered,
  flag,
  INVALID,
  json,
  lenient,
  list,
  object,
  oneOf,
  orElse,
  plain,
  text,
} from './checks.js';
import { eachSwitch, STRICTEST_PERMISSIONS, STRICTEST_SANDBOX } from './managed-stand-ins.js';

const mode: Check = (value) =>
  value === 'manual'
    ? 'default'
    : oneOf('acceptEdits', 'auto', 'bypassPermissions', 'default', 'dontAsk', 'plan')(value);

/** Rules of one list; what is no rule is left out, as the CLI does, and the rest of the list counts. */
export const allowRules: Check = filtered((rule) => (isRule(rule, true) ? rule : INVALID));
export const askAndDenyRules: Check = filtered((rule) => (isRule(rule, false) ? rule : INVALID));

const LISTS = { allow: allowRules, deny: askAndDenyRules, ask: askAndDenyRules, additionalDirectories: list(text) };

const switchesOf = (strictest: JsonObject) =>
  eachSwitch(strictest, (strict) => (strict === 'disable' ? oneOf('disable') : flag));

const SWITCHES = switchesOf(STRICTEST_PERMISSIONS);

/** The `permissions` key of a file. Unknown keys pass. */
export const permissions = object({ ...LISTS, ...SWITCHES, defaultMode: mode });

const switches = lenient(SWITCHES, STRICTEST_PERMISSIONS);

/** The `permissions` key of a policy: a switch that cannot be used is on, a mode that cannot be used is the default. */
export const policyPermissions = (value: unknown): unknown =>
  object({ ...LISTS, defaultMode: orElse(mode, 'default') })(switches(value));

/** Tools whose rules name files, where the `prefix:*` of commands means nothing. */
const FILE_TOOLS = new Set(['Read', 'Edit', 'Write', 'Glob', 'MultiEdit', 'NotebookEdit']);

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
  if (name.startsWith('mcp__')) return !grants || !name.includes('*') || /^mcp__[^*]+?__/.test(name);
  return !/^[a-z]/.test(name) && !(grants && name.includes('*'));
}

function isContent(tool: string, content: string): boolean {
  if (tool === 'Bash') return content !== ':*';
  if (tool === 'WebFetch') return content === '*' || content.startsWith('domain:');
  if (tool === 'WebSearch') return content === '*' || !content.includes('*');
  return !FILE_TOOLS.has(tool) || !content.includes(':*');
}

const KNOWN: ReadonlySet<string> = new Set(HOOK_EVENTS);

/** What each kind of hook cannot do without. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  command: ['command'],
  prompt: ['prompt'],
  agent: ['prompt'],
  http: ['url'],
  mcp_tool: ['server', 'tool'],
};

const hook: Check = (value) => {
  const result = object({ type: oneOf(...Object.keys(REQUIRED)) }, { required: ['type'] })(value);
  if (result === INVALID) return INVALID;
  const fields = result as Readonly<Record<string, unknown>>;
  const required = REQUIRED[String(fields.type)] ?? [];
  return required.every((key) => typeof fields[key] === 'string') ? result : INVALID;
};

const matchers = list(object({ matcher: text, hooks: list(hook) }, { required: ['hooks'] }));

/** Hooks by event in a policy: an event that cannot be used goes alone. */
export const policyHooks: Check = (value) => {
  if (!isJsonObject(value)) return INVALID;
  const kept = plain(
    Object.entries(value)
      .filter(([event]) => KNOWN.has(event))
      .map(([event, each]) => [event, matchers(each)]),
  );
  return Object.keys(kept).length === 0 && Object.keys(value).length > 0 ? DROPPED : kept;
};

/** Hooks by event. Events that this version does not know are left out; with nothing left the key goes. */
export const hooks: Check = (value) => {
  if (!isJsonObject(value)) return INVALID;
  const checked = Object.entries(value).map(
    ([event, each]) => [event, KNOWN.has(event) ? matchers(each) : Array.isArray(each) ? DROPPED : INVALID] as const,
  );
  if (checked.some(([, each]) => each === INVALID)) return INVALID;
  const known = plain(checked);
  return checked.length > 0 && Object.keys(known).length === 0 ? DROPPED : known;
};

const texts = list(text);

const NETWORK = {
  allowedDomains: texts,
  deniedDomains: texts,
  allowUnixSockets: texts,
  allowMachLookup: texts,
  httpProxyPort: anything,
  socksProxyPort: anything,
  tlsTerminate: json,
  ...switchesOf(STRICTEST_SANDBOX.network),
};

const FILESYSTEM = {
  allowWrite: texts,
  denyWrite: texts,
  denyRead: texts,
  allowRead: texts,
  ...switchesOf(STRICTEST_SANDBOX.filesystem),
};

const secret = (name: string): Check =>
  object({ [name]: text, mode: oneOf('deny', 'mask') }, { required: [name, 'mode'] });

const CREDENTIALS = {
  files: list(secret('path')),
  envVars: list(secret('name')),
  awsPairs: list(json),
  sigv4: json,
  ...switchesOf(STRICTEST_SANDBOX.credentials),
};

const REST = {
  enabled: flag,
  failIfUnavailable: flag,
  ignoreViolations: json,
  excludedCommands: texts,
  ripgrep: object({ command: text, args: texts }, { required: ['command'] }),
  bwrapPath: text,
  socatPath: text,
  ...switchesOf(STRICTEST_SANDBOX),
};

/** The `sandbox` key of a file. Unknown keys pass. */
export const sandbox = object({
  ...REST,
  network: object(NETWORK),
  filesystem: object(FILESYSTEM),
  credentials: object(CREDENTIALS),
});

/** The `sandbox` key of a policy: what cannot be used goes alone, and where that would open something it is closed. */
export const policySandbox = lenient(
  {
    ...REST,
    network: lenient(NETWORK, STRICTEST_SANDBOX.network),
    filesystem: lenient(FILESYSTEM, STRICTEST_SANDBOX.filesystem),
    credentials: lenient(CREDENTIALS, STRICTEST_SANDBOX.credentials),
  },
  { ...STRICTEST_SANDBOX, enabled: true },
);
