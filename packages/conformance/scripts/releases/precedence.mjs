import { join } from 'node:path';
import { bash, ran } from './guards.mjs';
import { failure } from './stage.mjs';

/*
 * Which one counts where two say different things about a call: a rule, a mode, a callback of a hook, an answer of the
 * permission callback, the policy of a server's tool. The permission callback denies where a row does not say otherwise.
 */

const PROMPT = 'PROMPT-OF-THE-SUB-AGENT';
const ASKS = '--permission-prompt-tool=stdio';
const mode = (name) => `--permission-mode=${name}`;
const BYPASS = [mode('bypassPermissions'), '--allow-dangerously-skip-permissions'];
const DEFAULT = [mode('default')];

const hookAnswer = (more) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...more } });
const ALLOW = hookAnswer({ permissionDecision: 'allow' });
const touch = (place) => bash(`touch ${place('trace')}`);
const write = (place) => ['Write', { file_path: place('trace'), content: 'x' }];

/** A session with one call, of the main conversation or of a sub-agent with the options `agent`. */
function row(title, { args = DEFAULT, settings, answers = [], permission, agent, call = touch }) {
  return async (stage, at) => {
    const place = (name) => join(stage.work, `${name}-${at}`);
    const own = call(place);
    const task = ['Task', { description: 'x', prompt: 'Go on.', subagent_type: 'probe', run_in_background: false }];
    const isOfAgent = (body) => JSON.stringify(body.system ?? '').includes(PROMPT);
    const calls = (body, done) => {
      if (done > 0) return undefined;
      return agent === undefined || isOfAgent(body) ? own : task;
    };
    const hooks =
      answers.length === 0
        ? {}
        : { hooks: { PreToolUse: [{ matcher: own[0], hookCallbackIds: answers.map((_, at) => `${at}`) }] } };
    const agents = agent && { agents: { probe: { description: 'A probe.', prompt: PROMPT, ...agent } } };
    const seen = await stage.play({
      args: [ASKS, ...args, ...(settings === undefined ? [] : ['--settings', JSON.stringify(settings)])],
      initialize: { ...hooks, ...agents },
      hook: ({ callback_id, input }) => {
        const answer = answers[Number(callback_id)];
        return typeof answer === 'function' ? answer(input, place) : answer;
      },
      permission: ({ tool_name, input }) =>
        tool_name === 'Task' || tool_name === 'Agent'
          ? { behavior: 'allow', updatedInput: input }
          : permission?.(input, place),
      calls,
      env: { IS_SANDBOX: '1' },
    });
    const isAsked = seen.asked.some(({ tool_name }) => tool_name === own[0]);
    return { [title]: `${isAsked ? 'asked, ' : ''}${ran(seen, place('trace'))}` };
  };
}

function group(rows) {
  return async (stage) => {
    const words = {};
    for (const [at, play] of rows.entries()) Object.assign(words, await play(stage, at));
    return words;
  };
}

const DENY_TOUCH = '--disallowedTools=Bash(touch:*)';
const other = (input, place) => ({ ...input, command: `touch ${place('trace')}` });
const harmless = () => bash('true');

const HOOKS = [
  row('a hook that allows, a rule that denies', { args: [...DEFAULT, DENY_TOUCH], answers: [ALLOW] }),
  row('a hook that allows, a rule that denies, in bypass mode', { args: [...BYPASS, DENY_TOUCH], answers: [ALLOW] }),
  row('a hook that approves in the old form, a rule that denies', {
    args: [...DEFAULT, DENY_TOUCH],
    answers: [{ decision: 'approve' }],
  }),
  row('a hook that allows, settings with a rule that denies', {
    settings: { permissions: { deny: ['Bash(touch:*)'] } },
    answers: [ALLOW],
  }),
  row('a hook that allows, a whole tool that is denied', {
    args: [...DEFAULT, '--disallowedTools=Bash'],
    answers: [ALLOW],
  }),
  row('a hook that allows, a rule that asks', {
    settings: { permissions: { ask: ['Bash(touch:*)'] } },
    answers: [ALLOW],
  }),
  row('a hook that allows, a whole tool that asks', { settings: { permissions: { ask: ['Bash'] } }, answers: [ALLOW] }),
  row('a hook that allows another input, a rule that denies it', {
    args: [...DEFAULT, DENY_TOUCH],
    call: harmless,
    answers: [
      (input, place) => hookAnswer({ permissionDecision: 'allow', updatedInput: other(input.tool_input, place) }),
    ],
  }),
  row('a hook that gives another input, a rule that denies it', {
    args: [...BYPASS, DENY_TOUCH],
    call: harmless,
    answers: [(input, place) => hookAnswer({ updatedInput: other(input.tool_input, place) })],
  }),
  row('a callback that allows another input, a rule that denies it', {
    args: [...DEFAULT, DENY_TOUCH],
    call: () => bash('ls -l /'),
    settings: { permissions: { ask: ['Bash(ls:*)'] } },
    permission: (input, place) => ({ behavior: 'allow', updatedInput: other(input, place) }),
  }),
  row('a hook that allows, a hook that denies', { answers: [ALLOW, hookAnswer({ permissionDecision: 'deny' })] }),
  row('a hook that denies, a hook that allows', { answers: [hookAnswer({ permissionDecision: 'deny' }), ALLOW] }),
  row('a hook that allows, a hook that asks', { answers: [ALLOW, hookAnswer({ permissionDecision: 'ask' })] }),
  row('a hook that denies, a rule that allows', {
    args: [...DEFAULT, '--allowedTools=Bash'],
    answers: [hookAnswer({ permissionDecision: 'deny' })],
  }),
  row('a hook that allows, dontAsk', { args: [mode('dontAsk')], answers: [ALLOW] }),
];

const PLAN = [
  row('a hook that allows, plan', { args: [mode('plan')], call: write, answers: [ALLOW] }),
  row('a hook that allows, plan, a command', { args: [mode('plan')], answers: [ALLOW] }),
  row('a rule that allows `Write`, plan', { args: [mode('plan'), '--allowedTools=Write'], call: write }),
  row('a rule that allows `Write` in settings, plan', {
    args: [mode('plan')],
    settings: { permissions: { allow: ['Write'] } },
    call: write,
  }),
  row('a rule that allows `Edit`, plan, a call of `Write`', {
    args: [mode('plan'), '--allowedTools=Edit'],
    call: write,
  }),
  row('a rule that allows `Edit(/**)`, plan, a call of `Write`', {
    args: [mode('plan'), '--allowedTools=Edit(/**)'],
    call: write,
  }),
  row('a rule that allows `Bash(touch:*)`, plan', { args: [mode('plan'), '--allowedTools=Bash(touch:*)'] }),
  row('a rule that allows `Bash`, plan', { args: [mode('plan'), '--allowedTools=Bash'] }),
];

const RULES = [
  row('a rule that allows, a rule that denies', { args: [...DEFAULT, '--allowedTools=Bash', DENY_TOUCH] }),
  row('a rule that allows the call, a whole tool that is denied', {
    args: [...DEFAULT, '--allowedTools=Bash(touch:*)', '--disallowedTools=Bash'],
  }),
  row('acceptEdits, a rule that denies `Write`', {
    args: [mode('acceptEdits'), '--disallowedTools=Write'],
    call: write,
  }),
  row('acceptEdits, a rule that denies `Edit`, a call of `Write`', {
    args: [mode('acceptEdits'), '--disallowedTools=Edit'],
    call: write,
  }),
  row('acceptEdits, a rule that denies `Edit(/**)`, a call of `Write`', {
    args: [mode('acceptEdits'), '--disallowedTools=Edit(/**)'],
    call: write,
  }),
  row('acceptEdits, a rule that denies `Edit(//**)`, a call of `Write`', {
    args: [mode('acceptEdits'), '--disallowedTools=Edit(//**)'],
    call: write,
  }),
  row('acceptEdits, a rule that asks for `Write`', {
    args: [mode('acceptEdits')],
    settings: { permissions: { ask: ['Write'] } },
    call: write,
  }),
  row('acceptEdits, a rule that asks for `Edit(/**)`, a call of `Write`', {
    args: [mode('acceptEdits')],
    settings: { permissions: { ask: ['Edit(/**)'] } },
    call: write,
  }),
  row('dontAsk, a rule that allows `Edit(/**)`, a call of `Write`', {
    args: [mode('dontAsk'), '--allowedTools=Edit(/**)'],
    call: write,
  }),
];

const AGENTS = [
  row('agents, plan, a rule that allows `Write`', {
    args: [...DEFAULT, '--allowedTools=Write,Task'],
    agent: { permissionMode: 'plan' },
    call: write,
  }),
  row('agents, dontAsk, a run in the mode `default`', { agent: { permissionMode: 'dontAsk' } }),
  row('agents, a rule of the run that denies', { args: [...BYPASS, DENY_TOUCH], agent: {} }),
  row('agents, a rule of the run that asks', { args: BYPASS, settings: { permissions: { ask: ['Bash'] } }, agent: {} }),
  row('agents, a hook of the run that denies', {
    args: BYPASS,
    agent: {},
    answers: [hookAnswer({ permissionDecision: 'deny' })],
  }),
  row('agents, tools without the one that is called', { args: BYPASS, agent: { tools: ['Read'] } }),
  row('agents, a rule of the agent that denies a tool', { args: BYPASS, agent: { disallowedTools: ['Bash'] } }),
  row('agents, a rule of the agent that denies calls', { args: BYPASS, agent: { disallowedTools: ['Bash(touch:*)'] } }),
  row('agents, tools with a rule of calls', { args: BYPASS, agent: { tools: ['Bash(ls:*)'] } }),
  row('agents, tools of the run without the one that is called', { args: [...BYPASS, '--tools=Read,Task'], agent: {} }),
];

/** Commands that hold the one that is denied. */
const WRAPPED = {
  'a variable before it': (file) => `FOO=1 touch ${file}`,
  '`timeout` before it': (file) => `timeout 5 touch ${file}`,
  '`nohup` before it': (file) => `nohup touch ${file}`,
  'brackets around it': (file) => `(touch ${file})`,
  '`;` before it': (file) => `true; touch ${file}`,
  '`&&` before it': (file) => `true && touch ${file}`,
  'a pipe before it': (file) => `true | touch ${file}`,
  'a line before it': (file) => `true\ntouch ${file}`,
  '`$(…)` around it': (file) => `echo $(touch ${file})`,
  'its path': (file) => `/usr/bin/touch ${file}`,
  'two blanks within it': (file) => `touch  ${file}`,
  'a blank before it': (file) => ` touch ${file}`,
  'a comment before it': (file) => `# x\ntouch ${file}`,
  '`if` around it': (file) => `if true; then touch ${file}; fi`,
  'quotes around its name': (file) => `"touch" ${file}`,
  'a redirection before it': (file) => `2>/dev/null touch ${file}`,
};

async function wrapped(stage) {
  const names = Object.keys(WRAPPED);
  const files = names.map((_, at) => join(stage.work, `trace-${at}`));
  const calls = names.map((name, at) => bash(WRAPPED[name](files[at])));
  const seen = await stage.play({ args: [...BYPASS, DENY_TOUCH], calls, env: { IS_SANDBOX: '1' } });
  return Object.fromEntries(
    names.map((name, at) => [`a rule that denies \`Bash(touch:*)\`, a command with ${name}`, ran(seen, files[at])]),
  );
}

/** Forms of paths, for a file `name` in `folder`, which is the working directory. */
const PATHS = {
  '`/**`': () => '/**',
  '`./**`': () => './**',
  '`**`': () => '**',
  '`*`': () => '*',
  'its name': (_, name) => name,
  '`./` and its name': (_, name) => `./${name}`,
  '`/` and its name': (_, name) => `/${name}`,
  '`**/` and its name': (_, name) => `**/${name}`,
  '`//` and its path': (folder, name) => `/${folder}/${name}`,
  '`//` and `**` in its folder': (folder) => `/${folder}/**`,
};

/** Forms that hold for every file, and what may be given in their place. */
const EVERYTHING = {
  '`//**`': () => '//**',
  '`//**/*`': () => '//**/*',
  '`//*/**`': () => '//*/**',
  '`/**/*`': () => '/**/*',
  '`/*`': () => '/*',
  '`~/**`': () => '~/**',
  '`~/**/*`': () => '~/**/*',
};

/** Rules that deny to read and to write a file, in bypass mode. */
const paths = (where, forms) => async (stage) => {
  const words = {};
  for (const [at, [form, pathOf]] of Object.entries(forms).entries()) {
    const [read, written] = [`read-${at}.txt`, `written-${at}.txt`];
    stage.write(join(stage.work, read), CONTENT);
    const rules = [`Read(${pathOf(stage.work, read)})`, `Edit(${pathOf(stage.work, written)})`];
    const args =
      where === 'flag'
        ? [`--disallowedTools=${rules.join(',')}`]
        : ['--settings', JSON.stringify({ permissions: { deny: rules } })];
    const seen = await stage.play({
      args: [...BYPASS, ...args],
      calls: [
        ['Read', { file_path: join(stage.work, read) }],
        ['Write', { file_path: join(stage.work, written), content: 'x' }],
      ],
      env: { IS_SANDBOX: '1', HOME: stage.work },
    });
    const isRead = JSON.stringify(seen.bodies.at(-1) ?? '').includes(CONTENT);
    const title = `a rule that denies a file by ${form}, in ${where === 'flag' ? '`disallowedTools`' : 'settings'}`;
    words[`${title}, reading`] = isRead ? 'runs' : (failure(seen) ?? 'does not run');
    words[`${title}, writing`] = ran(seen, join(stage.work, written));
  }
  return words;
};

const CONTENT = 'CONTENT-OF-THE-FILE';
const SERVER = 'probe';
const POLICIES = { denied: 'always_deny', asked: 'always_ask', free: 'always_allow' };

const TOOLS = Object.keys(POLICIES).map((name) => ({ name, description: 'A probe.', inputSchema: { type: 'object' } }));
const tools = Object.entries(POLICIES).map(([name, permission_policy]) => ({ name, permission_policy }));

/** What a server answers. */
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: SERVER, version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: TOOLS }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'Hit.' }] }),
};

/** How a session learns of the server. */
const NAMED = {
  'at the start': { initialize: { sdkMcpServers: [SERVER], sdkMcpServerConfigs: { [SERVER]: { tools } } } },
  'in mid-session': {
    before: (session) =>
      session.request('mcp_set_servers', { servers: { [SERVER]: { type: 'sdk', name: SERVER, tools } } }),
  },
};

/** A server in this process, whose tools have policies. */
function policies(title, args) {
  return async (stage) => {
    const words = {};
    for (const [when, turn] of Object.entries(NAMED)) {
      const called = [];
      const mcp = ({ message: { id, method, params } }) => {
        if (method === 'tools/call') called.push(params.name);
        return { mcp_response: { jsonrpc: '2.0', id: id ?? 0, result: results[method]?.(params) ?? {} } };
      };
      const seen = await stage.play({
        ...turn,
        args: [ASKS, ...args],
        calls: Object.keys(POLICIES).map((name) => [`mcp__${SERVER}__${name}`, {}]),
        mcp,
        env: { IS_SANDBOX: '1' },
      });
      for (const [name, policy] of Object.entries(POLICIES)) {
        const isAsked = seen.asked.some(({ tool_name }) => tool_name === `mcp__${SERVER}__${name}`);
        const word = called.includes(name) ? 'runs' : (failure(seen) ?? 'does not run');
        words[`a tool of a server in this process, ${policy}, given ${when}, ${title}`] = isAsked
          ? `asked, ${word}`
          : word;
      }
    }
    return words;
  };
}

export const PRECEDENCE = {
  'hooks-and-rules': group(HOOKS),
  'rules-in-plan': group(PLAN),
  'rules-of-edits': group(RULES),
  'agents-and-rules': group(AGENTS),
  'wrapped-commands': wrapped,
  'paths-by-flag': paths('flag', PATHS),
  'paths-in-settings': paths('settings', PATHS),
  'paths-of-everything': paths('flag', EVERYTHING),
  'policies-in-bypass': policies('in bypass mode', BYPASS),
  'policies-in-default': policies('in the mode `default`', DEFAULT),
};
