import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentOptions } from '../../src/adapter/agent/agent-types.js';
import { ClaudeCodeAdapter } from '../../src/adapter/agent/claude-code-adapter.js';
import { ClaudeAgentAdapter } from '../../src/adapter/evaluate/claude-agent-adapter.js';
import type { ClaudeAgentClientConfig } from '../../src/adapter/evaluate/client-config.js';
import { Prompt } from '../../src/adapter/prompt/prompt.js';
import { MarkdownSection } from '../../src/adapter/prompt/section.js';
import { Session } from '../../src/adapter/state/session.js';
import { BOTH, CURRENT, type LiveCli } from './support/clis.js';
import { plantProject } from './support/planted-project.js';
import { type Stage, setStage } from './support/stage.js';
import { bash, call } from './support/turns.js';

/** Whatever could wake a program of the project: files, its skill, its agent, a command. */
const TURNS = [
  call('Read', { file_path: 'a.ts' }),
  call('Skill', { skill: 'planted' }),
  call('Agent', { description: 'd', prompt: 'p', subagent_type: 'planted', run_in_background: false }),
  bash('true'),
  ...['Done.', 'Done.', 'Done.'],
];
const DENIED = { fileWrite: 'deny', shellExecute: 'deny', networkAccess: 'deny' } as const;

/** Runs an agent in a planted project. Gives what ran. */
async function agentIn(cli: LiveCli, options: AgentOptions): Promise<readonly string[]> {
  const stage = await setStage(cli, { turns: TURNS });
  const { ran } = plantProject(stage);
  const { env = {}, pathToClaudeCodeExecutable } = stage.options();
  const adapter = new ClaudeCodeAdapter({ hostEnv: env, pathToClaudeCodeExecutable });
  for await (const event of adapter.run('Go.', { cwd: stage.cwd, ...options })) {
    // The old release is refused for what it cannot promise, after its start.
    const status = cli === CURRENT ? 'success' : 'error';
    if (event.type === 'done') expect(event.payload).toMatchObject({ status });
  }
  return ran();
}

async function evaluateIn(client: ClaudeAgentClientConfig): Promise<readonly string[]> {
  const stage = await setStage(CURRENT, { turns: TURNS });
  const { ran } = plantProject(stage);
  const { env = {}, pathToClaudeCodeExecutable } = stage.options();
  const adapter = new ClaudeAgentAdapter({
    hostEnv: { ...env, IS_SANDBOX: '1' },
    clientConfig: { cwd: stage.cwd, pathToClaudeCodeExecutable, ...client },
  });
  const section = new MarkdownSection({ title: 'Task', key: 'task', template: 'Go.' });
  await adapter.evaluate(new Prompt({ ns: 'live', key: 'planted', sections: [section] }), { session: new Session() });
  return ran();
}

const servers = (ran: readonly string[]) => ran.filter((name) => name.startsWith('mcp-'));

describe('programs of a project (I-5)', () => {
  test('without a policy the CLI starts them: the stage is good', async () => {
    const ran = await agentIn(CURRENT, { onPermissionRequest: () => 'allow' });
    expect(ran).toEqual(
      expect.arrayContaining([
        ...['hook-SessionStart-project', 'hook-SessionStart-local', 'hook-Stop-project'],
        ...['apiKeyHelper', 'mcp-named', 'mcp-other'],
      ]),
    );
  });

  test.each(BOTH)('CLI $version: none starts where all is denied', async (cli) => {
    expect(await agentIn(cli, { permissions: DENIED })).toEqual([]);
  });

  test.each<[string, AgentOptions]>([
    ['one level is deny', { permissions: { networkAccess: 'deny' }, onPermissionRequest: () => 'allow' }],
    ['commands that nobody can allow', { permissions: {} }],
    ["sources that are the user's own", { permissions: DENIED, settingSources: ['user'] }],
    ['no sources', { permissions: DENIED, settingSources: [] }],
  ])('none starts: %s', async (_, options) => {
    expect(await agentIn(CURRENT, options)).toEqual([]);
  });

  test('a server that the caller names starts, and no other', async () => {
    const named = { projectMcpServers: ['named'] };
    expect(await agentIn(CURRENT, { permissions: DENIED, ...named })).toEqual(['mcp-named']);
    const project = { permissions: DENIED, settingSources: ['project'], ...named } as const;
    expect(servers(await agentIn(CURRENT, project))).toEqual(['mcp-named']);
  });

  test('evaluate() starts none by default, and with settings of the project that something is denied under no server', async () => {
    expect(await evaluateIn({})).toEqual([]);
    const denying = { permissionMode: 'default', settingSources: ['project'] } as const;
    expect(servers(await evaluateIn(denying))).toEqual([]);
    expect(servers(await evaluateIn({ ...denying, projectMcpServers: ['named'] }))).toEqual(['mcp-named']);
    expect(servers(await evaluateIn({ settingSources: ['project'] }))).toEqual(['mcp-named', 'mcp-other']);
  });
});

describe('agents with a worktree of their own (I-6)', () => {
  const definition = '---\nname: apart\ndescription: d\nisolation: worktree\n---\nDo it.\n';

  async function inRepository(stage: Stage, options: AgentOptions): Promise<readonly string[]> {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: stage.cwd,
        env: { PATH: process.env.PATH, HOME: stage.folder },
      });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    const { env = {}, pathToClaudeCodeExecutable } = stage.options();
    const { CLAUDE_CONFIG_DIR = '' } = env;
    execFileSync('mkdir', ['-p', join(CLAUDE_CONFIG_DIR, 'agents')]);
    writeFileSync(join(CLAUDE_CONFIG_DIR, 'agents', 'apart.md'), definition);
    const adapter = new ClaudeCodeAdapter({ hostEnv: env, pathToClaudeCodeExecutable });
    const said: string[] = [];
    for await (const event of adapter.run('Go.', { cwd: stage.cwd, ...options })) {
      if (event.type === 'tool_result') said.push(event.payload.status);
    }
    return said;
  }

  const AGENT = { description: 'd', prompt: 'p', run_in_background: false };
  test.each([
    ['Agent', { ...AGENT, isolation: 'worktree' }, 'denied'],
    ['Task', { ...AGENT, isolation: 'worktree' }, 'denied'],
    // Nothing in the call says it.
    ['Agent', { ...AGENT, subagent_type: 'apart' }, 'error'],
  ])('%s %j makes none where writing is denied', async (tool, input, status) => {
    const stage = await setStage(CURRENT, { turns: [call(tool, input), 'Done.', 'Done.'] });
    const said = await inRepository(stage, { permissions: { fileWrite: 'deny', shellExecute: 'allow' } });
    expect(said).toEqual([status]);
    expect(existsSync(join(stage.cwd, '.claude'))).toBe(false);
    expect(existsSync(join(stage.cwd, '.git', 'worktrees'))).toBe(false);
  });

  test('it makes one where writing is allowed: the stage is good', async () => {
    const stage = await setStage(CURRENT, {
      turns: [call('Agent', { ...AGENT, subagent_type: 'apart' }), 'Done.', 'Done.'],
    });
    await inRepository(stage, { permissions: { fileWrite: 'allow', shellExecute: 'deny' } });
    expect(existsSync(join(stage.cwd, '.claude', 'worktrees'))).toBe(true);
  });
});
