import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { policyHooks } from '../../../src/adapter/agent/enforce-policy.js';
import type {
  Capability,
  PermissionLevel,
  PermissionPolicy,
  ToolCategories,
} from '../../../src/adapter/agent/permission-plan.js';
import { isToolKey, planPermissions } from '../../../src/adapter/agent/permission-plan.js';
import { createLog } from '../../../src/adapter/logging/log.js';

const TOOLS: Readonly<Record<Capability, readonly string[]>> = {
  fileWrite: [
    ...['Write', 'Edit', 'MultiEdit', 'NotebookEdit'],
    ...['EnterWorktree', 'ExitWorktree', 'CronCreate', 'CronDelete'],
  ],
  shellExecute: ['Bash', 'PowerShell', 'Monitor', 'KillShell', 'KillBash'],
  networkAccess: [
    ...['WebFetch', 'WebSearch', 'Artifact', 'ClaudeDesign', 'Projects', 'RemoteTrigger'],
    'SendFeedback',
  ],
};

/**
 * Row by row: the levels of fileWrite, shellExecute and networkAccess, the mode, the callback, the capabilities that hooks
 * deny, and those that hooks ask about where there is a handler (w file writing, s shell, n network).
 */
const TABLE = `
 1 allow allow allow bypassPermissions never  -   -
 2 allow allow ask   default           always -   n
 3 allow allow deny  default           always n   -
 4 allow ask   allow default           always -   s
 5 allow ask   ask   acceptEdits       handler - sn
 6 allow ask   deny  default           always n   s
 7 allow deny  allow default           always s   -
 8 allow deny  ask   default           always s   n
 9 allow deny  deny  default           always sn  -
10 ask   allow allow default           always -   w
11 ask   allow ask   default           always -   wn
12 ask   allow deny  default           always n   w
13 ask   ask   allow default           always -   ws
14 ask   ask   ask   default           always -   wsn
15 ask   ask   deny  default           always n   ws
16 ask   deny  allow default           always s   w
17 ask   deny  ask   default           always s   wn
18 ask   deny  deny  default           always sn  w
19 deny  allow allow default           always w   -
20 deny  allow ask   default           always w   n
21 deny  allow deny  default           always wn  -
22 deny  ask   allow default           always w   s
23 deny  ask   ask   default           always w   sn
24 deny  ask   deny  default           always wn  s
25 deny  deny  allow default           always ws  -
26 deny  deny  ask   default           always ws  n
27 deny  deny  deny  default           always wsn -
`;

const rows = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/))
  .map(([row, fileWrite, shellExecute, networkAccess, mode, callback, denials, asks]) => ({
    row,
    policy: { fileWrite, shellExecute, networkAccess } as Required<PermissionPolicy>,
    mode,
    callback,
    denials: toolsOf(denials ?? ''),
    asks: toolsOf(asks ?? ''),
  }));

function toolsOf(letters: string): readonly string[] {
  return [
    ...(letters.includes('w') ? TOOLS.fileWrite : []),
    ...(letters.includes('s') ? TOOLS.shellExecute : []),
    ...(letters.includes('n') ? TOOLS.networkAccess : []),
  ];
}

test('the table has each of the 27 combinations once (AD-343)', () => {
  const combinations = rows.map(({ policy }) => Object.values(policy).join(' '));
  expect(new Set(combinations).size).toBe(27);
  expect(rows).toHaveLength(27);
});

describe.each([{ hasHandler: false }, { hasHandler: true }])('with a handler: $hasHandler', (how) => {
  test.each(rows)('row $row, $policy (AD-343)', ({ policy, mode, callback, denials, asks }) => {
    const plan = planPermissions(policy, how);
    expect({
      permissionMode: plan.permissionMode,
      skip: plan.allowDangerouslySkipPermissions,
      callback: plan.attachesCallback,
      denials: plan.hookDenials,
      asks: plan.hookAsks,
    }).toEqual({
      permissionMode: mode,
      skip: mode === 'bypassPermissions',
      callback: callback === 'always' || (callback === 'handler' && how.hasHandler),
      denials,
      asks: how.hasHandler ? asks : [],
    });
    for (const [capability, tools] of Object.entries(TOOLS)) {
      const level: PermissionLevel = policy[capability as Capability];
      expect(tools.map((tool) => plan.levelOf(tool))).toEqual(tools.map(() => level));
    }
    expect(plan.levelOf('SandboxNetworkAccess')).toBe(policy.networkAccess);
    expect(plan.levelOf('Read')).toBeUndefined();
  });
});

test.each([
  {
    row: 'all three `allow` (AD-344)',
    policy: { fileWrite: 'allow', shellExecute: 'allow', networkAccess: 'allow' },
    hasHandler: true,
    is: ['bypassPermissions', true, false],
  },
  {
    row: 'only `fileWrite` `allow`, the others missing (AD-345)',
    policy: { fileWrite: 'allow' },
    hasHandler: false,
    is: ['acceptEdits', false, false],
  },
  { row: '`{}` (AD-346)', policy: {}, hasHandler: false, is: ['default', false, true] },
  { row: 'no policy, without a handler (AD-347)', policy: undefined, hasHandler: false, is: ['default', false, false] },
  { row: 'no policy, with a handler (AD-347)', policy: undefined, hasHandler: true, is: ['default', false, true] },
] as const)('maps to $is: $row', ({ policy, hasHandler, is }) => {
  const plan = planPermissions(policy, { hasHandler });
  expect([plan.permissionMode, plan.allowDangerouslySkipPermissions, plan.attachesCallback]).toEqual(is);
});

test('without a policy nothing is forced', () => {
  const plan = planPermissions(undefined, { hasHandler: true });
  expect([plan.hookDenials, plan.hookAsks, plan.levelOf('Bash')]).toEqual([[], [], undefined]);
});

const capabilityOf = (name: string): Capability | undefined =>
  planPermissions({}, { hasHandler: false }).capabilityOf(name);

test.each([
  ['MultiEdit', 'fileWrite'],
  ['NotebookEdit', 'fileWrite'],
  ['Write(src/**)', 'fileWrite'],
  [' Write', 'fileWrite'],
  ['mcp__x__Write', undefined],
  ['Writer', undefined],
] as const)('%j is in category %s (AD-351)', (name, capability) => {
  expect(capabilityOf(name)).toBe(capability);
});

test.each([
  ['\tBash (git *)', 'shellExecute'],
  ['Bash:git', 'shellExecute'],
  ['Monitor', 'shellExecute'],
  ['WebSearch', 'networkAccess'],
  ['constructor', undefined],
  ['__proto__', undefined],
  ['', undefined],
  ['Bash_Write', undefined],
  ['write', undefined],
] as const)('%j is in category %s', (name, capability) => {
  expect(capabilityOf(name)).toBe(capability);
});

test('`toolCategories` extends and overrides the table (AD-352)', () => {
  const plan = planPermissions(
    { shellExecute: 'deny', fileWrite: 'deny' },
    { hasHandler: false, toolCategories: { Custom: 'shellExecute', Edit: 'none', Bash: 'fileWrite' } },
  );
  expect(plan.capabilityOf('Custom')).toBe('shellExecute');
  expect(plan.levelOf('Custom')).toBe('deny');
  expect(plan.hookDenials).toContain('Custom');
  expect(plan.capabilityOf('Edit')).toBeUndefined();
  expect(plan.hookDenials).not.toContain('Edit');
  expect(plan.capabilityOf('Bash')).toBe('fileWrite');
});

test.each([
  ['mcp__db__write', 'mcp__db__write', 'mcp__db__write_all'],
  ['mcp__db', 'mcp__db__write', 'mcp__dba__write'],
  ['mcp__db__*', 'mcp__db__write', 'mcp__dba__write'],
  ['mcp__db__', 'mcp__db__write', 'mcp__dba__write'],
  ['mcp__my.db', 'mcp__my_db__write', 'mcp__my__write'],
  ['mcp__my db__*', 'mcp__my_db__write', 'mcp__my__write'],
  ['mcp__my.db__write', 'mcp__my_db__write', 'mcp__my_db__read'],
  ['mcp__db__löschen', 'mcp__db__löschen', 'mcp__db__l'],
  ['mcp__db__löschen', 'mcp__db__l_schen', 'mcp__db__läschen'],
  ['mcp__db__l', 'mcp__db__l', 'mcp__db__löschen'],
  ['mcp__db__a', 'mcp__db__a', 'mcp__db__a/b'],
  ['Größe', 'Größe', 'Gr'],
  [' Custom ', 'Custom', 'Customs'],
] as const)('the key %j of `toolCategories` is about %s, not about %s', async (key, tool, other) => {
  const policy = { fileWrite: 'deny', shellExecute: 'allow', networkAccess: 'allow' } as const;
  const plan = planPermissions(policy, { hasHandler: false, toolCategories: { [key]: 'fileWrite' } });
  expect([tool, other].map((each) => plan.levelOf(each))).toEqual(['deny', undefined]);
  const [denying] = policyHooks(plan, { onRefused: () => {}, log: createLog(undefined) });
  expect(new RegExp(denying?.matcher ?? '').test(tool)).toBe(true);
  expect(isToolKey(key)).toBe(true);
});

test('a tool of a server keeps its own category, and the server gives it to all others', () => {
  const toolCategories = { mcp__db: 'fileWrite', mcp__db__read: 'none', mcp__db__fetch: 'networkAccess' } as const;
  const plan = planPermissions({}, { hasHandler: false, toolCategories });
  const tools = ['mcp__db__write', 'mcp__db__read', 'mcp__db__fetch'];
  expect(tools.map((each) => plan.capabilityOf(each))).toEqual(['fileWrite', undefined, 'networkAccess']);
});

test.each([
  ...['', ' ', '*', 'Web*', 'Bash(rm *)', 'two words', 'Bash:git', 'a,b', 'mcp__', 'mcp____', 'mcp____*', 'mcp__*'],
  ...['mcp__db__w*', 'mcp__d?b', 'mcp__*__write', 'mcp__db__write(x)', 'mcp__db__*x'],
])('%j cannot be a key of `toolCategories`', (key) => {
  expect(isToolKey(key)).toBe(false);
});

test.each([
  { name: 'a former name', toolCategories: { Task: 'shellExecute' }, denied: ['Task', 'Agent'] },
  { name: 'the present name', toolCategories: { Agent: 'shellExecute' }, denied: ['Task', 'Agent'] },
  {
    name: 'one of two former names',
    toolCategories: { KillShell: 'networkAccess' },
    denied: [],
    free: ['TaskStop', 'KillShell', 'KillBash'],
  },
  {
    name: 'a name that has an entry of its own keeps it',
    toolCategories: { Agent: 'none', Task: 'shellExecute' },
    denied: ['Task'],
    free: ['Agent'],
  },
  {
    name: 'the same, in the other order',
    toolCategories: { Task: 'shellExecute', Agent: 'none' },
    denied: ['Task'],
    free: ['Agent'],
  },
] as const)('a category given to $name holds for every name of the tool', (row) => {
  const { toolCategories, denied } = row;
  const plan = planPermissions(
    { fileWrite: 'allow', shellExecute: 'deny', networkAccess: 'allow' },
    { hasHandler: false, toolCategories },
  );
  for (const tool of denied) {
    expect(plan.hookDenials).toContain(tool);
    expect(plan.levelOf(tool)).toBe('deny');
  }
  for (const tool of 'free' in row ? row.free : []) {
    expect(plan.hookDenials).not.toContain(tool);
    expect(plan.levelOf(tool)).not.toBe('deny');
  }
});

test('tools that write besides the file tools are in fileWrite', () => {
  const tools = ['EnterWorktree', 'ExitWorktree', 'CronCreate', 'CronDelete'];
  expect(tools.map(capabilityOf)).toEqual(tools.map(() => 'fileWrite'));
});

test.each(rows)('row $row: the shell of skills is off unless commands are allowed', ({ policy }) => {
  for (const hasHandler of [false, true]) {
    const { disablesSkillShell, restricted } = planPermissions(policy, { hasHandler });
    expect(disablesSkillShell).toBe(policy.shellExecute !== 'allow');
    expect(restricted.includes('Bash')).toBe(policy.shellExecute !== 'allow');
  }
});

test('the shell of skills goes by the category of the shells', () => {
  const off = (toolCategories: ToolCategories): boolean =>
    planPermissions(
      { fileWrite: 'allow', shellExecute: 'deny', networkAccess: 'allow' },
      { hasHandler: false, toolCategories },
    ).disablesSkillShell;
  expect(off({ Bash: 'none' })).toBe(true);
  expect(off({ Bash: 'none', PowerShell: 'none' })).toBe(false);
  expect(planPermissions(undefined, { hasHandler: true }).disablesSkillShell).toBe(false);
});

test('the page has the same 27 rows', () => {
  const page = readFileSync(new URL('../../../docs/evidence/permission-combinations.md', import.meta.url), 'utf8');
  const written = page
    .split('\n')
    .filter((line) => /^\| (?:allow|ask|deny) /.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const letters = (tools: readonly string[]): string =>
    Object.entries({ w: 'Write', s: 'Bash', n: 'WebFetch' })
      .filter(([, tool]) => tools.includes(tool))
      .map(([letter]) => letter)
      .join(', ');
  const callbacks = { always: 'yes', never: 'no', handler: 'with a handler' };
  expect(written).toEqual(
    rows.map(({ policy, mode, callback, denials, asks }) => [
      ...Object.values(policy),
      `\`${mode}\``,
      callbacks[callback as keyof typeof callbacks],
      letters(denials),
      letters(asks),
    ]),
  );
});

describe('a call is judged by its input too (I-6)', () => {
  const worktree = { isolation: 'worktree', prompt: 'Do it.' };
  const plan = planPermissions(
    { fileWrite: 'deny', shellExecute: 'allow', networkAccess: 'ask' },
    { hasHandler: true },
  );

  test.each([
    ['Agent', worktree, 'fileWrite', 'deny'],
    ['Task', worktree, 'fileWrite', 'deny'],
    ['Agent', { isolation: 'one of tomorrow' }, 'fileWrite', 'deny'],
    ['Agent', { isolation: { type: 'worktree' } }, 'fileWrite', 'deny'],
    ['Agent', { isolation: 'remote' }, 'networkAccess', 'ask'],
    ['Agent', { isolation: null }, undefined, undefined],
    ['Agent', { prompt: 'Do it.' }, undefined, undefined],
    ['Artifact', { action: 'read_asset', out_dir: 'out' }, 'fileWrite', 'deny'],
    ['Artifact', { file_path: 'a.html' }, 'networkAccess', 'ask'],
    ['Projects', { method: 'project_read', local_path: 'a.md' }, 'fileWrite', 'deny'],
    ['Projects', { method: 'project_write', local_path: 'a.md' }, 'networkAccess', 'ask'],
    ['Monitor', { ws: { url: 'wss://host/' } }, 'networkAccess', 'ask'],
    ['Monitor', { command: 'tail -f log' }, 'shellExecute', 'allow'],
  ] as const)('%s with %j is %s', (tool, input, capability, level) => {
    expect([plan.capabilityOf(tool, input), plan.levelOf(tool, input)]).toEqual([capability, level]);
  });

  test('an override counts beside the input, and one that takes the tool out counts alone', () => {
    const level = (toolCategories: ToolCategories) =>
      planPermissions({ fileWrite: 'deny', shellExecute: 'allow' }, { hasHandler: true, toolCategories }).levelOf(
        'Task',
        worktree,
      );
    expect(level({ Agent: 'shellExecute' })).toBe('deny');
    expect(level({ Agent: 'none' })).toBeUndefined();
    expect(level({ Agent: 'none', Task: 'shellExecute' })).toBe('deny');
  });

  test.each([
    { fileWrite: 'deny', hasHandler: true, is: 'deny' },
    { fileWrite: 'ask', hasHandler: true, is: 'ask' },
    { fileWrite: 'ask', hasHandler: false, is: 'deny' },
    { fileWrite: 'allow', hasHandler: true, is: undefined },
  ] as const)(
    'the hook answers an agent in a worktree: $fileWrite, handler $hasHandler',
    async ({ fileWrite, hasHandler, is }) => {
      const policy = planPermissions({ fileWrite, shellExecute: 'allow', networkAccess: 'deny' }, { hasHandler });
      const refused: string[] = [];
      const hooks = policyHooks(policy, { onRefused: (id) => refused.push(id), log: createLog(undefined) });
      const mine = hooks.filter(({ matcher }) => matcher?.split('|').includes('Agent'));
      expect(mine).toHaveLength(1);
      const answer = (tool_input: object) =>
        mine[0]?.hooks[0]?.({ hook_event_name: 'PreToolUse', tool_name: 'Agent', tool_input } as never, 'call', {
          signal: new AbortController().signal,
        });
      expect(await answer({ prompt: 'x' })).toEqual({});
      const said = await answer(worktree);
      expect(said).toEqual(
        is === undefined ? {} : { hookSpecificOutput: expect.objectContaining({ permissionDecision: is }) },
      );
      expect(refused).toEqual(is === 'deny' ? ['call'] : []);
    },
  );
});
