/**
 * Runs every case with one CLI: the part of `cut-calls.mjs` that needs no network.
 *
 *   node probe.mjs CLI OUT.json [part of a case's name]
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messagesApi } from '../../../../dist/testing/index.js';
import { later, RawSession } from '../releases/raw-session.mjs';
import { CASES } from './cases.mjs';
import { hookLine, idsIn, linesOf } from './lines.mjs';

const AT_ONCE = 4;
const AGENT = 'PROMPT-OF-THE-SUB-AGENT';
const BASE = ['--output-format=stream-json', '--verbose', '--input-format=stream-json', '--setting-sources='];
const HOOKS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'];
const SERVER = fileURLToPath(new URL('slow-server.mjs', import.meta.url));
const [cli, out, filter = ''] = process.argv.slice(2);

const command = /\.[cm]?js$/.test(cli) ? [process.execPath, cli] : [cli];
const found = {};
const waiting = CASES.filter(({ name }) => name.includes(filter));
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        found[next.name] = await runCase(next);
      } catch (error) {
        found[next.name] = { problem: String(error.stack) };
      }
      writeFileSync(out, `${JSON.stringify(found, undefined, 1)}\n`);
    }
  }),
);
process.exit(0);

async function runCase(wanted) {
  const root = mkdtempSync(join(tmpdir(), 'cw-cut-'));
  try {
    return await play(wanted, root);
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function play(wanted, root) {
  const { calls, how, rule, mode } = wanted;
  const [work, config, home, tmp] = ['work', 'config', 'home', 'tmp'].map((name) => {
    mkdirSync(join(root, name));
    return join(root, name);
  });
  const inputs = calls.map((call, index) => inputOf(call, join(work, `call-${index}`)));
  const byPrompt = (system) => JSON.stringify(system ?? '').includes(AGENT);
  const stage = { isOver: false };
  const turn = ({ body }) => {
    if (stage.isOver || JSON.stringify(body.messages).includes('"tool_result"')) return 'Done.';
    if (byPrompt(body.system)) return { blocks: inputs.map(({ name, input }) => ({ type: 'tool_use', name, input })) };
    if (body.tools === undefined || body.tools.length === 0) return 'Title';
    if (calls[0].tool !== 'agent') {
      return {
        blocks: inputs.map(({ name, input }, index) => ({ type: 'tool_use', id: `toolu_${index}`, name, input })),
      };
    }
    const input = { description: 'x', prompt: 'Go on.', subagent_type: 'probe', run_in_background: false };
    const name = body.tools.some((tool) => tool.name === 'Agent') ? 'Agent' : 'Task';
    return { blocks: [{ type: 'tool_use', id: 'toolu_0', name, input }] };
  };
  const api = await messagesApi({ turns: [], fallback: turn, strict: false });
  const env = {
    ...{ PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: home, CLAUDE_CONFIG_DIR: config, TMPDIR: tmp },
    ...{
      ANTHROPIC_API_KEY: 'sk-ant-fake',
      ANTHROPIC_BASE_URL: api.url,
      CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
      IS_SANDBOX: '1',
    },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1' },
    ...{ DISABLE_AUTOUPDATER: '1', DISABLE_BUG_COMMAND: '1', CLAUDE_CODE_FORWARD_SUBAGENT_TEXT: '1' },
  };
  const servers = {
    slow: { type: 'stdio', command: process.execPath, args: [SERVER] },
    own: { type: 'sdk', name: 'own' },
  };
  const ask = wanted.ask !== undefined;
  const args = [
    ...BASE,
    ...['--mcp-config', JSON.stringify({ mcpServers: servers }), '--permission-prompt-tool=stdio'],
    `--permission-mode=${mode ?? (ask ? 'default' : 'bypassPermissions')}`,
    ...['--agents', JSON.stringify({ probe: { description: 'A probe.', prompt: AGENT } })],
    ...(rule ? ['--settings', JSON.stringify({ permissions: { deny: ['Bash(touch:*)', 'Bash(sh:*)'] } })] : []),
  ];
  const hooked = [];
  const asked = [];
  const sdkCalls = [];
  const session = new RawSession(
    [...command, ...args],
    { cwd: work, env },
    {
      can_use_tool: (request) => {
        asked.push(request);
        if (wanted.ask === 'never') return undefined;
        if (wanted.ask === undefined) return { behavior: 'allow', updatedInput: request.input };
        return { behavior: 'deny', message: 'Denied by the callback.', interrupt: wanted.ask === 'deny and interrupt' };
      },
      hook_callback: ({ input }) => {
        hooked.push(input);
        if (input.hook_event_name !== 'PreToolUse' || wanted.hook === undefined) return {};
        if (wanted.hook === 'never') return undefined;
        const denial = { permissionDecision: 'deny', permissionDecisionReason: 'By the hook.' };
        return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...denial } };
      },
      mcp_message: ({ message }) => answerSdk(message, calls[0], sdkCalls),
    },
  );
  try {
    const hooks = Object.fromEntries(HOOKS.map((event) => [event, [{ hookCallbackIds: [event] }]]));
    const agents = { probe: { description: 'A probe.', prompt: AGENT } };
    const answer = await session.request('initialize', { hooks, agents, sdkMcpServers: ['own'] });
    if (answer.response === undefined) throw new Error(`initialize: ${JSON.stringify(answer)} ${session.stderr}`);
    session.say({ content: 'Go.' });
    if (how !== undefined) {
      const begun = () => existsSync(join(work, 'call-0-started')) || sdkCalls.length > 0;
      const waits =
        wanted.ask === 'never' ? () => asked.length > 0 : wanted.hook === 'never' ? () => hooked.length > 0 : begun;
      await until(waits, () => `did not start: ${session.stderr} ${JSON.stringify(session.frames.slice(-3))}`);
      await later(300);
      if (how === 'interrupt') await session.request('interrupt');
      else if (how === 'stdin') session.end();
      else session.signal(how);
      if (how !== 'interrupt')
        await until(
          () => session.hasEnded,
          () => 'did not end',
          45_000,
        );
    }
    if (how === undefined || how === 'interrupt')
      await session.until(({ type }) => type === 'result', { limitMs: 60_000 });
    await session.close();
    stage.isOver = true;
    const entries = transcriptsIn(join(config, 'projects'));
    const afterResume = await resumed(wanted, { args, work, env, entries });
    const ids = idsIn([...session.frames, ...entries]);
    const seen = {
      marks: calls.map((_, index) => marksOf(work, index)),
      hooks: hooked.map((input) => hookLine(input, ids)),
    };
    return {
      ...seen,
      entries: linesOf(entries, ids),
      frames: linesOf(session.frames, ids),
      ...(afterResume === undefined ? {} : { afterResume: linesOf(afterResume, ids, 'r') }),
    };
  } finally {
    await session.close();
    await api.close();
  }
}

/** The entries that a resume adds. */
async function resumed(wanted, { args, work, env, entries }) {
  const sessionId = entries.find(({ sessionId }) => sessionId !== undefined)?.sessionId;
  if (!['SIGTERM', 'SIGKILL'].includes(wanted.how) || sessionId === undefined) return undefined;
  const again = new RawSession(
    [...command, ...args, `--resume=${sessionId}`],
    { cwd: work, env },
    {
      hook_callback: () => ({}),
      can_use_tool: ({ input }) => ({ behavior: 'allow', updatedInput: input }),
      mcp_message: ({ message }) => answerSdk(message, { script: 'quick' }, []),
    },
  );
  try {
    await again.request('initialize', { sdkMcpServers: ['own'] });
    again.say({ content: 'Go on.' });
    await again.until(({ type }) => type === 'result', { limitMs: 30_000 });
    await again.close();
    return transcriptsIn(join(env.CLAUDE_CONFIG_DIR, 'projects')).filter(
      ({ uuid }) => !entries.some((entry) => entry.uuid === uuid),
    );
  } finally {
    await again.close();
  }
}

function answerSdk(message, call, sdkCalls) {
  const { id, method, params } = message;
  const answer = (result) => ({ mcp_response: { jsonrpc: '2.0', id, result } });
  if (method === 'initialize') {
    const info = { capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1.0.0' } };
    return answer({ protocolVersion: params.protocolVersion, ...info });
  }
  if (method === 'tools/list') {
    const inputSchema = { type: 'object', properties: { command: { type: 'string' } } };
    return answer({ tools: [{ name: 'work', description: 'Works.', inputSchema }] });
  }
  if (method === 'tools/call') {
    sdkCalls.push(params);
    if (call.script === 'slow') return undefined;
    return answer({ content: [{ type: 'text', text: call.text ?? 'fine' }], isError: (call.code ?? 0) !== 0 });
  }
  return answer({});
}

function inputOf(call, mark) {
  const command = {
    slow: `touch ${mark}-started; sleep 20; touch ${mark}-finished`,
    quick: `touch ${mark}-started; echo fine; touch ${mark}-finished`,
    prints: `touch ${mark}-started; printf '%s\\n' "${call.text}"; exit ${call.code}`,
    suicide: `touch ${mark}-started; kill -9 $$`,
    timeout: `touch ${mark}-started; sleep 30`,
    invalid: undefined,
  }[call.script];
  const more = call.script === 'timeout' ? { timeout: 1000 } : {};
  const name = { Bash: 'Bash', agent: 'Bash', stdio: 'mcp__slow__work', sdk: 'mcp__own__work', none: 'NoSuchTool' }[
    call.tool
  ];
  return { name, input: command === undefined ? { nothing: true } : { command, ...more } };
}

function transcriptsIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => String(name).endsWith('.jsonl'))
    .flatMap((name) =>
      readFileSync(join(folder, String(name)), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    );
}

function marksOf(work, index) {
  return ['started', 'finished'].filter((mark) => existsSync(join(work, `call-${index}-${mark}`)));
}

async function until(isTrue, problem, limitMs = 60_000) {
  const end = Date.now() + limitMs;
  while (!isTrue()) {
    if (Date.now() > end) throw new Error(problem());
    await later(25);
  }
}
