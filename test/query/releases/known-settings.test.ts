import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/diagnostics.js';
import { CLIVersionError } from '../../../src/errors.js';
import type { Options } from '../../../src/query/options.js';
import { adaptTo } from '../../../src/query/releases/gate.js';
import { HOOK_FIELDS, HOOK_TYPES, ON_FAILURE, ONLY_ITSELF } from '../../../src/query/releases/known-hooks.js';
import { MODES, RULES_ALONE } from '../../../src/query/releases/known-rules.js';
import { knownSettings } from '../../../src/query/releases/known-settings.js';
import { VALUES } from '../../../src/query/releases/setting-values.js';
import type { JsonObject } from '../../../src/util/json.js';
import { plan } from '../launch/launch-case.js';
import { changesAt, wordsOf } from './runs.js';

const beside = (what: string): string => `settings that deny, beside ${what}`;

describe('the releases that drop settings as a whole', () => {
  test.each([
    ['a hook of an unknown event', ONLY_ITSELF.event],
    ['a hook of an unknown type', ONLY_ITSELF.type],
    ['the rule `Bash()`', RULES_ALONE],
    ['the rule `mcp__a__b(x:1)`', RULES_ALONE],
    ['a broken rule', RULES_ALONE],
    ['the rule `Bash(git push *)`', '2.0.77'],
    ['the rule `Bash(git * x)`', '2.0.77'],
    ['a hook of the type `http`', HOOK_TYPES.http],
    ['a hook of the type `mcp_tool`', HOOK_TYPES.mcp_tool],
    ['defaultMode `auto`', MODES.auto],
    ['defaultMode `manual`', MODES.manual],
  ])('for %s are those before %s, as they were run', (what, since) => {
    expect(changesAt(beside(what), 'does not run')).toBe(since);
  });

  const sinceOf = (key: string) => VALUES.find((each) => each.key === key)?.since;
  test.each([
    ['forceLoginMethod `gateway`', sinceOf('forceLoginMethod')],
    ['a list as forceLoginOrgUUID', sinceOf('forceLoginOrgUUID')],
    ['a marketplace of the source `settings`', sinceOf('extraKnownMarketplaces')],
    ['a strict marketplace of the source `hostPattern`', sinceOf('strictKnownMarketplaces')],
    ['a strict marketplace of the source `pathPattern`', '2.1.69'],
    ['a strict marketplace of the source `settings`', '2.1.80'],
  ])('for %s are those before %s, as they were run', (what, since) => {
    expect(changesAt(beside(what), 'does not run')).toBe(since);
  });

  test.each([
    ['autoUpdatesChannel `rc`', 'autoUpdatesChannel'],
    ['attribution `false`', 'attribution'],
    ['a blocked marketplace of the source `hostPattern`', 'blockedMarketplaces'],
    ['a blocked marketplace of the source `pathPattern`', '', '2.1.69'],
    ['a blocked marketplace of the source `settings`', '', '2.1.80'],
  ])('for %s are some, and none later', (what, key, since = sinceOf(key)) => {
    const words = wordsOf(beside(what));
    expect(words.find(([release]) => release === since)?.[1]).toBe('does not run');
    const last = words.findLastIndex(([, word]) => word === 'runs');
    expect(words[last + 1]?.[0]).toBe(since);
  });

  test.each([
    ['a hook in settings with `args`', 'does not run', HOOK_FIELDS.args],
    ['a hook in settings that allows, with `if`', 'asked', HOOK_FIELDS.if],
    ['a hook in settings with `onFailure`', 'does not run', ON_FAILURE],
    ['a hook in settings with the matcher `Write, Bash`', 'does not run', '2.1.191'],
  ])('%s is read from %s on, as it was run', (what, good, since) => {
    expect(changesAt(what, good)).toBe(since);
  });

  test.each(['the type `prompt`', 'the type `agent`'].map((each) => `a hook of ${each}`))('for %s are none', (what) => {
    const words = wordsOf(beside(what));
    expect(words.length).toBeGreaterThan(8);
    expect(words.filter(([, word]) => word !== 'does not run')).toEqual([]);
  });

  test.each([
    'an unknown key',
    'an unknown key of the sandbox',
    'effortLevel `xhigh`',
    'defaultMode `dontAsk`',
    'attribution that is an object',
  ])('for %s are none', (what) => {
    const words = wordsOf(beside(what));
    expect(words.length).toBeGreaterThan(8);
    expect(words.filter(([, word]) => word !== 'does not run')).toEqual([]);
  });
});

const command = { type: 'command', command: 'true' };
const hooks = (event: string, ...types: JsonObject[]): JsonObject => ({ hooks: { [event]: [{ hooks: types }] } });
const rules = (kind: string, ...list: string[]): JsonObject => ({ permissions: { [kind]: list } });

describe('settings for a release that drops them as a whole', () => {
  const changed: readonly [release: string, given: JsonObject, sent: JsonObject, leftOut: string[]][] = [
    ['2.1.84', { ...hooks('PostToolBatch', command), model: 'x' }, { hooks: {}, model: 'x' }, ['hooks.PostToolBatch']],
    ['2.0.56', hooks('NoSuchEvent', command), { hooks: {} }, ['hooks.NoSuchEvent']],
    [
      '2.0.56',
      hooks('PostToolUse', command, { type: 'http', url: 'x' }),
      hooks('PostToolUse', command),
      ['hooks.PostToolUse of the type http'],
    ],
    ['2.1.84', hooks('Stop', { type: 'nosuch' }), hooks('Stop'), ['hooks.Stop of the type nosuch']],
    [
      '2.1.84',
      { autoUpdatesChannel: 'rc', forceLoginMethod: 'console' },
      { forceLoginMethod: 'console' },
      ['autoUpdatesChannel'],
    ],
    ['2.1.280', { attribution: false, model: 'x' }, { model: 'x' }, ['attribution']],
    ['2.1.200', { $schema: 'x', theme: 'x', teammateMode: 'iterm2' }, {}, ['$schema', 'theme', 'teammateMode']],
    ['2.1.200', { spinnerTipsOverride: { tips: ['x', {}] } }, {}, ['spinnerTipsOverride']],
    [
      '2.1.200',
      { extraKnownMarketplaces: { m: { source: { source: 'settings', name: 'other', plugins: [] } } } },
      {},
      ['extraKnownMarketplaces'],
    ],
    ['2.0.60', { extraKnownMarketplaces: { m: { source: { source: 'settings' } } } }, {}, ['extraKnownMarketplaces']],
    ['2.1.84', hooks('Stop', { ...command, args: ['x'] }), hooks('Stop'), ['hooks.Stop with `args`']],
    [
      '2.1.50',
      { hooks: { PostToolUse: [{ matcher: 'Write, Agent', hooks: [command] }] } },
      { hooks: { PostToolUse: [{ matcher: 'Write|Agent|Task', hooks: [command] }] } },
      [],
    ],
    ['2.0.76', rules('deny', 'Bash(git push *)', 'Write'), rules('deny', 'Bash(git push:*)', 'Write'), []],
    ['2.0.76', rules('allow', 'Bash(npm run *)', 'Bash(*)'), rules('allow', 'Bash(npm run:*)', 'Bash'), []],
    ['2.1.30', rules('deny', 'Bash()', 'mcp__a__b(*)'), rules('deny', 'Bash', 'mcp__a__b'), []],
    [
      '2.1.30',
      rules(
        'allow',
        'Read',
        'Bash(a:*b)',
        'WebFetch(https://a.org)',
        'WebSearch(x*)',
        'Read(a:*)',
        'bash',
        'Bash(',
        '',
      ),
      rules('allow', 'Read'),
      ['Bash(a:*b)', 'WebFetch(https://a.org)', 'WebSearch(x*)', 'Read(a:*)', 'bash', 'Bash(', ''].map(
        (rule) => `permissions.allow: ${rule}`,
      ),
    ],
    ['2.0.76', rules('allow', 'Bash(npm * x)'), rules('allow'), ['permissions.allow: Bash(npm * x)']],
  ];
  test.each(changed)('%s: %j', (release, given, sent, leftOut) => {
    const settings = { ...given, permissions: { deny: ['Write'], ...(given.permissions as JsonObject) } };
    const expected = { ...sent, permissions: { deny: ['Write'], ...(sent.permissions as JsonObject) } };
    expect(knownSettings(settings, release)).toEqual({ settings: expected, leftOut });
    expect(knownSettings(expected, release).settings).toBe(expected);
  });

  test.each([
    ['2.0.56', hooks('PreToolUse', { type: 'http', url: 'x' }), 'settings.hooks.PreToolUse of the type http'],
    ['2.1.84', hooks('PreToolUse', { ...command, args: ['x'] }), 'settings.hooks.PreToolUse with `args`'],
    ['2.1.84', hooks('PreToolUse', { ...command, if: 'Bash(git *)' }), 'settings.hooks.PreToolUse with `if`'],
    ['2.1.84', hooks('PreToolUse', { ...command, onFailure: 'block' }), 'settings.hooks.PreToolUse with `onFailure`'],
    ['2.1.140', { forceLoginMethod: 'gateway' }, 'settings.forceLoginMethod'],
    ['2.1.84', { forceLoginOrgUUID: ['a'] }, 'settings.forceLoginOrgUUID'],
    [
      '2.0.60',
      { strictKnownMarketplaces: [{ source: 'hostPattern', hostPattern: 'x' }] },
      'settings.strictKnownMarketplaces',
    ],
    [
      '2.1.68',
      { strictKnownMarketplaces: [{ source: 'pathPattern', pathPattern: 'x' }] },
      'settings.strictKnownMarketplaces',
    ],
    [
      '2.1.79',
      { blockedMarketplaces: [{ source: 'settings', name: 'm', plugins: [] }] },
      'settings.blockedMarketplaces',
    ],
    ['2.1.200', { policyHelper: { path: 'x', timeoutMs: 1 } }, 'settings.policyHelper'],
    ['2.1.200', { sandbox: { credentials: { files: [{ path: 'x', mode: 'mask' }] } } }, 'settings.sandbox'],
    ['2.1.47', { blockedMarketplaces: [{ source: 'git', url: 'https://a.org/b' }] }, 'settings.blockedMarketplaces'],
    ['2.1.200', { deniedMcpServers: [{ serverName: 'a' }, {}] }, 'settings.deniedMcpServers'],
    ['2.1.200', { blockedMarketplaces: [{ source: 'skills-dir' }] }, 'settings.blockedMarketplaces'],
    [
      '2.1.200',
      { strictKnownMarketplaces: [{ source: 'settings', name: 'm', plugins: [{ source: { source: 'command' } }] }] },
      'settings.strictKnownMarketplaces',
    ],
    ['2.1.84', hooks('PermissionRequest', { type: 'nosuch' }), 'settings.hooks.PermissionRequest of the type nosuch'],
    ['2.0.56', { permissions: { defaultMode: 'auto' } }, "settings.permissions.defaultMode: 'auto'"],
    ['2.1.30', rules('deny', 'WebFetch(https://a.org)'), 'settings.permissions.deny: WebFetch(https://a.org)'],
    ['2.1.30', rules('deny', 'Bash('), 'settings.permissions.deny: Bash('],
  ])('%s refuses %j, which protects', (release, settings, option) => {
    expect(knownSettings(settings, release).refused?.option).toBe(option);
  });

  test.each([
    {},
    { model: 'x', env: { A: 1 }, hooks: 7, permissions: [] },
    {
      ...hooks('PreToolUse', command, { type: 'prompt', prompt: 'x' }),
      permissions: { deny: 'x', allow: [7, 'Read(**)'] },
    },
    { hooks: { Stop: 7, SessionStart: [7, { hooks: 7 }, { hooks: [7] }] }, permissions: { defaultMode: 'dontAsk' } },
    rules(
      'allow',
      'Task(x)',
      'Foo(bar)',
      'Foo',
      'Skill(a:*)',
      'Bash(a (b))',
      'mcp__a',
      'Edit(~/x/**)',
      'Bash(a b:*)',
      '*',
    ),
  ])('%j is taken by the oldest, and stays the same object', (settings) => {
    expect(knownSettings(settings, '2.0.56')).toEqual({ settings, leftOut: [] });
    expect(knownSettings(settings, '2.0.56').settings).toBe(settings);
  });

  test('newer releases get them as they are', () => {
    const settings = { ...hooks('NoSuchEvent', { type: 'nosuch' }), ...rules('deny', 'Bash(', 'bash') };
    expect(knownSettings(settings, '2.1.330').settings).toBe(settings);
  });
});

describe('a run', () => {
  const SETTINGS = { ...hooks('NoSuchEvent', command), ...rules('deny', 'Write') };
  const sent = { hooks: {}, ...rules('deny', 'Write') };

  function settingsOf(release: string, options: Options): { sent: unknown; codes: readonly string[] } {
    const diagnostics: Diagnostic[] = [];
    const adapted = adaptTo(release, plan({ permissionMode: 'default', ...options }), (each) => diagnostics.push(each));
    const at = adapted.args.lastIndexOf('--settings') + 1;
    const text = adapted.files.find(({ argIndex }) => argIndex === at)?.content ?? adapted.args[at] ?? '';
    return { sent: JSON.parse(text), codes: diagnostics.map(({ message }) => message) };
  }

  test.each<[string, Options]>([
    ['an object', { settings: SETTINGS as Options['settings'] & object }],
    ['a text', { settings: JSON.stringify(SETTINGS) }],
    ['a flag', { extraArgs: { settings: JSON.stringify(SETTINGS), verbose: null } }],
  ])('gives what the release takes of %s, and says what it left out', (_, options) => {
    const { sent: text, codes } = settingsOf('2.1.84', options);
    expect(text).toEqual(sent);
    expect(codes).toEqual([expect.stringContaining('so this was left out: hooks.NoSuchEvent.')]);
    expect(settingsOf('2.1.330', options)).toEqual({ sent: SETTINGS, codes: [] });
  });

  test('so it does for managed settings, from the option and a flag', () => {
    const managed = { hooks: { Stop: [{ hooks: [{ type: 'nosuch' }] }] }, ...rules('deny', 'Write') };
    for (const options of [
      { managedSettings: managed },
      { extraArgs: { 'managed-settings': JSON.stringify(managed) } },
    ] as Options[]) {
      const diagnostics: Diagnostic[] = [];
      const { args } = adaptTo('2.1.140', plan({ permissionMode: 'default', ...options }), (each) =>
        diagnostics.push(each),
      );
      expect(JSON.parse(args[args.indexOf('--managed-settings') + 1] ?? '')).toEqual({
        hooks: { Stop: [{ hooks: [] }] },
        ...rules('deny', 'Write'),
      });
      expect(diagnostics.map(({ message }) => message)).toEqual([
        expect.stringContaining('hooks.Stop of the type nosuch'),
      ]);
    }
    const guard = { managedSettings: hooks('PreToolUse', { ...command, onFailure: 'block' }) } as Options;
    expect(() => adaptTo('2.1.140', plan(guard), () => {})).toThrow('settings.hooks.PreToolUse with `onFailure`');
  });

  test('so it does in a private file, and beside a sandbox', () => {
    const env = { SECRET: 'x' };
    const options = { settings: { ...SETTINGS, env } as Options['settings'] & object };
    expect(settingsOf('2.1.84', options).sent).toEqual({ ...sent, env });
    const sandbox = { enabled: true };
    expect(settingsOf('2.1.84', { ...options, sandbox }).sent).toMatchObject({ ...sent, env, sandbox });
  });

  test('what protects and has no other form ends it before the start', () => {
    const settings = { permissions: { deny: ['WebFetch(https://a.org)'] } };
    expect(() => settingsOf('2.0.56', { settings })).toThrow(CLIVersionError);
    expect(() => settingsOf('2.0.56', { settings })).toThrow(
      'Claude Code 2.0.56 does not honour `settings.permissions.deny: WebFetch(https://a.org)`',
    );
  });
});
