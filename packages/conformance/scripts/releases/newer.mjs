import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_FORMS } from './agent-forms.mjs';
import { bash, bypass, ran } from './guards.mjs';
import { HOOKS } from './hooks.mjs';
import { LIMITS } from './limits.mjs';
import { MAIN_AGENT } from './main-agent.mjs';
import { PRECEDENCE } from './precedence.mjs';
import { SETTINGS_KEPT } from './settings-kept.mjs';
import { failure } from './stage.mjs';
import { WIDENING } from './widening.mjs';

/*
 * What only newer releases honour, and older ones take without an error: forms of rules, names of tools, answers of hooks.
 * Rows beside them show what works on every release.
 */

const SERVER = 'probe';
const SECRET = 'CONTENT-OF-SECRET';
const text = (words) => [{ type: 'text', text: words }];

/** A server in this process with one tool. It counts the calls. */
function server(name, answer) {
  const served = { calls: 0 };
  const tool = { name, description: 'A probe.', inputSchema: { type: 'object', properties: {} } };
  const results = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: SERVER, version: '1.0.0' },
    }),
    'tools/list': () => ({ tools: [tool] }),
    'tools/call': () => {
      served.calls += 1;
      return { content: text(answer) };
    },
  };
  const mcp = ({ message: { id, method, params } }) => ({
    mcp_response: { jsonrpc: '2.0', id: id ?? 0, result: results[method]?.(params) ?? {} },
  });
  return { served, mcp, initialize: { sdkMcpServers: [SERVER] } };
}

/** Rules that forbid `mkdir`, `ln` and the tool of the server, and the names of their rows. */
function forbid([mkdir, link, hit], args) {
  return async (stage) => {
    const [a, b] = ['a', 'b'].map((name) => join(stage.work, name));
    const { served, mcp, initialize } = server('hit', 'Hit.');
    const calls = [bash(`mkdir ${a}`), bash(`ln -s ${stage.config} ${b}`), [`mcp__${SERVER}__hit`, {}]];
    const seen = await bypass(stage, { args, calls, initialize, mcp });
    return {
      [mkdir]: ran(seen, a),
      [link]: ran(seen, b),
      [hit]: served.calls > 0 ? 'runs' : (failure(seen) ?? 'does not run'),
    };
  };
}

const rules = forbid(
  [
    'disallowedTools, a rule that ends in ` *`',
    'settings, a rule that denies and ends in ` *`',
    'disallowedTools, `mcp__server__*`',
  ],
  [`--disallowedTools=Bash(mkdir *),mcp__${SERVER}__*`, '--settings', '{"permissions":{"deny":["Bash(ln *)"]}}'],
);

const forms = forbid(
  [
    'disallowedTools, a rule that ends in `*` within a word',
    'disallowedTools, a rule that begins with `*`',
    'disallowedTools, `mcp__server`',
  ],
  [`--disallowedTools=Bash(mkd*),Bash(* -s *),mcp__${SERVER}`],
);

/** Rules that ask, in inline settings. */
function asks(name, rules, mode) {
  return async (stage) => {
    const files = rules.map((_, index) => join(stage.work, `made-${index}`));
    const calls = files.map((file, index) => bash(`${index === 0 ? 'mkdir' : 'touch'} ${file}`));
    const settings = JSON.stringify({ permissions: { ask: rules } });
    const args = ['--permission-prompt-tool=stdio', '--settings', settings, ...mode];
    const seen = await stage.play({ args, calls, env: { IS_SANDBOX: '1' } });
    const words = (file, index) => {
      const isAsked = seen.asked.some(({ input }) => input.command === calls[index][1].command);
      return isAsked ? 'asked' : ran(seen, file);
    };
    return Object.fromEntries(
      rules.map((rule, index) => [`a rule that asks, ${name}, \`${rule}\``, words(files[index], index)]),
    );
  };
}
const BYPASS = ['--permission-mode=bypassPermissions', '--allow-dangerously-skip-permissions'];
const ALLOWED = ['--permission-mode=default', '--allowedTools=Bash'];
const ASKED = ['Bash(mkdir:*)', 'Bash(touch *)'];

/** Rules of other kinds, each with the call that it forbids; a call that is not forbidden leaves a trace or words. */
function forbidOne(rule, call, isDenied) {
  return async (stage) => {
    const { mcp, initialize } = server('hit', 'HIT');
    const file = join(stage.work, 'trace');
    stage.write(
      join(stage.work, '.claude', 'skills', 'dep', 'SKILL.md'),
      '---\nname: dep\ndescription: A probe.\n---\nWORDS-OF-THE-SKILL',
    );
    const seen = await bypass(stage, { args: [`--disallowedTools=${rule}`], calls: [call(file)], initialize, mcp });
    const sent = JSON.stringify(seen.bodies.at(-1) ?? '');
    return { [`disallowedTools, \`${rule}\``]: failure(seen) ?? (isDenied(sent, file) ? 'does not run' : 'runs') };
  };
}

const touch = (more) => (file) => bash(`touch ${file}`, more);
const isMissing = (_, file) => !existsSync(file);
const hit = () => [`mcp__${SERVER}__hit`, {}];
const isNotHit = (sent) => !sent.includes('HIT');

/** The servers and tools that one sub-agent may not use. */
function agentWithout(rule) {
  return async (stage) => {
    const { served, mcp, initialize } = server('hit', 'HIT');
    const agents = { probe: { description: 'A probe.', prompt: AGENT_PROMPT, disallowedTools: [rule] } };
    const calls = (body, done) => {
      if (JSON.stringify(body.system ?? '').includes(AGENT_PROMPT)) return done === 0 ? hit() : undefined;
      const input = { description: 'x', prompt: 'Go on.', subagent_type: 'probe', run_in_background: false };
      return done === 0 ? ['Task', input] : undefined;
    };
    const seen = await bypass(stage, { calls, initialize: { ...initialize, agents }, mcp });
    return { [`agents, disallowedTools, \`${rule}\``]: served.calls > 0 ? 'runs' : (failure(seen) ?? 'does not run') };
  };
}

const AGENT_PROMPT = 'PROMPT-OF-THE-SUB-AGENT';
const AGENTS = ['--agents', JSON.stringify({ probe: { description: 'A probe.', prompt: AGENT_PROMPT } })];
const NAMES = ['Task', 'Agent'];

/** The model calls the tool for sub-agents by both of its names. */
async function startAgents(stage, turn) {
  const started = [];
  const calls = (body, done) => {
    if (JSON.stringify(body.system ?? '').includes(AGENT_PROMPT)) {
      started.push(NAMES.find((name) => JSON.stringify(body.messages).includes(`SUB-${name}`)));
      return undefined;
    }
    const name = NAMES[done];
    const input = { description: 'x', prompt: `SUB-${name}`, subagent_type: 'probe', run_in_background: false };
    return name && [name, input];
  };
  const seen = await bypass(stage, { ...turn, args: [...AGENTS, ...(turn.args ?? [])], calls });
  return { seen, started: NAMES.filter((name) => started.includes(name)) };
}

function disallowAgents(name) {
  return async (stage) => {
    const { seen, started } = await startAgents(stage, { args: [`--disallowedTools=${name}`] });
    const words = started.length > 0 ? 'runs' : (failure(seen) ?? 'does not run');
    return { [`disallowedTools, \`${name}\``]: words };
  };
}

async function agents(stage) {
  const PreToolUse = NAMES.map((name) => ({ matcher: name, hookCallbackIds: [name] }));
  const { seen, started } = await startAgents(stage, { initialize: { hooks: { PreToolUse } } });
  const problem = failure(seen);
  const called = (name) => seen.hooked.some(({ callback_id }) => callback_id === name);
  const offered = NAMES.filter((name) => seen.bodies[0]?.tools?.some((tool) => tool.name === name));
  return {
    'sub-agents, the tool is offered as': problem ?? offered.join(', '),
    'sub-agents, a call is taken by the name': problem ?? started.join(', '),
    ...Object.fromEntries(
      NAMES.map((name) => [`hook, matcher \`${name}\``, problem ?? (called(name) ? 'called' : 'not called')]),
    ),
  };
}

/** Answers of hooks that change what a tool gets, and what it gave. */
async function hookChanges(stage) {
  const place = (name) => join(stage.work, name);
  const { mcp, initialize } = server('read', SECRET);
  const secret = stage.write(place('secret.txt'), SECRET);
  const hook = ({ callback_id, input: { tool_input, tool_response, hook_event_name: hookEventName } }) => {
    if (callback_id === 'before') {
      if (!tool_input.command.startsWith('touch')) return {};
      const decision = tool_input.command.endsWith('allowed') ? { permissionDecision: 'allow' } : {};
      const updatedInput = { ...tool_input, command: `${tool_input.command}-other` };
      return { hookSpecificOutput: { hookEventName, ...decision, updatedInput } };
    }
    const output = {
      bash: { updatedToolOutput: { ...tool_response, stdout: 'REPLACED-bash' } },
      server: { updatedToolOutput: text('REPLACED-server') },
    }[callback_id];
    return { hookSpecificOutput: { hookEventName, ...output } };
  };
  const hooks = {
    PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['before'] }],
    PostToolUse: [
      { matcher: 'Bash', hookCallbackIds: ['bash'] },
      { matcher: `mcp__${SERVER}__read`, hookCallbackIds: ['server'] },
    ],
  };
  const calls = [
    bash(`touch ${place('alone')}`),
    bash(`touch ${place('allowed')}`),
    bash(`cat ${secret}`),
    [`mcp__${SERVER}__read`, {}],
  ];
  const seen = await bypass(stage, { calls, initialize: { ...initialize, hooks }, hook, mcp });
  const sent = JSON.stringify(seen.bodies.at(-1) ?? '');
  const input = (name) => (existsSync(place(`${name}-other`)) ? 'the other runs' : ran(seen, place(name)));
  const output = (name) => failure(seen) ?? (sent.includes(`REPLACED-${name}`) ? 'honoured' : 'lost');
  return {
    'hook, updatedInput without a decision': input('alone'),
    'hook, updatedInput with `allow`': input('allowed'),
    'hook, updatedToolOutput': output('bash'),
    'hook, updatedToolOutput for a tool of a server': output('server'),
  };
}

async function serverOutput(stage) {
  const { mcp, initialize } = server('read', SECRET);
  const hooks = { PostToolUse: [{ matcher: `mcp__${SERVER}__read`, hookCallbackIds: ['server'] }] };
  const hook = ({ input: { hook_event_name: hookEventName } }) => ({
    hookSpecificOutput: { hookEventName, updatedMCPToolOutput: text('REPLACED') },
  });
  const seen = await bypass(stage, {
    calls: [[`mcp__${SERVER}__read`, {}]],
    initialize: { ...initialize, hooks },
    hook,
    mcp,
  });
  const sent = JSON.stringify(seen.bodies.at(-1) ?? '');
  return { 'hook, updatedMCPToolOutput': failure(seen) ?? (sent.includes('REPLACED') ? 'honoured' : 'lost') };
}

async function verbatim(stage) {
  const secret = stage.write(join(stage.work, 'secret.txt'), SECRET);
  const seen = await stage.play({ message: { content: `Look at @${secret}`, client_composed: true } });
  const wasRead = JSON.stringify(seen.bodies).includes(SECRET);
  return { 'verbatimPrompts, `@path`': failure(seen) ?? (wasRead ? 'read into the prompt' : 'not read') };
}

async function verbatimCommand(stage) {
  stage.write(
    join(stage.work, '.claude', 'commands', 'probe.md'),
    '---\ndescription: A probe.\n---\nTEXT-OF-THE-COMMAND',
  );
  const seen = await stage.play({ message: { content: '/probe', client_composed: true } });
  const wasExpanded = JSON.stringify(seen.bodies).includes('TEXT-OF-THE-COMMAND');
  return { 'verbatimPrompts, `/command`': failure(seen) ?? (wasExpanded ? 'expanded' : 'not expanded') };
}

async function aliases(stage) {
  const { served, mcp, initialize } = server('shell', 'Shell.');
  const toolAliases = { Bash: `mcp__${SERVER}__shell` };
  const file = join(stage.work, 'trace');
  const seen = await bypass(stage, { calls: [bash(`touch ${file}`)], initialize: { ...initialize, toolAliases }, mcp });
  return { toolAliases: served.calls > 0 ? 'honoured' : existsSync(file) ? 'lost' : (failure(seen) ?? 'neither runs') };
}

export const NEWER = {
  rules,
  forms,
  'asks-in-bypass': asks('in bypass mode', ASKED, BYPASS),
  'asks-when-allowed': asks('of a tool that is allowed', ASKED, ALLOWED),
  'asks-whole-tool': asks('in bypass mode', ['Bash'], BYPASS),
  'no-agent': disallowAgents('Agent'),
  'no-agent-type': disallowAgents('Agent(probe)'),
  'no-task': disallowAgents('Task'),
  'no-task-type': disallowAgents('Task(probe)'),
  agents,
  'hook-changes': hookChanges,
  'server-output': serverOutput,
  verbatim,
  'verbatim-command': verbatimCommand,
  aliases,
  'all-tools': forbidOne('*', touch(), isMissing),
  'name-with-star': forbidOne('Ba*', touch(), isMissing),
  'server-tools-with-star': forbidOne(`mcp__${SERVER}__h*`, hit, isNotHit),
  'servers-with-star': forbidOne('mcp__*', hit, isNotHit),
  parameter: forbidOne('Bash(run_in_background:true)', touch({ run_in_background: true }), isMissing),
  domains: forbidOne(
    'WebFetch(domain:*.example.com)',
    () => ['WebFetch', { url: 'https://a.example.com/', prompt: 'x' }],
    (sent) => sent.includes('denied access'),
  ),
  'skill-prefix': forbidOne(
    'Skill(dep *)',
    () => ['Skill', { skill: 'dep' }],
    (sent) => !sent.includes('WORDS-OF-THE-SKILL'),
  ),
  'skill-older-prefix': forbidOne(
    'Skill(dep:*)',
    () => ['Skill', { skill: 'dep' }],
    (sent) => !sent.includes('WORDS-OF-THE-SKILL'),
  ),
  'empty-content': forbidOne('Bash()', touch(), isMissing),
  'task-all': disallowAgents('Task(*)'),
  'agent-without-server': agentWithout(`mcp__${SERVER}`),
  'agent-without-server-tools': agentWithout(`mcp__${SERVER}__*`),
  'agent-without-tool': agentWithout(`mcp__${SERVER}__hit`),
  ...AGENT_FORMS,
  ...HOOKS,
  ...LIMITS,
  ...MAIN_AGENT,
  ...PRECEDENCE,
  ...SETTINGS_KEPT,
  ...WIDENING,
};
