import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from './stage.mjs';

/*
 * What protects. In each session the model calls tools that leave a trace, and the words say what became of each call.
 * A session has as many probes as it can, because to start the CLI takes most of the time.
 */

const ASKS = '--permission-prompt-tool=stdio';
const DEFAULT = '--permission-mode=default';
const BYPASS = ['--permission-mode=bypassPermissions', '--allow-dangerously-skip-permissions'];
const UNKNOWN_FLAG = "unknown option '--allow-dangerously-skip-permissions'";

export const bash = (command, more = {}) => ['Bash', { command, description: 'Run a command', ...more }];

/** Bypass mode as root. 2.0.0 does not know the second flag, and is started without it. */
export async function bypass(stage, turn) {
  const play = (flags) =>
    stage.play({ ...turn, args: [...flags, ...(turn.args ?? [])], env: { IS_SANDBOX: '1', ...turn.env } });
  const seen = await play(BYPASS);
  return seen.session.stderr.includes(UNKNOWN_FLAG) ? play(BYPASS.slice(0, 1)) : seen;
}

export const ran = (seen, file) => (existsSync(file) ? 'runs' : (failure(seen) ?? 'does not run'));

/** What each call is for, by the name of its probe; each makes a file of that number. */
function traced(stage, names) {
  const files = names.map((_, index) => join(stage.work, `trace-${index}`));
  return {
    files,
    calls: files.map((file) => bash(`touch ${file}`)),
    indexOf: (input) => files.findIndex((file) => input.command === `touch ${file}`),
  };
}

const HOOK_ANSWERS = {
  'hook, deny': decide('deny'),
  'hook, error answer': { error: 'Broken.' },
  'hook, answer of the wrong shape': { hookSpecificOutput: 7 },
  'hook, ask': decide('ask'),
  'hook, block of the old form': { decision: 'block', reason: 'By the hook.' },
};

function decide(permissionDecision) {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason: 'By the hook.' },
  };
}

/** Hooks and rules that forbid, in bypass mode, where nothing else would. */
async function hooks(stage) {
  const names = Object.keys(HOOK_ANSWERS);
  const { files, calls, indexOf } = traced(stage, names);
  const place = (name) => join(stage.work, name);
  const secret = stage.write(place('secret.txt'), 'CONTENT-OF-SECRET');
  const hookOf = (matcher, id, more) => ({ matcher, hookCallbackIds: [id], ...more });
  const initialize = {
    hooks: { PreToolUse: [hookOf('Bash', 'answers'), hookOf('Read', 'fails', { onFailure: 'block' })] },
  };
  const hook = ({ callback_id, input }) =>
    callback_id === 'fails' ? { error: 'Broken.' } : (Object.values(HOOK_ANSWERS)[indexOf(input.tool_input)] ?? {});
  const others = [
    ['Read', { file_path: secret }],
    bash(`mkdir ${place('a')}`),
    bash(`ln -s x ${place('b')}`),
    ['Write', { file_path: place('c'), content: 'x' }],
  ];
  const args = [ASKS, '--disallowedTools=Bash(mkdir:*),Write', '--settings', '{"permissions":{"deny":["Bash(ln:*)"]}}'];
  const seen = await bypass(stage, { args, calls: [...calls, ...others], initialize, hook });
  const isAsked = (index) => (seen.asked.some(({ input }) => indexOf(input) === index) ? 'asked, ' : '');
  const wasRead = JSON.stringify(seen.bodies.at(-1) ?? '').includes('CONTENT-OF-SECRET');
  return {
    ...Object.fromEntries(names.map((name, index) => [name, `${isAsked(index)}${ran(seen, files[index])}`])),
    'onFailure, confirmed': seen.answer.response?.hook_on_failure_supported === true ? 'yes' : 'no',
    'onFailure, error answer': wasRead ? 'runs' : (failure(seen) ?? 'does not run'),
    'disallowedTools, a rule that ends in `:*`': ran(seen, place('a')),
    'disallowedTools, a tool': ran(seen, place('c')),
    'settings, a rule that denies and ends in `:*`': ran(seen, place('b')),
  };
}

export async function hookTimeout(stage) {
  const { files, calls } = traced(stage, ['late']);
  const initialize = { hooks: { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'], timeout: 1 }] } };
  const seen = await bypass(stage, { calls, initialize, hook: () => undefined, limitMs: 8_000 });
  return { 'hook, no answer within its time-out': ran(seen, files[0]) };
}

export async function promptTimeout(stage) {
  const initialize = { hooks: { UserPromptSubmit: [{ hookCallbackIds: ['hook_0'], timeout: 1 }] } };
  const seen = await stage.play({ args: [DEFAULT], initialize, hook: () => undefined, limitMs: 8_000 });
  const isSent = JSON.stringify(seen.bodies).includes('Go.');
  return { 'hook, UserPromptSubmit, no answer within its time-out': isSent ? 'goes on' : 'blocked' };
}

const ANSWERS = {
  'callback, deny': () => ({ behavior: 'deny', message: 'Denied.' }),
  'callback, error answer': () => ({ error: 'Broken.' }),
  'callback, allow without input': () => ({ behavior: 'allow' }),
  'callback, allow with the input': ({ input }) => ({ behavior: 'allow', updatedInput: input }),
  'callback, allow with another input': ({ input }) => ({
    behavior: 'allow',
    updatedInput: { ...input, command: `${input.command}-other` },
  }),
};

/** A callback in the mode `default`, and files in and outside of the directories of the run. */
async function callback(stage) {
  const names = Object.keys(ANSWERS);
  const { files, calls, indexOf } = traced(stage, names);
  const [added, outside] = ['added', 'outside'].map((name) =>
    stage.write(stage.outside(join(name, 'file.txt')), `CONTENT-${name}`),
  );
  const reads = [added, outside].map((file) => ['Read', { file_path: file }]);
  const permission = (request) => Object.values(ANSWERS)[indexOf(request.input)]?.(request);
  const args = [ASKS, DEFAULT, `--add-dir=${stage.outside('added')}`];
  const seen = await stage.play({ args, calls: [...calls, ...reads], permission });
  const sent = JSON.stringify(seen.bodies.at(-1) ?? '');
  const words = names.map((name, index) => {
    const isAsked = seen.asked.some(({ input }) => indexOf(input) === index);
    const isOther = existsSync(`${files[index]}-other`);
    return [name, `${isAsked ? '' : 'not asked, '}${isOther ? 'the other runs' : ran(seen, files[index])}`];
  });
  const read = (name) => failure(seen) ?? (sent.includes(`CONTENT-${name}`) ? 'read' : 'asked, not read');
  return {
    ...Object.fromEntries(words),
    'reading, an added directory': read('added'),
    'reading, outside': read('outside'),
  };
}

/** A callback that denies everything. */
export function mode(name) {
  return async (stage) => {
    const { files, calls } = traced(stage, ['only']);
    const args = [ASKS, ...(name === undefined ? [] : [`--permission-mode=${name}`])];
    const seen = await stage.play({ args, calls });
    const words = `${seen.asked.length > 0 ? 'asked' : 'not asked'}, ${ran(seen, files[0])}`;
    const title = name ?? 'no mode';
    return {
      [`mode, ${title}`]: words,
      ...(name === undefined ? { 'mode, its name when none is given': seen.init?.permissionMode ?? words } : {}),
    };
  };
}

async function tools(stage) {
  const { files, calls } = traced(stage, ['only']);
  return { 'tools, not in the list': ran(await bypass(stage, { args: ['--tools=Read'], calls }), files[0]) };
}

/** A user's and a project's files, each of which leaves a trace, and a server of the user's. */
export function sources(title, args) {
  return async (stage) => {
    const trace = (name) => stage.outside(`trace-${name}`);
    const command = (name) => ({
      hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: `touch ${trace(name)}` }] }] },
    });
    const places = {
      user: join(stage.config, 'settings.json'),
      project: join(stage.work, '.claude', 'settings.json'),
      local: join(stage.work, '.claude', 'settings.local.json'),
    };
    for (const [name, file] of Object.entries(places)) stage.write(file, command(name));
    stage.write(join(stage.config, 'CLAUDE.md'), 'MEMORY-OF-USER');
    stage.write(join(stage.work, 'CLAUDE.md'), 'MEMORY-OF-PROJECT');
    stage.write(join(stage.config, '.claude.json'), {
      mcpServers: { planted: { command: 'touch', args: [trace('server')] } },
    });
    const seen = await stage.play({ args });
    const sent = JSON.stringify(seen.bodies);
    const found = [...Object.keys(places), 'server'].filter((name) => existsSync(trace(name)));
    if (sent.includes('MEMORY-OF-USER')) found.push('user memory');
    if (sent.includes('MEMORY-OF-PROJECT')) found.push('project memory');
    return { [`settingSources, ${title}`]: failure(seen) ?? (found.length === 0 ? 'nothing' : found.join(', ')) };
  };
}

export async function strict(stage) {
  const started = stage.outside('server-started');
  stage.write(join(stage.config, '.claude.json'), { mcpServers: { planted: { command: 'touch', args: [started] } } });
  const seen = await stage.play({ args: ['--strict-mcp-config'] });
  return {
    strictMcpConfig:
      failure(seen) ?? (existsSync(started) ? 'a server of the user starts' : 'no server of the user starts'),
  };
}

const SANDBOX = { enabled: true, autoAllowBashIfSandboxed: true, failIfUnavailable: true };

/** A command that tries to write outside, to write inside, and to reach the host's loopback. */
function sandboxed(names, { sandbox = {}, without = [] } = {}) {
  return async (stage) => {
    const attempt = (name) => {
      const [out, inside, net] = ['out', 'in', 'net'].map((kind) =>
        kind === 'out' ? stage.outside(`${kind}-${name}`) : join(stage.work, `${kind}-${name}`),
      );
      // The port is not known yet: the shell takes it from the CLI's variable.
      const port = '$(echo "$ANTHROPIC_BASE_URL" | sed "s/.*://")';
      return {
        out,
        inside,
        net,
        command: `bash -c 'touch ${out}; touch ${inside}; (exec 3<>/dev/tcp/127.0.0.1/${port}) && touch ${net}'`,
      };
    };
    const tries = { plain: attempt('plain'), off: attempt('off') };
    const calls = [bash(tries.plain.command), bash(tries.off.command, { dangerouslyDisableSandbox: true })];
    const args = ['--settings', JSON.stringify({ sandbox: { ...SANDBOX, ...sandbox } })];
    const env = without.length === 0 ? {} : { PATH: stage.pathWithout(...without) };
    const seen = await bypass(stage, { args, calls, env });
    const word = ({ out, inside, net }) => {
      const facts = [
        [out, 'writes outside'],
        [net, 'reaches loopback'],
      ]
        .filter(([file]) => existsSync(file))
        .map(([, fact]) => fact);
      if (facts.length === 0 && !existsSync(inside)) return failure(seen) ?? 'cannot run';
      return facts.length === 0 ? 'confined' : facts.join(', ');
    };
    return Object.fromEntries(Object.entries(names).map(([key, name]) => [name, word(tries[key])]));
  };
}

export const GUARDS = {
  callback,
  'no-mode': mode(undefined),
  plan: mode('plan'),
  dontAsk: mode('dontAsk'),
  hooks,
  tools,
  'sources-none': sources('none', ['--setting-sources=']),
  'sources-project': sources('project', ['--setting-sources=project', '--strict-mcp-config']),
  sandbox: sandboxed({ plain: 'sandbox', off: 'sandbox, a call that leaves it' }),
  'sandbox-closed': sandboxed(
    { off: 'sandbox, a call that leaves it, not allowed' },
    { sandbox: { allowUnsandboxedCommands: false } },
  ),
  'sandbox-no-programs': sandboxed({ plain: 'sandbox, no bubblewrap' }, { without: ['bwrap', 'socat'] }),
};
