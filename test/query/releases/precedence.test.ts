import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Diagnostic } from '../../../src/diagnostics.js';
import {
  CLIVersionError,
  createSdkMcpServer,
  type HookJSONOutput,
  type Options,
  type PermissionUpdate,
  query,
} from '../../../src/index.js';
import { FEATURES } from '../../../src/query/releases/honoured.js';
import { scriptedCli } from '../../../src/testing/scripted-cli.js';
import type { JsonObject } from '../../../src/util/json.js';
import { changesAt, wordsOf } from './runs.js';

const since = (fits: (feature: (typeof FEATURES)[number]) => boolean) => FEATURES.find(fits)?.since;
const by = (remedy: string) => since(({ otherwise }) => otherwise === remedy);
const of = (use: string) => since((feature) => feature.use === use);

describe('what counts where two say different things about a call (O-1)', () => {
  test.each([
    ['a hook that allows, a rule that denies', 'does not run', by('allowBelowRules')],
    ['a hook that allows, a rule that denies, in bypass mode', 'does not run', by('allowBelowRules')],
    ['a hook that allows, settings with a rule that denies', 'does not run', by('allowBelowRules')],
    ['a hook that approves in the old form, a rule that denies', 'does not run', by('allowBelowRules')],
    ['a hook that allows another input, a rule that denies it', 'does not run', by('allowBelowRules')],
    ['a hook that allows, a rule that asks', 'asked, does not run', by('allowBelowRules')],
    ['a hook that allows, a whole tool that asks', 'asked, does not run', by('allowBelowRules')],
    ['a hook that allows, plan', 'asked, does not run', by('allowBelowPlan')],
    ['a hook that allows, plan, a command', 'does not run', by('allowBelowPlan')],
    ['a rule that allows `Write`, plan', 'asked, does not run', of('plan beside writing')],
    ['a rule that allows `Write` in settings, plan', 'asked, does not run', of('plan beside writing')],
    ['agents, plan, a rule that allows `Write`', 'asked, does not run', of('plan beside writing')],
    ['a rule that denies a file by `/**`, in `disallowedTools`, reading', 'does not run', of('denied root')],
    ['a rule that denies a file by `/**`, in `disallowedTools`, writing', 'does not run', of('denied root')],
    ['a rule that denies a file by `~/**`, in `disallowedTools`, reading', 'does not run', of('denied root')],
    [
      'a tool of a server in this process, always_deny, given at the start, in bypass mode',
      'does not run',
      of('serverToolPolicies'),
    ],
    [
      'a tool of a server in this process, always_ask, given at the start, in bypass mode',
      'asked, does not run',
      of('serverToolPolicies'),
    ],
    [
      'a rule that denies `Bash(touch:*)`, a command with a redirection before it',
      'does not run',
      of('deniedCommands'),
    ],
  ])('%s', (probe, good, first) => {
    expect(first).toBeDefined();
    expect(changesAt(probe, good)).toBe(first);
  });

  test('a rule that allows `Bash` in plan mode, which 2.1.212 to 2.1.217 ask about', () => {
    const last = wordsOf('a rule that allows `Bash`, plan').findLast(([, word]) => word === 'runs')?.[0];
    expect([last, of('plan beside commands')]).toEqual(['2.1.211', '2.1.212']);
  });

  test('a rule that allows a tool, and one that denies some of its calls', () => {
    const ran = wordsOf('a rule that allows, a rule that denies').filter(([, word]) => word === 'runs');
    const range = FEATURES.find(({ use }) => use === 'deniedPart')?.except?.[0];
    expect([ran[0]?.[0], ran.at(-1)?.[0]]).toEqual(range);
  });

  test('the form of a root that stands beside the given one is honoured by all', () => {
    const forms = ['/**/*', '//**/*', '~/**/*'];
    const words = forms.flatMap((form) =>
      ['reading', 'writing'].flatMap((how) =>
        wordsOf(`a rule that denies a file by \`${form}\`, in \`disallowedTools\`, ${how}`),
      ),
    );
    expect(words.length).toBeGreaterThan(20);
    expect(words.filter(([, word]) => word !== 'does not run')).toEqual([]);
  });
});

/** Folders of a project and a user, with settings in files below them. */
function placeWith(files: Readonly<Record<string, object>> = {}): Options {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'claudewire-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ['work', 'home']) mkdirSync(join(root, folder, '.claude'), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), JSON.stringify(content));
  return { cwd: join(root, 'work'), env: { HOME: join(root, 'home') } };
}

const ALLOW = { hookEventName: 'PreToolUse', permissionDecision: 'allow', permissionDecisionReason: 'Fine.' } as const;

/** What the CLI gets for a hook's answer about a call, and what the program is told. */
async function sentFor(options: Options, output: HookJSONOutput, permissionMode = 'default') {
  const diagnostics: Diagnostic[] = [];
  await using cli = scriptedCli(({ prompt, init, toolUse, hook, result }) => [
    prompt(),
    init(),
    toolUse('Bash', { command: 'ls' }),
    hook('PreToolUse', { permission_mode: permissionMode }),
    result('Done.'),
  ]);
  const given: Options = {
    ...{ permissionMode: 'default', ...cli.options, ...options },
    hooks: { PreToolUse: [{ hooks: [async () => output] }] },
    onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
  };
  for await (const _ of query({ prompt: 'Hi', options: given }));
  const frame = cli.sent.frames.find(({ type }) => type === 'control_response') as { response: JsonObject };
  const notes = diagnostics.filter(({ message }) => message.includes('the decision `allow`'));
  return { sent: frame.response.response, notes: notes.length };
}

describe('the decision of a hook to allow (O-1)', () => {
  const DENY = { permissions: { deny: ['Bash(rm:*)'] } };
  const ASK = { permissions: { ask: ['Bash'] } };
  const given: readonly [string, Options, files?: Readonly<Record<string, object>>][] = [
    ['a rule in the option', { disallowedTools: ['Read'] }],
    ['a rule that denies in settings', { settings: DENY }],
    ['a rule that asks in settings', { settings: ASK }],
    ['a rule in a flag', { extraArgs: { 'disallowed-tools': 'Read' } }],
    ['a rule in the file of the user', {}, { 'home/.claude/settings.json': DENY }],
    ['a rule that asks in a file of the project', {}, { 'work/.claude/settings.json': ASK }],
    ['a rule in the local file', {}, { 'work/.claude/settings.local.json': DENY }],
  ];
  test.each(given)('is left out beside %s before 2.1.77', async (_, options, files) => {
    const own = { ...placeWith(files), ...options };
    const left = { hookSpecificOutput: { hookEventName: 'PreToolUse' } };
    const allowed = { hookSpecificOutput: ALLOW };
    expect(await sentFor({ ...own, claudeCodeVersion: '2.1.76' }, allowed)).toEqual({ sent: left, notes: 1 });
    expect(await sentFor({ ...own, claudeCodeVersion: '2.1.77' }, allowed)).toEqual({ sent: allowed, notes: 0 });
  });

  test('stays where there is no such rule, also in files that do not count', async () => {
    const files = {
      'home/.claude/settings.json': DENY,
      'work/.claude/settings.json': { permissions: { allow: ['Read'] } },
    };
    const own = { ...placeWith(files), settingSources: ['project' as const], claudeCodeVersion: '2.0.60' };
    const allowed = { hookSpecificOutput: ALLOW };
    expect(await sentFor(own, allowed)).toEqual({ sent: allowed, notes: 0 });
  });

  test('is left out in its old form, and the rest of the answer stays', async () => {
    const own = { ...placeWith(), disallowedTools: ['Read'], claudeCodeVersion: '2.1.76' };
    const output: HookJSONOutput = { decision: 'approve', reason: 'Fine.', systemMessage: 'Hm.' };
    expect((await sentFor(own, output)).sent).toEqual({ reason: 'Fine.', systemMessage: 'Hm.' });
    const more = { hookEventName: 'PreToolUse', additionalContext: 'x', updatedInput: { command: 'ls' } } as const;
    const both: HookJSONOutput = { hookSpecificOutput: { ...more, permissionDecision: 'allow' } };
    expect((await sentFor(own, both)).sent).toEqual({ hookSpecificOutput: more });
  });

  test.each(['deny', 'ask'] as const)('does not touch the decision to %s', async (permissionDecision) => {
    const own = { ...placeWith(), disallowedTools: ['Read'], claudeCodeVersion: '2.1.85' };
    const output: HookJSONOutput = { hookSpecificOutput: { ...ALLOW, permissionDecision } };
    expect((await sentFor({ ...own, claudeCodeVersion: '2.1.86' }, output)).sent).toEqual(output);
  });

  test('is left out in plan mode before 2.1.299, whoever set it', async () => {
    const own = placeWith();
    const allowed = { hookSpecificOutput: ALLOW };
    const left = { hookSpecificOutput: { hookEventName: 'PreToolUse' } };
    const [last, first] = ['2.1.296', '2.1.299'];
    expect(await sentFor({ ...own, claudeCodeVersion: last }, allowed, 'plan')).toEqual({ sent: left, notes: 1 });
    expect((await sentFor({ ...own, claudeCodeVersion: last }, allowed)).sent).toEqual(allowed);
    expect((await sentFor({ ...own, claudeCodeVersion: first }, allowed, 'plan')).sent).toEqual(allowed);
  });

  test.each(['settings', 'an answer'])('is left out from when %s added a rule', async (how) => {
    await using cli = scriptedCli(({ prompt, init, toolUse, hook, permission, expectRequest, result }) => [
      ...[prompt(), init(), hook('PreToolUse', {}, { expect: { hookSpecificOutput: ALLOW } })],
      toolUse('Write', {}),
      how === 'settings' ? expectRequest('apply_flag_settings', {}, { answer: {} }) : permission(),
      hook('PreToolUse', {}, { expect: { hookSpecificOutput: { hookEventName: 'PreToolUse' } } }),
      result('Done.'),
    ]);
    const rule: PermissionUpdate = {
      ...{ type: 'addRules', behavior: 'deny', rules: [{ toolName: 'Read' }], destination: 'session' },
    };
    const own = { permissionMode: 'default', ...cli.options, ...placeWith(), claudeCodeVersion: '2.1.76' } as const;
    const options: Options = {
      ...own,
      hooks: { PreToolUse: [{ hooks: [async () => ({ hookSpecificOutput: ALLOW })] }] },
      canUseTool: async () => ({ behavior: 'allow', updatedInput: {}, updatedPermissions: [rule] }),
    };
    const run = query({ prompt: 'Hi', options });
    for await (const message of run)
      if (message.type === 'assistant' && how === 'settings') await run.applyFlagSettings(DENY);
  });
});

/** How a run ends whose executable ends at once. */
async function failureOf(options: Options): Promise<unknown> {
  try {
    const given = { permissionMode: 'default', pathToClaudeCodeExecutable: '/bin/false', ...options } as const;
    for await (const _ of query({ prompt: 'Hi', options: given }));
  } catch (error) {
    return error;
  }
  return undefined;
}

const planner = { a: { description: 'd', prompt: 'p', permissionMode: 'plan' } } as const;
const server = (permission_policy: 'always_allow' | 'always_ask' | 'always_deny') => ({
  s: { ...createSdkMcpServer({ name: 's' }), tools: [{ name: 't', permission_policy }] },
});

describe('a run is refused', () => {
  const plan = { permissionMode: 'plan' } as const;
  const refused: readonly [Options, last: string, first: string, files?: Readonly<Record<string, object>>][] = [
    [{ ...plan, allowedTools: ['Write'] }, '2.1.133', '2.1.136'],
    [{ ...plan, allowedTools: ['Edit(src/**)'] }, '2.1.133', '2.1.136'],
    [{ ...plan, settings: { permissions: { allow: ['NotebookEdit'] } } }, '2.1.133', '2.1.136'],
    [{ ...plan, extraArgs: { allowedTools: 'Read,Write' } }, '2.1.133', '2.1.136'],
    [{ agents: planner, allowedTools: ['Write'] }, '2.1.133', '2.1.136'],
    [plan, '2.1.133', '2.1.136', { 'work/.claude/settings.json': { permissions: { allow: ['Write'] } } }],
    [{ agents: planner }, '2.1.133', '2.1.136', { 'home/.claude/settings.json': { permissions: { allow: ['Edit'] } } }],
    [{ ...plan, allowedTools: ['Bash'] }, '2.1.197', '2.1.212'],
    [{ ...plan, allowedTools: ['Bash(*)'] }, '2.1.197', '2.1.212'],
    [{ agents: planner, allowedTools: ['Bash'] }, '2.1.211', '2.1.212'],
    [{ disallowedTools: ['Bash(rm:*)'] }, '2.1.63', '2.1.62'],
    [{ disallowedTools: ['mcp__s__t'] }, '2.1.72', '2.1.73'],
    [{ settings: { permissions: { deny: ['Read(.env)'] } } }, '2.1.72', '2.1.73'],
    [{}, '2.1.72', '2.1.73', { 'home/.claude/settings.json': { permissions: { deny: ['Bash(rm:*)'] } } }],
    [{ mcpServers: server('always_deny') }, '2.1.300', '2.1.301'],
    [{ mcpServers: server('always_ask') }, '2.1.300', '2.1.301'],
  ];
  test.each(refused)('with %j on %s, not on %s, with the files %j', async (options, last, first, files) => {
    const own = { ...placeWith(files), ...options };
    expect(await failureOf({ ...own, claudeCodeVersion: last })).toBeInstanceOf(CLIVersionError);
    expect(await failureOf({ ...own, claudeCodeVersion: first })).not.toBeInstanceOf(CLIVersionError);
  });

  const served: readonly Options[] = [
    { ...plan, allowedTools: ['Read', 'Bash(ls:*)', 'mcp__s__t'] },
    { allowedTools: ['Write', 'Bash'] },
    { allowedTools: ['Bash'], disallowedTools: ['Read(*)'] },
    { allowedTools: ['Bash'], disallowedTools: ['Write'] },
    { mcpServers: server('always_allow') },
  ];
  test.each(served)('not with %j', async (options) => {
    const own = { ...placeWith(), ...options, claudeCodeVersion: '2.1.70' };
    expect(await failureOf(own)).not.toBeInstanceOf(CLIVersionError);
  });
});

test.each<[string, Options, (run: ReturnType<typeof query>) => Promise<unknown>, string]>([
  ['plan mode', { allowedTools: ['Write'] }, (run) => run.setPermissionMode('plan'), "permissionMode: 'plan' beside"],
  [
    'a rule that allows to write',
    { permissionMode: 'plan' },
    (run) => run.applyFlagSettings({ permissions: { allow: ['Write'] } }),
    "permissionMode: 'plan' beside",
  ],
  [
    'a rule that denies some calls',
    {},
    (run) => run.applyFlagSettings({ permissions: { deny: ['Bash(rm:*)'] } }),
    'disallowedTools: rules about calls',
  ],
  ['tools with policies', {}, (run) => run.setMcpServers(server('always_deny')), 'mcpServers.tools'],
])('%s is refused in mid-session where the release does not hold to it', async (_, options, change, words) => {
  await using cli = scriptedCli(({ prompt, init, result }) => [prompt(), init(), result('Done.')]);
  const own = { permissionMode: 'default', ...cli.options, ...placeWith(), ...options } as const;
  await using run = query({ prompt: 'Hi', options: { ...own, claudeCodeVersion: '2.1.70' } });
  await expect(change(run)).rejects.toThrow(words);
  for await (const _ of run);
});

describe('rules that an answer adds to a run in plan mode', () => {
  const update = (...tools: string[]): PermissionUpdate => ({
    ...{ type: 'addRules', behavior: 'allow', destination: 'session' },
    rules: tools.map((toolName) => ({ toolName })),
  });

  test.each([
    ['2.1.133', 'plan', [update('Write', 'Read'), update('Edit')], [update('Read')]],
    ['2.1.136', 'plan', [update('Write', 'Read')], [update('Write', 'Read')]],
    ['2.1.133', 'default', [update('Write', 'Read')], [update('Write', 'Read')]],
  ] as const)('on %s, in the mode %s: %j', async (claudeCodeVersion, permissionMode, given, sent) => {
    await using cli = scriptedCli(({ prompt, init, toolUse, permission, result }) => [
      ...[prompt(), init(), toolUse('Bash', { command: 'ls' }), permission(), result('Done.')],
    ]);
    const options: Options = {
      ...{ permissionMode, ...cli.options, ...placeWith(), claudeCodeVersion },
      canUseTool: async () => ({ behavior: 'allow', updatedInput: {}, updatedPermissions: [...given] }),
    };
    for await (const _ of query({ prompt: 'Hi', options }));
    const frame = cli.sent.frames.find(({ type }) => type === 'control_response') as { response: JsonObject };
    expect(frame.response.response).toMatchObject({ behavior: 'allow', updatedPermissions: sent });
  });

  test('keep it from being planned in later, where they would count', async () => {
    await using cli = scriptedCli(({ prompt, init, toolUse, permission, result }) => [
      ...[prompt(), init(), toolUse('Bash', { command: 'ls' }), permission(), result('Done.')],
    ]);
    const own = { permissionMode: 'default', ...cli.options, ...placeWith(), claudeCodeVersion: '2.1.133' } as const;
    const options: Options = {
      ...own,
      canUseTool: async () => ({ behavior: 'allow', updatedInput: {}, updatedPermissions: [update('Write')] }),
    };
    const run = query({ prompt: 'Hi', options });
    let refused: unknown;
    for await (const message of run)
      if (message.type === 'result') refused = await run.setPermissionMode('plan').catch((error: unknown) => error);
    expect(String(refused)).toContain("does not honour `permissionMode: 'plan' beside rules that allow to write`");
  });
});
