import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../../src/constants.js';
import type { Diagnostic } from '../../../src/diagnostics.js';
import { CLIVersionError } from '../../../src/errors.js';
import type { Options } from '../../../src/query/options.js';
import { adaptTo } from '../../../src/query/releases/gate.js';
import { FEATURES, LIMITS, OLDEST_RELEASE } from '../../../src/query/releases/honoured.js';
import { isFromRelease, isRelease } from '../../../src/util/cli-versions.js';
import { plan } from '../launch/launch-case.js';
import { changesAt, wordsOf } from './runs.js';

function adapted(release: string | undefined, options: Options) {
  const diagnostics: Diagnostic[] = [];
  const planned = plan(options);
  const {
    args,
    files: _,
    later: _later,
    ...more
  } = adaptTo(release, planned, (diagnostic) => diagnostics.push(diagnostic));
  return { added: args.slice(planned.args.length), ...more, diagnostics };
}

const PLAIN = { permissionMode: 'default' } as const;
const LOOSE = expect.objectContaining({
  message: expect.stringContaining('does not recognise every form of a command'),
});

describe('a release that is too old', () => {
  for (const release of ['1.0.128', '2.0.0', '2.0.55']) {
    test(`no run is started with ${release}`, () => {
      expect(() => adapted(release, PLAIN)).toThrow(CLIVersionError);
      expect(() => adapted(release, PLAIN)).toThrow(`Claude Code ${release} is too old`);
    });
  }

  for (const release of ['2.0.56', '2.1.330', '3.0.0', 'newest', undefined]) {
    test(`a plain run is as it was with ${release}`, () => {
      expect(adapted(release, PLAIN)).toEqual({ added: [], initialize: {}, diagnostics: [] });
    });
  }
});

test('the parts of a system prompt are joined for releases that ignore a list', () => {
  const options = { ...PLAIN, systemPrompt: ['A', '', SYSTEM_PROMPT_DYNAMIC_BOUNDARY, 'B'] };
  expect(adapted('2.1.109', options).initialize).toEqual({ systemPrompt: 'A\n\nB' });
  expect(adapted('2.1.110', options).initialize).toEqual({});
});

describe('a sandbox that has to be there', () => {
  const refused: readonly Options[] = [
    { sandbox: { enabled: true } },
    { settings: { sandbox: { enabled: true, failIfUnavailable: true } } },
    { settings: '{"sandbox":{"enabled":true,"failIfUnavailable":true}}' },
    { extraArgs: { settings: '{"sandbox":{"enabled":true,"failIfUnavailable":true}}' } },
  ];
  for (const options of refused) {
    test(`is refused before 2.1.83: ${JSON.stringify(options)}`, () => {
      const run = () => adapted('2.1.82', { ...PLAIN, ...options });
      expect(run).toThrow('Claude Code 2.1.82 does not honour `sandbox`, which needs 2.1.83 or newer.');
      expect(adapted('2.1.83', { ...PLAIN, ...options }).diagnostics).toEqual([]);
    });
  }

  test('is not asked for by one that may be missing, or is off', () => {
    const open: readonly Options[] = [
      { sandbox: { enabled: false } },
      { sandbox: { enabled: true, failIfUnavailable: false } },
      { settings: { sandbox: { enabled: true } } },
    ];
    for (const options of open) expect(adapted('2.1.82', { ...PLAIN, ...options }).added).toEqual([]);
  });
});

describe('releases that start in auto mode', () => {
  for (const release of ['2.1.285', '2.1.300', '2.1.301']) {
    test(`${release} gets the default mode`, () => {
      expect(adapted(release, { canUseTool: async () => null }).added).toEqual(['--permission-mode=default']);
      expect(adapted(release, {}).added).toEqual(['--permission-mode=default']);
    });
  }

  test('a mode of the caller stays, and other releases get none', () => {
    const own: readonly Options[] = [
      { permissionMode: 'plan' },
      { extraArgs: { 'permission-mode': 'acceptEdits' } },
      { settings: { permissions: { defaultMode: 'plan' } } },
    ];
    for (const options of own) expect(adapted('2.1.300', options).added).toEqual([]);
    for (const release of ['2.1.284', '2.1.302']) expect(adapted(release, {}).added).toEqual([]);
  });
});

describe('the sources of settings', () => {
  const sources: readonly [NonNullable<Options['settingSources']>, string][] = [
    [[], ''],
    [['project'], 'project'],
    [['user', 'local'], 'user,local'],
  ];
  for (const [settingSources, value] of sources) {
    test(`are two arguments for releases that ignore one: ${JSON.stringify(settingSources)}`, () => {
      const options = { ...PLAIN, settingSources };
      expect(adapted('2.0.71', options).added).toEqual(['--setting-sources', value]);
      expect(adapted('2.0.72', options).added).toEqual([]);
      expect(adapted('2.0.71', PLAIN).added).toEqual([]);
    });
  }
});

describe('plan mode, where it runs commands unasked', () => {
  const plans: readonly Options[] = [
    { permissionMode: 'plan' },
    { settings: { permissions: { defaultMode: 'plan' } } },
    { extraArgs: { 'permission-mode': 'plan' } },
  ];
  for (const options of plans) {
    test(`is refused from 2.1.198 to 2.1.211: ${JSON.stringify(options)}`, () => {
      for (const release of ['2.1.198', '2.1.211']) {
        expect(() => adapted(release, options)).toThrow(CLIVersionError);
        expect(() => adapted(release, options)).toThrow(
          `${release} does not honour \`permissionMode: 'plan'\`, which needs a release other than 2.1.198 to 2.1.211.`,
        );
      }
      for (const release of ['2.1.197', '2.1.212']) expect(adapted(release, options).added).toEqual([]);
    });
  }
});

describe("a hook's decision to ask, where approved calls run unasked", () => {
  const hooks: Options['hooks'] = { PreToolUse: [{ hooks: [async () => ({})] }] };
  const approving: readonly Options[] = [
    { permissionMode: 'bypassPermissions' },
    { permissionMode: 'acceptEdits' },
    { permissionMode: 'default', allowedTools: ['Bash'] },
    { extraArgs: { 'dangerously-skip-permissions': null } },
    { settings: { permissions: { defaultMode: 'acceptEdits' } } },
  ];
  for (const options of approving) {
    test(`denies before 2.1.85: ${JSON.stringify(options)}`, () => {
      expect(adapted('2.1.84', { ...options, hooks }).hookAnswers?.askDenied).toContain(
        'Claude Code 2.1.84 may then run it unasked',
      );
      expect(adapted('2.1.85', { ...options, hooks }).hookAnswers).not.toHaveProperty('askDenied');
      expect(adapted('2.1.84', options)).not.toHaveProperty('hookAnswers');
    });
  }

  test('denies in the default mode too, which approves what only reads', () => {
    expect(adapted('2.1.84', { ...PLAIN, hooks }).hookAnswers?.askDenied).toContain('2.1.84');
  });
});

test('to defer denies before 2.1.89, as the releases that were run say', () => {
  const hooks: Options['hooks'] = { PreToolUse: [{ hooks: [async () => ({})] }] };
  expect(changesAt('hook, defer', 'does not run')).toBe('2.1.89');
  expect(wordsOf('hook, deny, before `defer`').filter(([, word]) => word !== 'does not run')).toEqual([]);
  expect(adapted('2.1.88', { ...PLAIN, hooks }).hookAnswers).toMatchObject({
    deferDenied: expect.stringContaining('Claude Code 2.1.88 may then run it unasked'),
  });
  expect(adapted('2.1.84', { ...PLAIN, hooks }).hookAnswers).toMatchObject({ deferDenied: expect.any(String) });
  expect(adapted('2.1.89', { ...PLAIN, hooks }).hookAnswers ?? {}).not.toHaveProperty('deferDenied');
});

describe('the agent that the main conversation runs as', () => {
  const agents = {
    plain: { description: 'd', prompt: 'p' },
    reader: { description: 'd', prompt: 'p', tools: ['Read'] },
    careful: { description: 'd', prompt: 'p', disallowedTools: ['Bash'] },
  };
  const refused: readonly [Options, string, string, string][] = [
    [{ agent: 'plain', agents }, '2.1.8', '2.1.9', 'agent'],
    [{ agent: 'reader', agents }, '2.1.118', '2.1.119', 'agent: tools, disallowedTools'],
    [{ agent: 'careful', agents }, '2.1.118', '2.1.119', 'agent: tools, disallowedTools'],
    [{ agent: 'of-a-file', agents }, '2.1.118', '2.1.119', 'agent: tools, disallowedTools'],
    [{ agent: 'toString', agents }, '2.1.118', '2.1.119', 'agent: tools, disallowedTools'],
    [{ agent: 'plain', agents, extraArgs: { agent: 'reader' } }, '2.1.118', '2.1.119', 'agent: tools, disallowedTools'],
    [{ extraArgs: { agent: 'of-a-file' } }, '2.1.118', '2.1.119', 'agent: tools, disallowedTools'],
    [{ settings: { agent: 'of-a-file' } }, '2.1.118', '2.1.119', 'agent: tools, disallowedTools'],
    [{ extraArgs: { settings: '{"agent":"a"}' } }, '2.1.118', '2.1.119', 'agent: tools, disallowedTools'],
  ];
  test.each(refused)('%j is refused on %s', (options, last, first, option) => {
    const run = (release: string) => () => adapted(release, { ...PLAIN, ...options });
    expect(run(last)).toThrow(CLIVersionError);
    expect(run(last)).toThrow(`${last} does not honour \`${option}\`, which needs ${first} or newer.`);
    expect(run(first)().diagnostics).toEqual([]);
  });

  test('counts where it is chosen, not where it is defined', () => {
    expect(adapted('2.1.8', { ...PLAIN, agents }).diagnostics).toEqual([]);
    expect(adapted('2.1.9', { ...PLAIN, agents, agent: 'plain' }).added).toEqual([]);
  });

  test('is as the releases that were run say', () => {
    const since = (use: string) => FEATURES.find((each) => each.use === use)?.since;
    for (const word of ['its prompt', 'its model'])
      expect(changesAt(`the main agent, in \`initialize\`, ${word}`, 'honoured')).toBe(since('mainAgent'));
    const calls = ['a tool that is not in `tools`', 'a tool in `disallowedTools`', 'a rule in `disallowedTools`'];
    for (const way of ['in `initialize`', 'in a file', 'in a file, by the setting']) {
      for (const call of calls)
        expect(changesAt(`the main agent, ${way}, ${call}`, 'does not run')).toBe(since('mainAgentTools'));
    }
  });
});

describe('one agent for which a release drops all of them', () => {
  const agent = { description: 'd', prompt: 'p' };
  const cases: readonly [given: object, sent: object, last: string, first: string, words: string][] = [
    [{ model: 'claude-opus-4-6' }, { model: 'inherit' }, '2.1.73', '2.1.74', 'the model of the run'],
    [{ model: 'fable' }, { model: 'inherit' }, '2.1.73', '2.1.74', 'the model of the run'],
    [{ permissionMode: 'auto' }, {}, '2.1.70', '2.1.71', 'the mode of the run'],
    [{ effort: 'xhigh' }, {}, '2.1.110', '2.1.111', 'the effort of the run'],
    [{ effort: 'xhigh' }, {}, '2.1.38', '2.1.37', 'the effort of the run'],
  ];
  test.each(cases)('%j is sent as %j on %s, and reported', (given, sent, last, first, words) => {
    const agents = { a: { ...agent, ...given }, b: { ...agent, model: 'haiku', effort: 'low' } } as NonNullable<
      Options['agents']
    >;
    const { initialize, diagnostics } = adapted(last, { ...PLAIN, agents });
    expect(initialize.agents).toEqual({ a: { ...agent, ...sent }, b: agents.b });
    expect(diagnostics).toMatchObject([{ code: 'option_not_honoured', message: expect.stringContaining(words) }]);
    expect(adapted(first, { ...PLAIN, agents })).toEqual({ added: [], initialize: {}, diagnostics: [] });
  });

  test('several fields of one agent change together, and its rules stay', () => {
    const given = { ...agent, model: 'fable', permissionMode: 'auto', effort: 'xhigh', disallowedTools: ['Agent'] };
    const { initialize } = adapted('2.1.50', { ...PLAIN, agents: { a: given } as NonNullable<Options['agents']> });
    expect(initialize.agents).toEqual({ a: { ...agent, model: 'inherit', disallowedTools: ['Agent', 'Task'] } });
  });

  test('is as the releases that were run say', () => {
    const of = (use: string) => FEATURES.find((each) => each.use === use);
    expect(changesAt('agents with a full name as model', 'there')).toBe(of('agentModel')?.since);
    expect(changesAt('agents with the model `fable`', 'there')).toBe(of('agentModel')?.since);
    expect(changesAt('agents with the permissionMode `auto`', 'there')).toBe(of('agentAuto')?.since);
    const words = wordsOf('agents with the effort `xhigh`');
    const dropped = words.flatMap(([release, word]) => (word === 'there' ? [] : [release]));
    expect([dropped[0], dropped.at(-1)]).toEqual(of('agentEffort')?.except?.[0]);
    expect(words.findIndex(([release]) => release === '2.1.111')).toBe(
      words.findIndex(([release]) => release === '2.1.110') + 1,
    );
    expect(wordsOf('agents of the forms that are old').filter(([, word]) => word !== 'there')).toEqual([]);
  });
});

describe('rules that deny, which older releases do not understand', () => {
  const translated: readonly [rule: string, last: string, first: string, older: string][] = [
    ['Bash(touch *)', '2.0.76', '2.0.77', 'Bash(touch:*)'],
    ['Bash(git push *)', '2.0.76', '2.0.77', 'Bash(git push:*)'],
    ['Bash(*)', '2.0.76', '2.0.77', 'Bash'],
    ['Write(*)', '2.1.19', '2.1.20', 'Write'],
    ['Bash()', '2.1.19', '2.1.20', 'Bash'],
    ['Edit(/**)', '2.1.132', '2.1.133', 'Edit(/**/*)'],
    ['Read(//**)', '2.1.132', '2.1.133', 'Read(//**/*)'],
    ['Read(~/**)', '2.1.132', '2.1.133', 'Read(~/**/*)'],
    ['Task(*)', '2.1.19', '2.1.20', 'Task'],
    ['Agent(*)', '2.1.62', '2.1.63', 'Task'],
    ['Skill(dep *)', '2.1.138', '2.1.139', 'Skill(dep:*)'],
    ['mcp__s__t(*)', '2.1.19', '2.1.20', 'mcp__s__t'],
    ['mcp__s__*', '2.0.69', '2.0.70', 'mcp__s'],
    ['Agent', '2.1.62', '2.1.63', 'Task'],
    ['Agent(Explore)', '2.1.62', '2.1.73', 'Task(Explore)'],
    ['Skill', '2.0.72', '2.0.73', 'SlashCommand'],
    ['Skill(dep)', '2.0.72', '2.0.73', 'SlashCommand(/dep)'],
    ['Skill(plugin:dep)', '2.0.72', '2.0.73', 'SlashCommand(/plugin:dep)'],
    ['Skill(dep:*)', '2.0.72', '2.0.73', 'SlashCommand(/dep:*)'],
  ];
  const places: readonly [name: string, options: (rule: string) => Options][] = [
    ['the option', (rule) => ({ disallowedTools: ['Read', rule] })],
    ['settings', (rule) => ({ settings: { permissions: { deny: [rule] } } })],
    ['settings that are a text', (rule) => ({ settings: JSON.stringify({ permissions: { deny: [rule] } }) })],
    ['a flag', (rule) => ({ extraArgs: { 'disallowed-tools': `Read ${rule}` } })],
  ];
  for (const [rule, last, first, older] of translated) {
    test.each(places)(`${rule} is given in both forms, from %s`, (_, options) => {
      const added = [`--disallowedTools=${older}`];
      const diagnostics = rule.startsWith('Bash(') && !/\(\*?\)/.test(rule) ? [LOOSE] : [];
      expect(adapted(last, { ...PLAIN, ...options(rule) })).toEqual({ added, initialize: {}, diagnostics });
      expect(adapted(first, { ...PLAIN, ...options(rule) }).added).toEqual([]);
    });
  }

  test('all of them are in one flag, and in the lists of agents', () => {
    const ofAgent = ['Agent', 'Bash(a *)', 'Write'];
    const agents = { a: { description: 'd', prompt: 'p', disallowedTools: ofAgent } };
    const options = { ...PLAIN, disallowedTools: [...ofAgent, 'mcp__s__*'], agents };
    const { added, initialize } = adapted('2.0.60', options);
    expect(added).toEqual(['--disallowedTools=Task,Bash(a:*),mcp__s']);
    expect(initialize.agents).toMatchObject({ a: { disallowedTools: [...ofAgent, 'Task', 'Bash(a:*)'], prompt: 'p' } });
  });

  test.each(['mcp__s', 'mcp__s__*', 'mcp__*'])('%s in the list of an agent is refused before 2.1.178', (rule) => {
    const options = { ...PLAIN, agents: { a: { description: 'd', prompt: 'p', disallowedTools: [rule] } } };
    expect(() => adapted('2.1.177', options)).toThrow(CLIVersionError);
    expect(adapted('2.1.178', options).initialize).toEqual({});
    const tool = { ...PLAIN, agents: { a: { description: 'd', prompt: 'p', disallowedTools: ['mcp__s__t'] } } };
    expect(adapted('2.0.60', tool).initialize).toEqual({});
  });

  test.each([
    ['Bash(git * push)', '2.0.76', '2.0.77'],
    ['Bash(mkd*)', '2.0.76', '2.0.77'],
    ['Agent(Explore)', '2.0.76', '2.1.73'],
    ['Task(Explore)', '2.0.76', '2.0.77'],
    ['Bash(* --force *)', '2.0.76', '2.0.77'],
    ['mcp__s__get_*', '2.1.165', '2.1.166'],
    ['mcp__*', '2.1.165', '2.1.166'],
    ['*', '2.1.165', '2.1.166'],
    ['Ba*', '2.1.165', '2.1.166'],
    ['Ba*(x)', '2.1.165', '2.1.166'],
    ['WebFetch(domain:*.x.org)', '2.1.171', '2.1.172'],
    ['Bash(run_in_background:true)', '2.1.177', '2.1.178'],
    ['Agent(model:opus)', '2.1.177', '2.1.178'],
    ['mcp__s__t(path:x)', '2.1.177', '2.1.178'],
  ])('%s has no older form, so the run is refused up to %s', (rule, last, first) => {
    for (const [, options] of places)
      expect(() => adapted(last, { ...PLAIN, ...options(rule) })).toThrow(CLIVersionError);
    expect(adapted(first, { ...PLAIN, disallowedTools: [rule] }).added).toEqual([]);
  });

  test.each([
    'Bash(touch:*)',
    'Bash(ls)',
    'Read(//etc/**)',
    'WebFetch(domain:x.org)',
    'mcp__s',
    'mcp__s__t',
    'Task',
    'Bash(npm:x)',
  ])('%s is understood by all', (rule) => {
    expect(adapted('2.0.56', { ...PLAIN, disallowedTools: [rule] }).added).toEqual([]);
  });
});

test('a matcher of hooks that names the tool Agent also names it as it was', () => {
  const hook = async () => ({});
  const hooks: Options['hooks'] = {
    PreToolUse: [{ matcher: 'Bash|Agent', hooks: [hook] }, { matcher: 'AgentX', hooks: [hook] }, { hooks: [hook] }],
    PostToolUse: [{ matcher: '^Agent$', hooks: [hook] }],
  };
  expect(adapted('2.1.62', { ...PLAIN, hooks }).initialize).toEqual({
    hooks: {
      PreToolUse: [
        { matcher: 'Bash|Agent|Task', hookCallbackIds: ['hook_0'], timeout: 660 },
        { matcher: 'AgentX', hookCallbackIds: ['hook_1'], timeout: 660 },
        { hookCallbackIds: ['hook_2'], timeout: 660 },
      ],
      PostToolUse: [{ matcher: '^Agent$|Task', hookCallbackIds: ['hook_3'] }],
    },
  });
  const { PreToolUse: _, ...others } = hooks;
  expect(adapted('2.1.63', { ...PLAIN, hooks: others }).initialize).toEqual({});
});

test.each([
  ['Bash,Write', 'Bash|Write'],
  [' Bash ', 'Bash'],
  ['Write| Agent', 'Write|Agent|Task'],
])('a matcher %j goes out as %j to releases that take it as it is', (matcher, older) => {
  const hooks: Options['hooks'] = { PreToolUse: [{ matcher, hooks: [async () => ({})] }] };
  expect(adapted('2.1.190', { ...PLAIN, hooks }).initialize).toMatchObject({
    hooks: { PreToolUse: [{ matcher: older }] },
  });
  expect(adapted('2.1.191', { ...PLAIN, hooks }).initialize).toEqual({});
});

test.each([
  'Read,Bash(touch *)',
  'Read Bash(touch *)',
  'Bash(touch *), Read',
  ' Bash(touch *)',
  'Bash( touch *)',
  'Bash(touch  *)\n',
])('a rule in %j is found', (text) => {
  for (const options of [{ disallowedTools: [text] }, { settings: { permissions: { deny: [text] } } }])
    expect(adapted('2.0.76', { ...PLAIN, ...options }).added).toEqual(['--disallowedTools=Bash(touch:*)']);
});

test('a bracket inside of a rule is part of it', () => {
  const { added } = adapted('2.0.76', { ...PLAIN, disallowedTools: ['Bash(echo (a, b) *),Read'] });
  expect(added).toEqual(['--disallowedTools=Bash(echo (a, b):*)']);
});

test.each<[Options, string, string]>([
  [{ verbatimPrompts: true }, '2.1.247', '2.1.248'],
  [{ settings: { permissions: { ask: ['Bash(git push:*)'] } } }, '2.1.72', '2.1.73'],
  [{ settings: { permissions: { ask: ['Agent'] } } }, '2.0.60', '2.1.73'],
  [{ settings: { permissions: { ask: ['Ba*'] } } }, '2.1.165', '2.1.166'],
  [{ settings: { permissions: { ask: ['WebFetch(domain:*.x.org)'] } } }, '2.1.171', '2.1.172'],
  [{ toolAliases: { Bash: 'mcp__s__bash' } }, '2.1.141', '2.1.142'],
])('%j is refused by releases that ignore it', (options, last, first) => {
  expect(() => adapted(last, { ...PLAIN, ...options })).toThrow(CLIVersionError);
  expect(adapted(first, { ...PLAIN, ...options }).diagnostics).toEqual([]);
});

describe('flags that older releases do not know', () => {
  const leftOut: readonly [Options, string, string][] = [
    [{ effort: 'low' }, '2.1.37', 'effort'],
    [{ betas: ['context-1m-2025-08-07'] }, '2.0.57', 'betas'],
    [{ debugFile: '/tmp/x' }, '2.1.19', 'debugFile'],
    [{ includeHookEvents: true }, '2.0.56', 'includeHookEvents'],
    [{ taskBudget: { total: 5 } }, '2.0.56', 'taskBudget'],
    [{ thinking: { type: 'adaptive' } }, '2.1.46', 'thinking'],
  ];
  for (const [options, release, option] of leftOut) {
    test(`are left out with a diagnostic: ${option}`, () => {
      const planned = plan({ ...PLAIN, ...options });
      const diagnostics: Diagnostic[] = [];
      const { args } = adaptTo(release, planned, (diagnostic) => diagnostics.push(diagnostic));
      expect(planned.args.filter((token) => !args.includes(token))).toHaveLength(1);
      expect(diagnostics).toMatchObject([{ code: 'option_not_honoured', details: { option, release } }]);
      expect(adaptTo('2.1.330', planned, () => {}).args).toEqual(planned.args);
    });
  }

  const refused: readonly [Options, string, string][] = [
    [{ agent: 'reviewer' }, '2.0.58', 'agent'],
    [{ persistSession: false }, '2.0.63', 'persistSession: false'],
    [{ managedSettings: { env: {} } }, '2.0.56', 'managedSettings'],
    [{ permissionPrompts: 'none' }, '2.1.84', 'permissionPrompts'],
    [{ plugins: [{ type: 'local', path: '/p', skipMcpDiscovery: true }] }, '2.1.84', 'plugins[].skipMcpDiscovery'],
    [{ mcpServers: { x: { command: 'x' } }, mcpServersDelivery: 'initialize' }, '2.1.84', 'mcpServersDelivery'],
  ];
  for (const [options, release, option] of refused) {
    test(`are refused where the run would be another one: ${option}`, () => {
      const run = (version: string) => adapted(version, { ...PLAIN, ...options });
      expect(() => run(release)).toThrow(`Claude Code ${release} does not honour \`${option}\``);
      expect(run('2.1.330').diagnostics).toEqual([]);
    });
  }

  test('no thinking is no tokens for it', () => {
    const planned = plan({ ...PLAIN, thinking: { type: 'disabled' } });
    const { args } = adaptTo('2.1.46', planned, () => expect.unreachable());
    expect(args).not.toContain('--thinking=disabled');
    expect(args.at(-1)).toBe('--max-thinking-tokens=0');
  });

  test('leave the private files in their places, and the flags that the caller wrote', () => {
    const options: Options = {
      ...{ ...PLAIN, effort: 'low', extraArgs: { effort: 'high' } },
      mcpServers: { secret: { command: 'x', env: { TOKEN: 'secret' } } },
    };
    const planned = plan(options);
    const { args, files } = adaptTo('2.0.60', planned, () => {});
    expect(args).toEqual(planned.args.filter((token) => token !== '--effort=low'));
    expect(args.slice(-2)).toEqual(['--effort', 'high']);
    expect(files).toHaveLength(1);
    for (const [index, { argIndex }] of files.entries()) {
      expect(args[argIndex]).toBe(planned.args[planned.files[index]?.argIndex ?? -1]);
    }
  });
});

test('the table names releases that can be compared, each range from the first to the last', () => {
  for (const { since, except = [] } of FEATURES) {
    for (const each of [since ?? '2.0.56', ...except.flat()]) expect(isRelease(each)).toBe(true);
    for (const [first, last] of except) expect(isFromRelease(last, first)).toBe(true);
  }
});

test('what the table says of flags is what the releases that were run said', () => {
  const file = new URL('../../../packages/conformance/wire/releases.json', import.meta.url);
  const { runs } = JSON.parse(readFileSync(file, 'utf8')) as {
    runs: Record<string, { words: { flags?: Record<string, string> } }>;
  };
  const judged = FEATURES.filter(({ use }) => use.startsWith('--') && use !== '--setting-sources=');
  for (const { use, since = '' } of judged) {
    const flag = `flag ${use.split('=')[0]}`;
    const said = Object.entries(runs).flatMap(([release, { words }]) =>
      words.flags?.[flag] === undefined || !isFromRelease(release, OLDEST_RELEASE)
        ? []
        : [[release, words.flags[flag]]],
    );
    expect(said.length, flag).toBeGreaterThan(30);
    for (const [release = '', word] of said) {
      expect([flag, release, word]).toEqual([flag, release, isFromRelease(release, since) ? 'known' : 'unknown flag']);
    }
  }
});

test.each(Object.entries(LIMITS))(
  'releases keep the limit %s as the table says: %j',
  (path, { since, except = [] }) => {
    const words = wordsOf(path);
    const at = (release: string) => words.findIndex(([each]) => each === release);
    expect(words.length).toBeGreaterThan(8);
    for (const [release, word] of words) {
      const isOpen = except.some(([first, last]) => isFromRelease(release, first) && isFromRelease(last, release));
      if (isOpen) expect([release, word]).toEqual([release, 'open']);
      else if (isFromRelease(release, since ?? OLDEST_RELEASE)) expect([release, word]).toEqual([release, 'closed']);
    }
    // The one before it was run, and let it through.
    if (since !== undefined) expect(words[at(since) - 1]?.[1]).toBe('open');
    for (const [first, last] of except) {
      expect(words[at(first) - 1]?.[1]).toBe('closed');
      expect(words[at(last) + 1]?.[1]).toBe('closed');
    }
  },
);

test('a guard that is late, turns of agents and context of hooks are as the releases that were run said', () => {
  const last = (probe: string, word: string) => wordsOf(probe).findLast(([, each]) => each === word)?.[0];
  const first = (probe: string, word: string) => wordsOf(probe).find(([, each]) => each === word)?.[0];
  const since = (option: string, otherwise: string) =>
    FEATURES.find((each) => each.option === option && each.otherwise === otherwise)?.since;
  const late = 'hook, no answer within its time-out';
  expect([last(late, 'runs'), first(late, 'does not run')]).toEqual(['2.1.159', since('hooks', 'lateDenied')]);
  const turns = 'agents, maxTurns';
  expect([last(turns, 'open'), first(turns, 'closed')]).toEqual(['2.1.7', since('agents.maxTurns', 'refuse')]);
  const context = 'hook, PreToolUse, additionalContext';
  expect([last(context, 'lost'), first(context, 'reaches the model')]).toEqual([
    '2.1.8',
    since('additionalContext', 'contextLost'),
  ]);
});

test('a list of names with a hyphen goes out with bars for longer', () => {
  const matchersOn = (release: string, matcher: string) => {
    const hooks: Options['hooks'] = { PostToolUse: [{ matcher, hooks: [async () => ({})] }] };
    return adapted(release, { ...PLAIN, hooks }).initialize;
  };
  const rewritten = { hooks: { PostToolUse: [{ matcher: 'mcp__my-srv__x|Bash' }] } };
  expect(matchersOn('2.1.194', 'mcp__my-srv__x, Bash')).toMatchObject(rewritten);
  expect(matchersOn('2.1.195', 'mcp__my-srv__x, Bash')).toEqual({});
  expect(matchersOn('2.1.191', 'Read, Bash')).toEqual({});
  expect(matchersOn('2.0.56', 'mcp__my-srv__x|Bash')).toEqual({});
});

describe('limits of settings that a release does not keep', () => {
  const cases: readonly [release: string, options: Options, option: string][] = [
    ['2.1.82', { settings: { deniedMcpServers: [{ serverName: 'x' }] } }, 'deniedMcpServers'],
    [
      '2.1.77',
      { sandbox: { failIfUnavailable: false, filesystem: { denyRead: ['/a'] } } },
      'sandbox.filesystem.denyRead',
    ],
    ['2.1.112', { sandbox: { network: { deniedDomains: ['a.b'] } } }, 'sandbox.network.deniedDomains'],
    [
      '2.1.186',
      { settings: JSON.stringify({ sandbox: { credentials: { files: [{ path: '~/.x', mode: 'deny' }] } } }) },
      'sandbox.credentials.files',
    ],
    ['2.1.218', { sandbox: { network: { strictAllowlist: true } } }, 'sandbox.network.strictAllowlist'],
    [
      '2.1.313',
      { extraArgs: { settings: '{"permissions":{"blockWritesOutsideWorkingDirectories":true}}' } },
      'permissions.blockWritesOutsideWorkingDirectories',
    ],
    [
      '2.1.285',
      { managedSettings: { permissions: { disableBypassPermissionsMode: 'disable' } } },
      'permissions.disableBypassPermissionsMode',
    ],
    ['2.1.82', { settings: { allowedMcpServers: [] } }, 'allowedMcpServers'],
    [
      '2.1.300',
      { extraArgs: { 'managed-settings': '{"permissions":{"blockWritesOutsideWorkingDirectories":true}}' } },
      'permissions.blockWritesOutsideWorkingDirectories',
    ],
    ['2.1.140', { managedSettings: { permissions: { deny: ['Ba*'] } } }, 'disallowedTools: Ba*'],
    [
      '2.1.140',
      {
        managedSettings: { permissions: { deny: [] } },
        extraArgs: { 'managed-settings': '{"permissions":{"deny":["Ba*"]}}' },
      },
      'disallowedTools: Ba*',
    ],
    ['2.1.140', { managedSettings: { permissions: { ask: ['Ba*'] } } }, 'settings.permissions.ask: Ba*'],
    ['2.1.7', { agents: { a: { description: 'x', prompt: 'y', maxTurns: 2 } } }, 'agents.maxTurns'],
  ];
  test.each(cases)('%s refuses %j', (release, options, option) => {
    expect(() => adapted(release, { ...PLAIN, ...options })).toThrow(
      expect.objectContaining({ name: 'CLIVersionError', message: expect.stringContaining(option) }),
    );
    expect(() => adapted('2.1.314', { ...PLAIN, ...options })).not.toThrow();
  });

  test.each([
    { sandbox: { enabled: false, network: { strictAllowlist: true } } },
    { sandbox: { enabled: true, network: { strictAllowlist: false, deniedDomains: [] } } },
    { settings: { permissions: { blockReadsOutsideWorkingDirectories: false } } },
  ] as Options[])('nothing is refused where none is set: %j', (options) => {
    expect(() => adapted('2.1.84', { ...PLAIN, ...options })).not.toThrow();
  });
});

test('hooks of events that a release does not have are reported at once', () => {
  const list = [{ hooks: [async () => ({})] }];
  const hooks: Options['hooks'] = { PreToolUse: list, PostToolBatch: list, PostCompact: list, Stop: list, Setup: [] };
  const needs = { PostToolBatch: '2.1.118 or newer', PostCompact: '2.1.76 or newer' };
  expect(adapted('2.1.75', { ...PLAIN, hooks }).diagnostics).toEqual([
    {
      code: 'option_not_honoured',
      message: 'Claude Code 2.1.75 does not call hooks of PostCompact, PostToolBatch. The run goes on without them.',
      details: { option: 'hooks', release: '2.1.75', needs },
    },
  ]);
  expect(adapted('2.1.76', { ...PLAIN, hooks }).diagnostics).toMatchObject([
    { message: expect.stringContaining('hooks of PostToolBatch.') },
  ]);
  expect(adapted('2.1.118', { ...PLAIN, hooks }).diagnostics).toEqual([]);
});

test('callbacks of hooks that inline settings switch off are refused before 2.1.48', () => {
  const hooks: Options['hooks'] = { PreToolUse: [{ hooks: [async () => ({})] }] };
  const options = { ...PLAIN, hooks, settings: { disableAllHooks: true } };
  expect(() => adapted('2.1.47', options)).toThrow('2.1.47 does not honour `hooks beside disableAllHooks`');
  expect(adapted('2.1.48', options).diagnostics).toEqual([]);
  expect(adapted('2.1.47', { ...PLAIN, settings: { disableAllHooks: true } }).diagnostics).toEqual([]);
});

test('a rule that asks about a whole tool is understood by all', () => {
  const options = { ...PLAIN, settings: { permissions: { ask: ['Bash', 'Write'] } } };
  expect(adapted('2.0.60', options)).toEqual({ added: [], initialize: {}, diagnostics: [] });
});

describe('what widens in silence', () => {
  const featureOf = (use: string) => FEATURES.find((each) => each.use === use)?.since;
  test.each([
    ['laterBypass', 'set_permission_mode, bypass mode that was not allowed', 'asked'],
    ['updatedBypass', 'updatedPermissions, bypass mode that was not allowed', 'asked'],
    ['agentBypass', 'agents, bypass mode that was not allowed', 'asked'],
    ['dryRun', 'rewind_files, dry_run', 'nothing is changed'],
    ['hook PreCompact', 'hook, PreCompact, block', 'does not compact'],
    ['denied skillTool', 'a command of the project, disallowedTools `Skill`', 'does not run'],
    ['skillMatcher', 'a command of the project, disallowedTools `Skill(dep)`', 'does not run'],
  ])('%s is honoured from the release on that was run so', (use, probe, good) => {
    expect(changesAt(probe, good)).toBe(featureOf(use));
  });

  const agent = { description: 'd', prompt: 'p' };
  const agents = {
    a: { ...agent, permissionMode: 'bypassPermissions' },
    b: { ...agent, permissionMode: 'plan' },
  } as const;

  test('an agent does not bypass permissions that the run may not bypass', () => {
    const { initialize, diagnostics } = adapted('2.1.84', { ...PLAIN, agents });
    expect(initialize.agents).toEqual({ a: agent, b: agents.b });
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining('the agent stays in the mode of the run'),
    ]);
    expect(adapted('2.1.84', { ...PLAIN, agents, allowDangerouslySkipPermissions: true }).initialize).toEqual({});
    expect(adapted('2.1.330', { ...PLAIN, agents }).initialize).toEqual({});
  });

  test('its rules stay, in both forms', () => {
    const both = { a: { ...agents.a, disallowedTools: ['Agent'] } };
    expect(adapted('2.1.50', { ...PLAIN, agents: both }).initialize.agents).toEqual({
      a: { ...agent, disallowedTools: ['Agent', 'Task'] },
    });
  });

  test('hooks of PreCompact are called, and the program is told that they cannot block', () => {
    const hooks: Options['hooks'] = { PreCompact: [{ hooks: [async () => ({})] }] };
    const { diagnostics } = adapted('2.1.84', { ...PLAIN, hooks });
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining('compacts whatever they answer'),
    ]);
    expect(adapted('2.1.330', { ...PLAIN, hooks }).diagnostics).toEqual([]);
  });

  test('a matcher that names Skill also names what it was', () => {
    const hooks: Options['hooks'] = { PostToolUse: [{ matcher: 'Skill|Agent', hooks: [async () => ({})] }] };
    expect(adapted('2.0.60', { ...PLAIN, hooks }).initialize).toMatchObject({
      hooks: { PostToolUse: [{ matcher: 'Skill|Agent|Task|SlashCommand' }] },
    });
  });
});
