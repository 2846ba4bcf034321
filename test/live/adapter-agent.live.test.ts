import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../src/adapter/agent/agent-event.js';
import type { AgentOptions } from '../../src/adapter/agent/agent-types.js';
import { ClaudeCodeAdapter } from '../../src/adapter/agent/claude-code-adapter.js';
import { runParallel } from '../../src/adapter/agent/run-agent.js';
import { ClaudeAgentAdapter } from '../../src/adapter/evaluate/claude-agent-adapter.js';
import { Prompt } from '../../src/adapter/prompt/prompt.js';
import { MarkdownSection } from '../../src/adapter/prompt/section.js';
import { Session } from '../../src/adapter/state/session.js';
import { ToolPermissions } from '../../src/adapter/state/slices.js';
import type { HookCallback } from '../../src/control/hook-types.js';
import type { MessagesRequest } from '../../src/testing/messages-api/requests.js';
import { BOTH, CURRENT, OLDEST } from './support/clis.js';
import { whenFolder } from './support/processes.js';
import { expectNoProcess, type Stage, setStage } from './support/stage.js';
import { bash, call, TOUCH } from './support/turns.js';

/** An MCP server with one tool, which makes the file that it was given. */
const SERVER = `
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'evil', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'run', inputSchema: { type: 'object' } }] }),
  'tools/call': () => (writeFileSync(process.argv[2], ''), { content: [{ type: 'text', text: 'ran' }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params) ?? {};
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
`;

function adapterOn(stage: Stage): ClaudeCodeAdapter {
  const { env = {}, pathToClaudeCodeExecutable } = stage.options();
  return new ClaudeCodeAdapter({ hostEnv: env, pathToClaudeCodeExecutable });
}

async function collect(
  stage: Stage,
  options: AgentOptions = {},
  onEvent: (event: AgentEvent) => void = () => {},
): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of adapterOn(stage).run('Go.', { cwd: stage.cwd, ...options })) {
    events.push(event);
    onEvent(event);
  }
  expect(events.filter(({ type }) => type === 'done')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('done');
  return events;
}

/** Without deltas and what is the CLI's own. */
const core = (events: readonly AgentEvent[]): readonly AgentEvent[] =>
  events.filter(({ type }) => !type.includes(':') && type !== 'text_delta');

const types = (events: readonly AgentEvent[]): readonly string[] => core(events).map(({ type }) => type);

const statuses = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'tool_result' ? [event.payload.status] : []));

const made = (stage: Stage, name = 'made.txt'): boolean => existsSync(join(stage.cwd, name));

describe.each(BOTH)('the unified agent, CLI $version', (cli) => {
  test('a turn with a tool gives init, call, question, result, text and done', async () => {
    const stage = await setStage(cli, { turns: [TOUCH, 'After the tool.'] });
    const events = await collect(stage, { onPermissionRequest: () => 'allow' });
    expect(types(events)).toEqual(['init', 'tool_use', 'permission_request', 'tool_result', 'text', 'done']);
    expect(events.find(({ type }) => type === 'init')).toMatchObject({
      payload: { cwd: stage.cwd, tools: expect.arrayContaining(['Bash']) },
    });
    expect(events.flatMap((event) => (event.type === 'text_delta' ? [event.payload.delta] : [])).join('')).toBe(
      'After the tool.',
    );
    expect(events.at(-1)).toMatchObject({
      payload: { status: 'success', result: 'After the tool.', usage: { reported: true, toolUses: 1 } },
    });
    expect(made(stage)).toBe(true);
  });
});

test('an abort in the middle of a command ends the processes', async () => {
  const command = 'touch started; for i in 1 2 3 4 5 6; do sleep 5; done';
  const stage = await setStage(CURRENT, { turns: [bash(command), 'Never.'] });
  const controller = new AbortController();
  const started = whenFolder(stage.cwd, () => made(stage, 'started'));
  const aborted = started.then(() => controller.abort());
  const events = await collect(stage, { allowedTools: ['Bash'], abortSignal: controller.signal });
  await aborted;
  expect(types(events)).toEqual(['init', 'tool_use', 'done']);
  expect(events.at(-1)).toMatchObject({ payload: { status: 'interrupted' } });
  await expectNoProcess(stage);
});

test('a question about the network in a run without a callback is refused at once, and the run goes on (AD-417)', async () => {
  const stage = await setStage(CURRENT, {
    turns: [bash("curl -sS -m 5 --noproxy '' http://bad.example/ 2>&1"), 'Done.'],
  });
  const { CLAUDE_CONFIG_DIR = '' } = stage.options().env ?? {};
  const sandbox = {
    enabled: true,
    failIfUnavailable: true,
    autoAllowBashIfSandboxed: true,
    allowUnsandboxedCommands: false,
    network: { allowedDomains: [] },
  };
  writeFileSync(join(CLAUDE_CONFIG_DIR, 'settings.json'), JSON.stringify({ sandbox }));
  const events = await collect(stage, { allowedTools: ['Bash'], settingSources: ['user'], env: { IS_SANDBOX: '1' } });
  expect(types(events)).toEqual(['init', 'tool_use', 'tool_result', 'text', 'done']);
  const result = events.find(({ type }) => type === 'tool_result');
  expect(JSON.stringify(result?.payload)).toContain('bad.example:80');
  expect(events.at(-1)).toMatchObject({ payload: { status: 'success', result: 'Done.' } });
  const payload = result?.type === 'tool_result' ? result.payload : undefined;
  // Refused, not timed out: curl then exits with 28.
  expect(JSON.stringify(payload)).not.toContain('timed out');
});

test('row 5 with a handler that denies: one question for `touch`, no file, `denied` (AD-418)', async () => {
  const stage = await setStage(CURRENT, { turns: [bash('touch a'), 'Done.'] });
  const events = await collect(stage, { permissions: { fileWrite: 'allow' }, onPermissionRequest: () => 'deny' });
  expect(events.find(({ type }) => type === 'init')).toHaveProperty(
    'payload.capabilities.permissionMode',
    'acceptEdits',
  );
  expect(types(events)).toEqual(['init', 'tool_use', 'permission_request', 'tool_result', 'text', 'done']);
  expect(statuses(events)).toEqual(['denied']);
  expect(made(stage, 'a')).toBe(false);
});

test('row 14 with a handler: one question for `ls` (AD-419)', async () => {
  const stage = await setStage(CURRENT, { turns: [bash('ls'), 'Done.'] });
  const asked: string[] = [];
  const events = await collect(stage, {
    permissions: { fileWrite: 'ask', shellExecute: 'ask', networkAccess: 'ask' },
    onPermissionRequest: ({ input }) => {
      asked.push(String(input.command));
      return 'allow';
    },
  });
  expect(asked).toEqual(['ls']);
  expect(types(events).filter((type) => type === 'permission_request')).toHaveLength(1);
  expect(statuses(events)).toEqual(['success']);
});

test('row 14 without a handler: `ls` runs, `touch` is denied (AD-420)', async () => {
  const stage = await setStage(CURRENT, { turns: [bash('ls'), bash('touch a'), 'Done.'] });
  const events = await collect(stage, { permissions: {} });
  expect(statuses(events)).toEqual(['success', 'denied']);
  expect(types(events).filter((type) => type === 'permission_request')).toHaveLength(1);
  expect(made(stage, 'a')).toBe(false);
});

describe('denials where the CLI would not ask', () => {
  test('deny holds although the allow list names the tool', async () => {
    const stage = await setStage(CURRENT, { turns: [TOUCH, 'After the tool.'] });
    const events = await collect(stage, { permissions: { shellExecute: 'deny' }, allowedTools: ['Bash', 'Read'] });
    expect(statuses(events)).toEqual(['denied']);
    expect(made(stage)).toBe(false);
  });

  test('a release that cannot keep them is refused before it is asked anything', async () => {
    const stage = await setStage(OLDEST, { turns: [TOUCH, 'Never.'] });
    const events = await collect(stage, { permissions: { shellExecute: 'deny' } });
    const message = expect.stringContaining('does not honour `disableSkillShellExecution`');
    expect(core(events)).toMatchObject([
      { type: 'error', payload: { message } },
      { type: 'done', payload: { status: 'error' } },
    ]);
    expect(stage.api.requests).toEqual([]);
  });

  test.each([
    {
      name: 'Write under an allow rule',
      turn: call('Write', { file_path: 'made.txt', content: 'x' }),
      permissions: { fileWrite: 'deny', shellExecute: 'allow', networkAccess: 'allow' },
      allowedTools: ['Write'],
    },
    {
      name: 'a shell command behind Monitor',
      turn: call('Monitor', { description: 'Watch', timeout_ms: 5000, command: 'touch made.txt' }),
      permissions: { shellExecute: 'deny' },
      allowedTools: undefined,
    },
    {
      name: 'a rule hidden behind a comma',
      turn: TOUCH,
      permissions: { shellExecute: 'ask' },
      allowedTools: ['Read,Bash'],
    },
  ] as const)('$name', async ({ turn, permissions, allowedTools }) => {
    const stage = await setStage(CURRENT, { turns: [turn, 'Done.'] });
    const events = await collect(stage, { permissions, allowedTools });
    expect(statuses(events)).toEqual(['denied']);
    expect(made(stage)).toBe(false);
  });

  test('a sub-agent is bound by the same policy, in the foreground and in the background', async () => {
    for (const run_in_background of [false, true]) {
      const input = { description: 'd', prompt: 'Sub: make it.', subagent_type: 'general-purpose' };
      const isSub = ({ body }: MessagesRequest): boolean =>
        JSON.stringify(body).includes('Sub: make it.') && !JSON.stringify(body).includes('"name":"Agent","input"');
      const stage = await setStage(CURRENT, {
        turns: [
          { ...TOUCH, when: isSub },
          { text: 'Sub done.', when: isSub },
          call('Agent', { ...input, run_in_background }),
          'Main.',
          'Main again.',
        ],
      });
      const events = await collect(stage, { permissions: { shellExecute: 'deny' } });
      const results = events.filter(({ metadata }) => metadata?.parentToolUseId !== undefined);
      expect(statuses(results)).toEqual(['denied']);
      expect(made(stage)).toBe(false);
    }
  });

  test('a hook of the caller that allows does not outweigh the policy', async () => {
    const allow: HookCallback = async () => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' },
    });
    const stage = await setStage(CURRENT, { turns: [TOUCH, 'Done.'] });
    const denied = await collect(stage, {
      permissions: { shellExecute: 'deny' },
      hooks: { PreToolUse: [{ hooks: [allow] }] },
    });
    expect(statuses(denied)).toEqual(['denied']);
    expect(made(stage)).toBe(false);
    const other = await setStage(CURRENT, { turns: [TOUCH, 'Done.'] });
    const asked = await collect(other, {
      permissions: { shellExecute: 'ask' },
      hooks: { PreToolUse: [{ hooks: [allow] }] },
      onPermissionRequest: () => 'deny',
    });
    expect(statuses(asked)).toEqual(['denied']);
    expect(made(other)).toBe(false);
  });
});

describe('commands in the text of a skill, which no hook hears of', () => {
  const SKILL = 'allowed-tools: Bash(touch:*)\n---\nResult: !`touch made.txt`\n';

  /** A folder with a skill and a command that run `touch` when they are called. */
  async function stageWithSkill(turns: Parameters<typeof setStage>[1]['turns']): Promise<Stage> {
    const stage = await setStage(CURRENT, { turns });
    const folder = join(stage.cwd, '.claude');
    for (const name of ['skills/x', 'commands']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'skills/x/SKILL.md'), `---\nname: x\ndescription: d\n${SKILL}`);
    writeFileSync(join(folder, 'commands/c.md'), `---\ndescription: d\n${SKILL}`);
    return stage;
  }

  const run = async (stage: Stage, prompt: string, options: AgentOptions): Promise<void> => {
    // Named: under a policy that denies, the project's skills are not loaded otherwise.
    const sources = { settingSources: ['user', 'project'] } as const;
    // Two of the prompts are commands.
    const settings = { cwd: stage.cwd, interpretPrompts: true, ...sources, ...options };
    for await (const event of adapterOn(stage).run(prompt, settings)) {
      if (event.type === 'done') expect(event.payload.status).toBe('success');
    }
  };

  test.each([
    { how: 'all denied', fileWrite: 'deny', shellExecute: 'deny', networkAccess: 'deny' },
    { how: 'asked about, without a handler', shellExecute: 'ask' },
    { how: 'asked about, with a handler', shellExecute: 'ask', onPermissionRequest: 'Bash' },
  ] as const)('do not run: $how', async ({ how: _, onPermissionRequest, ...permissions }) => {
    const handler: AgentOptions = {
      onPermissionRequest: ({ toolName }) => (toolName === onPermissionRequest ? 'deny' : 'allow'),
    };
    const options = { permissions, ...(onPermissionRequest === undefined ? {} : handler) };
    for (const [prompt, turns] of [
      ['Go.', [call('Skill', { skill: 'x' }), 'Done.']],
      ['/x', ['Done.']],
      ['/c', ['Done.']],
    ] as const) {
      const stage = await stageWithSkill([...turns]);
      await run(stage, prompt, options);
      expect([prompt, made(stage)]).toEqual([prompt, false]);
      expect(JSON.stringify(stage.api.requests)).toContain('disabled by policy');
    }
  });

  test('run where commands are allowed', async () => {
    const stage = await stageWithSkill(['Done.']);
    await run(stage, '/x', { permissions: { shellExecute: 'allow' } });
    expect(made(stage)).toBe(true);
  });

  test.each([
    { blocked: ['Bash'], is: false },
    { blocked: [], is: true },
  ])('in evaluate(), with $blocked blocked: $is', async ({ blocked, is }) => {
    const stage = await stageWithSkill([call('Skill', { skill: 'x' }), 'Done.']);
    const { env = {}, pathToClaudeCodeExecutable } = stage.options();
    const session = new Session();
    session.mutate(ToolPermissions).seed({ blocked });
    const adapter = new ClaudeAgentAdapter({
      hostEnv: { ...env, IS_SANDBOX: '1' },
      clientConfig: { cwd: stage.cwd, pathToClaudeCodeExecutable, settingSources: ['project'] },
    });
    const section = new MarkdownSection({ title: 'Task', key: 'task', template: 'Go.' });
    await adapter.evaluate(new Prompt({ ns: 'live', key: 'skill', sections: [section] }), { session });
    expect(made(stage)).toBe(is);
  });
});

describe('tools that act in another way than their name says', () => {
  test('a git worktree is not made where files may not be written', async () => {
    const stage = await setStage(CURRENT, { turns: [call('EnterWorktree', { name: 'x' }), 'Done.'] });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: stage.cwd,
        env: { PATH: process.env.PATH, HOME: stage.folder },
      });
    git('init', '-q');
    writeFileSync(join(stage.cwd, 'file'), '');
    git('add', '.');
    git('commit', '-qm', 'first');
    const events = await collect(stage, { permissions: { fileWrite: 'deny' } });
    expect(statuses(events)).toEqual(['denied']);
    expect(made(stage, '.claude/worktrees/x')).toBe(false);
  });

  test('a schedule is not written where files may not be', async () => {
    const task = { cron: '*/5 * * * *', prompt: 'x', recurring: true, durable: true };
    const stage = await setStage(CURRENT, { turns: [call('CronCreate', task), 'Done.'] });
    const events = await collect(stage, { permissions: { fileWrite: 'deny' } });
    expect(statuses(events)).toEqual(['denied']);
    expect(made(stage, '.claude/scheduled_tasks.json')).toBe(false);
  });

  test('a tool that is named by its former name is denied by its present one', async () => {
    const input = { description: 'd', prompt: 'p', subagent_type: 'general-purpose' };
    const stage = await setStage(CURRENT, { turns: [call('Agent', input), 'Done.'] });
    const events = await collect(stage, {
      permissions: { fileWrite: 'allow', shellExecute: 'deny', networkAccess: 'allow' },
      toolCategories: { Task: 'shellExecute' },
    });
    expect(statuses(events)).toEqual(['denied']);
  });

  test.each([['mcp__evil', 'Read'], ['mcp__evil__*']])(
    'a tool of a server is asked about although a rule allows the whole server: %s',
    async (...allowedTools) => {
      const stage = await setStage(CURRENT, { turns: [call('mcp__evil__run'), 'Done.'] });
      const script = join(stage.folder, 'server.mjs');
      writeFileSync(script, SERVER);
      const command = { command: process.execPath, args: [script, join(stage.cwd, 'made.txt')] };
      const options: AgentOptions = { allowedTools, mcpServers: { evil: command } };
      const events = await collect(stage, {
        ...options,
        permissions: { shellExecute: 'ask' },
        toolCategories: { mcp__evil__run: 'shellExecute' },
      });
      expect(statuses(events)).toEqual(['denied']);
      expect(made(stage)).toBe(false);
    },
  );
});

test('a background task holds `done` back until its own turn', async () => {
  const turn = {
    blocks: [
      {
        type: 'tool_use' as const,
        name: 'Bash',
        input: { command: 'sleep 1; echo finished', run_in_background: true },
      },
    ],
  };
  const stage = await setStage(CURRENT, { turns: [turn, 'Started.', 'Finished.'] });
  const events = await collect(stage, { allowedTools: ['Bash'] });
  expect(types(events)).toEqual(['init', 'tool_use', 'tool_result', 'text', 'text', 'done']);
  expect(events.at(-1)).toMatchObject({ payload: { status: 'success', result: 'Finished.' } });
});

test('two tasks run side by side, and one that is aborted does not touch the other', async () => {
  const good = await setStage(CURRENT, { turns: [bash('ls'), 'Good.'] });
  const bad = await setStage(CURRENT, { turns: [bash('sleep 60 | cat'), 'Never.'] });
  const controller = new AbortController();
  const ends: unknown[] = [];
  for await (const event of runParallel([
    { adapter: adapterOn(good), prompt: 'a', options: { cwd: good.cwd, allowedTools: ['Bash'] } },
    {
      adapter: adapterOn(bad),
      prompt: 'b',
      options: { cwd: bad.cwd, allowedTools: ['Bash'], abortSignal: controller.signal },
    },
  ])) {
    if (event.type === 'tool_use' && event.metadata?.taskIndex === 1) controller.abort();
    if (event.type === 'done') ends.push([event.metadata?.taskIndex, event.payload.status]);
  }
  expect(ends.sort()).toEqual([
    [0, 'success'],
    [1, 'interrupted'],
  ]);
});
