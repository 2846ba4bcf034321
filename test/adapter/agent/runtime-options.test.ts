import { describe, expect, test } from 'vitest';
import type { AgentOptions } from '../../../src/adapter/agent/agent-types.js';
import { policyHooks } from '../../../src/adapter/agent/enforce-policy.js';
import { planPermissions } from '../../../src/adapter/agent/permission-plan.js';
import { childEnvironment, toRuntimeOptions } from '../../../src/adapter/agent/runtime-options.js';
import { createLog } from '../../../src/adapter/logging/log.js';
import type { CanUseTool } from '../../../src/index.js';

const log = createLog(undefined);

function mapped(options: AgentOptions, canUseTool?: CanUseTool, hasManagedServers = false) {
  const plan = planPermissions(options.permissions, {
    hasHandler: options.onPermissionRequest !== undefined,
    toolCategories: options.toolCategories,
  });
  return toRuntimeOptions(options, plan, {
    env: {},
    abortController: new AbortController(),
    canUseTool,
    policyHooks: policyHooks(plan, { onRefused: () => {}, log }),
    hasManagedServers,
  });
}

test('what was not asked for is absent, not undefined (AD-361)', () => {
  const options = mapped({ cwd: undefined, model: undefined });
  expect(Object.keys(options).sort()).toEqual([
    'abortController',
    'env',
    'includePartialMessages',
    'permissionMode',
    'unhandledElicitation',
    'verbatimPrompts',
  ]);
  expect(options).toMatchObject({ permissionMode: 'default', includePartialMessages: true });
});

test('an empty `resume` is absent (AD-362)', () => {
  expect(mapped({ resume: '' })).not.toHaveProperty('resume');
  expect(mapped({ resume: 's' })).toHaveProperty('resume', 's');
});

test('interpretPrompts leaves the texts to the CLI (I-4)', () => {
  expect(mapped({ interpretPrompts: true })).not.toHaveProperty('verbatimPrompts');
});

test('every option has its place', () => {
  const hook = { hooks: [] };
  const options: AgentOptions = {
    cwd: '/w',
    model: 'm',
    maxTurns: 2,
    maxBudgetUsd: 0.5,
    resume: 's',
    systemPrompt: 'Be brief.',
    includePartialMessages: false,
    settingSources: ['project'],
    pathToClaudeCodeExecutable: '/cli',
    disallowedTools: ['Bash'],
    mcpServers: { a: { command: 'a' } },
    hooks: { PreToolUse: [hook], Stop: [hook] },
    permissions: { fileWrite: 'allow', shellExecute: 'allow', networkAccess: 'allow' },
  };
  expect(mapped(options)).toEqual({
    cwd: '/w',
    model: 'm',
    maxTurns: 2,
    maxBudgetUsd: 0.5,
    resume: 's',
    systemPrompt: 'Be brief.',
    includePartialMessages: false,
    settingSources: ['project'],
    pathToClaudeCodeExecutable: '/cli',
    disallowedTools: ['Bash'],
    mcpServers: { a: { command: 'a' } },
    hooks: { PreToolUse: [hook], Stop: [hook] },
    verbatimPrompts: true,
    unhandledElicitation: 'cancel',
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    env: {},
    abortController: expect.any(AbortController),
  });
});

test('the hooks of the policy come before those of the caller', () => {
  const hook = { hooks: [] };
  const { hooks } = mapped({ permissions: { shellExecute: 'deny' }, hooks: { PreToolUse: [hook] } });
  expect(hooks?.PreToolUse?.[0]).toMatchObject({ matcher: expect.stringContaining('Bash') });
  expect(hooks?.PreToolUse?.at(-1)).toBe(hook);
});

describe('a policy that denies keeps the project from starting anything (I-5)', () => {
  const ask: AgentOptions = { onPermissionRequest: () => 'deny' };
  test.each<[string, AgentOptions, boolean]>([
    ['a level is deny', { permissions: { networkAccess: 'deny' }, ...ask }, true],
    ['commands are allowed', { permissions: { shellExecute: 'allow' } }, false],
    ['nobody is there to allow', { permissions: { fileWrite: 'allow' } }, true],
    ['somebody is there to allow', { permissions: { fileWrite: 'allow' }, ...ask }, false],
    [
      'everything is allowed',
      { permissions: { fileWrite: 'allow', shellExecute: 'allow', networkAccess: 'allow' } },
      false,
    ],
    ['no policy', {}, false],
  ])('%s', (_, options, denies) => {
    const { settingSources, strictMcpConfig } = mapped(options);
    expect({ settingSources, strictMcpConfig }).toEqual(
      denies ? { settingSources: ['user'], strictMcpConfig: true } : {},
    );
  });

  test('sources that the caller names stay, servers that nobody named do not start', () => {
    const options = mapped({
      permissions: { shellExecute: 'deny' },
      settingSources: ['project'],
      mcpServers: { docs: { command: 'docs' } },
    });
    expect(options).toMatchObject({
      settingSources: ['project'],
      strictMcpConfig: true,
      mcpServers: { docs: { command: 'docs' } },
    });
  });

  test('where the administrator rules the servers, the CLI gets no flag that it refuses', () => {
    const options = mapped({ permissions: { shellExecute: 'deny' } }, undefined, true);
    expect(options).not.toHaveProperty('strictMcpConfig');
  });
});

describe('worktrees under a policy (I-6)', () => {
  test("where writing is denied, our hook makes none, in place of the caller's", async () => {
    const own = { hooks: [() => ({ hookSpecificOutput: {} }) as never] };
    const { hooks } = mapped({ permissions: { fileWrite: 'deny' }, hooks: { WorktreeCreate: [own] } });
    expect(hooks?.WorktreeCreate).toHaveLength(1);
    expect(hooks?.WorktreeCreate).not.toContain(own);
    const callback = hooks?.WorktreeCreate?.[0]?.hooks[0];
    const signal = new AbortController().signal;
    expect(await callback?.({} as never, undefined, { signal })).toEqual({});
  });

  test('where writing may be allowed the CLI makes them', () => {
    for (const fileWrite of ['allow', 'ask'] as const) {
      const { hooks } = mapped({
        permissions: { fileWrite, shellExecute: 'deny' },
        onPermissionRequest: () => 'allow',
      });
      expect(hooks).not.toHaveProperty('WorktreeCreate');
    }
  });
});

test('the shell of skills is turned off by a setting where a policy denies or asks about commands', () => {
  for (const permissions of [{ shellExecute: 'deny' }, { shellExecute: 'ask' }, {}] as const) {
    expect(mapped({ permissions })).toHaveProperty('settings', { disableSkillShellExecution: true });
  }
  for (const permissions of [undefined, { shellExecute: 'allow' }] as const) {
    expect(mapped({ permissions })).not.toHaveProperty('settings');
  }
});

test('a run with a callback is not warned of its own allow list', () => {
  const callback: CanUseTool = async () => ({ behavior: 'allow' });
  expect(mapped({ allowedTools: ['Read'] }, callback)).toHaveProperty('meansToShadow', true);
});

test.each([
  { rule: 'mcp__evil', kept: false },
  { rule: 'mcp__evil__*', kept: false },
  { rule: 'mcp__evil(*)', kept: false },
  { rule: ' mcp__evil__* ', kept: false },
  { rule: 'mcp__evil__r*', kept: false },
  { rule: 'mcp__*', kept: false },
  { rule: '*', kept: false },
  { rule: 'mcp__evil__run', kept: false },
  { rule: 'mcp__evil__read', kept: true },
  { rule: 'mcp__evil__re*', kept: true },
  { rule: 'mcp__ev', kept: true },
  { rule: 'mcp__good', kept: true },
  { rule: 'mcp__good__*', kept: true },
])(
  'an allow rule for a whole server does not spare the question about a tool in a category: $rule',
  ({ rule, kept }) => {
    const toolCategories = { mcp__evil__run: 'shellExecute' } as const;
    for (const level of ['ask', 'deny', 'allow'] as const) {
      const { allowedTools } = mapped({
        permissions: { fileWrite: 'allow', networkAccess: 'allow', shellExecute: level },
        toolCategories,
        allowedTools: [rule],
      });
      expect([level, allowedTools?.length]).toEqual([level, kept || level === 'allow' ? 1 : 0]);
    }
    expect(mapped({ toolCategories, allowedTools: [rule] }).allowedTools).toHaveLength(1);
  },
);

test.each([
  ...(['mcp__my_db', 'mcp__my.db', 'mcp__my_db__*', 'mcp__my_db__read', 'mcp__my_db__w*', 'mcp__my_*'] as const).map(
    (rule) => ({ rule, kept: false }),
  ),
  { rule: 'mcp__*__read', kept: false },
  { rule: 'mcp__my_db__free', kept: true },
  { rule: 'mcp__my_dba', kept: true },
  { rule: 'mcp__my_dba__*', kept: true },
  { rule: 'Read', kept: true },
])('an allow rule does not spare the question about a server in a category: $rule', ({ rule, kept }) => {
  const toolCategories = { 'mcp__my.db': 'shellExecute', 'mcp__my.db__free': 'none' } as const;
  const { allowedTools } = mapped({ permissions: { shellExecute: 'ask' }, toolCategories, allowedTools: [rule] });
  expect(allowedTools).toEqual(kept ? [rule] : []);
});

describe('the tool lists', () => {
  const lists = (options: AgentOptions) => {
    const { tools, allowedTools } = mapped(options);
    return { tools, allowedTools };
  };

  test.each([
    {
      name: 'a denied and an asked capability need a question, so they are no allow rules',
      permissions: { shellExecute: 'deny', networkAccess: 'allow' },
      allowedTools: ['Bash(git:*)', 'Write', 'WebFetch', 'Read'],
      tools: ['Bash', 'Write', 'WebFetch', 'Read'],
      allowed: ['WebFetch', 'Read'],
    },
    {
      name: 'tools of MCP servers are not among the built-in ones',
      permissions: {},
      allowedTools: ['mcp__db__query', 'mcp__web'],
      tools: [],
      allowed: ['mcp__db__query', 'mcp__web'],
    },
    {
      name: 'a rule does not hide behind another in the same entry',
      permissions: { shellExecute: 'deny' },
      allowedTools: ['Read,Bash', 'Glob Bash(ls:*)', 'Read(a, Bash)', 'Grep,\tPowerShell'],
      tools: ['Read', 'Bash', 'Glob', 'Grep', 'PowerShell'],
      allowed: ['Read', 'Glob', 'Read(a, Bash)', 'Grep'],
    },
    {
      name: 'without a policy the list is passed on',
      permissions: undefined,
      allowedTools: ['Bash', 'Bash(git:*)'],
      tools: ['Bash'],
      allowed: ['Bash', 'Bash(git:*)'],
    },
  ] as const)('$name', ({ permissions, allowedTools, tools, allowed }) => {
    expect(lists({ permissions, allowedTools })).toEqual({ tools, allowedTools: allowed });
  });
});

test('CLAUDECODE never reaches the child, and undefined takes a variable away', () => {
  expect(
    childEnvironment(
      { PATH: '/bin', HOME: '/h', CLAUDECODE: '1', GONE: undefined, OLD: 'x' },
      { EXTRA: 'e', HOME: '/other', CLAUDECODE: '1', OLD: undefined },
    ),
  ).toEqual({ PATH: '/bin', HOME: '/other', EXTRA: 'e' });
});
