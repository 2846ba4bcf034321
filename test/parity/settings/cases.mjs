import { SETTINGS_KEYS } from './keys.mjs';

/**
 * What both packages are asked. A case may write `user`, `project`, `local` (an object, or text as it stands) and, when
 * managed files may be written, `managed` and `dropIns`; `options` go to `resolveSettings()` beside `cwd`.
 */

const hook = (command) => ({ hooks: [{ type: 'command', command }] });

export const FILE_CASES = [
  { name: 'nothing anywhere' },
  {
    name: 'three files',
    user: {
      model: 'u',
      permissions: { allow: ['A', 'B'], defaultMode: 'plan' },
      env: { X: '1', Y: '2' },
      cleanupPeriodDays: 5,
      unknownKey: { a: 1 },
    },
    project: {
      model: 'p',
      permissions: { allow: ['B', 'C'], deny: ['D'], defaultMode: 'bypassPermissions' },
      env: { Y: '3' },
    },
    local: { permissions: { allow: ['Z'] }, hooks: {} },
  },
  { name: 'user only', user: { model: 'u' }, project: { model: 'p' }, options: { settingSources: ['user'] } },
  { name: 'no file', user: { model: 'u' }, project: { model: 'p' }, options: { settingSources: [] } },
  {
    name: 'the order of settingSources does not matter',
    user: { model: 'u' },
    local: { model: 'l' },
    options: { settingSources: ['local', 'user'] },
  },
  { name: 'an unknown source', project: { model: 'p' }, options: { settingSources: ['x', 'project'] } },
  { name: 'not JSON', user: '{bad', project: { model: 'p' } },
  { name: 'an array', user: '[1]' },
  { name: 'null', user: 'null' },
  { name: 'empty', user: '' },
  { name: 'blank', user: ' \n' },
  { name: 'a comment', user: '{/*c*/"model":"x"}' },
  { name: 'a byte order mark', user: '\uFEFF{"model":"x"}' },
  { name: 'a key twice', user: '{"model":"x","model":"y"}' },
  { name: 'prototype keys', user: '{"__proto__":{"a":1},"constructor":{"b":1},"env":{"__proto__":"x"}}' },
  { name: 'one bad value', user: { model: 5, outputStyle: 'x' } },
  { name: 'a bad value of a forgiving key', user: { effortLevel: 'x', outputStyle: 'x' } },
  { name: 'env of other types', user: { env: { A: 1, B: 'x', C: true, D: null, E: {} } } },
  { name: 'env is text', user: { env: 'x', outputStyle: 'y' } },
  { name: 'hooks of an unknown event', user: { hooks: { Foo: [hook('x')] }, outputStyle: 'x' } },
  { name: 'hooks of no type', user: { hooks: { PreToolUse: [{ hooks: [{ type: 'zzz' }] }] }, outputStyle: 'x' } },
  { name: 'hooks that are text', user: { hooks: { PreToolUse: 'x' }, outputStyle: 'x' } },
  {
    name: 'hooks in two files',
    user: { hooks: { Stop: [hook('a')] } },
    project: { hooks: { Stop: [hook('a')], SessionStart: [{ matcher: 'x', ...hook('b') }] } },
  },
  { name: 'permissions are text', user: { permissions: 'x', outputStyle: 'x' } },
  { name: 'a rule list is text', user: { permissions: { allow: 'Bash' }, outputStyle: 'x' } },
  { name: 'an unknown mode', user: { permissions: { defaultMode: 'zzz' }, outputStyle: 'x' } },
  { name: 'the mode manual', user: { permissions: { defaultMode: 'manual' } } },
  { name: 'directories of other types', user: { permissions: { additionalDirectories: ['/x', 5] } } },
  { name: 'doubles in one list', user: { permissions: { allow: ['A', 'A'] } } },
  {
    name: 'lists of three files',
    user: { permissions: { allow: ['A'] } },
    project: { permissions: { allow: ['B'] } },
    local: { permissions: { allow: ['A', 'C'] } },
  },
  {
    name: 'statusLine',
    user: { statusLine: { type: 'command', command: 'a', padding: 1 } },
    project: { statusLine: { type: 'command', command: 'b' } },
  },
  {
    name: 'sandbox',
    user: { sandbox: { enabled: true, network: { allowedDomains: ['a'] } } },
    project: { sandbox: { enabled: false, network: { allowedDomains: ['b'], allowLocalBinding: true } } },
  },
  { name: 'a list over an object', user: { unknown: { a: 1 } }, project: { unknown: [1] } },
  { name: 'null over text', user: { unknown: 'x' }, project: { unknown: null } },
  {
    name: 'objects in lists',
    user: { allowedMcpServers: [{ serverName: 'a' }] },
    project: { allowedMcpServers: [{ serverName: 'a' }] },
  },
  ...[
    'fallbackModel',
    'availableModels',
    'companyAnnouncements',
    'enabledMcpjsonServers',
    'deniedModels',
    'forceLoginOrgUUID',
  ].map((key) => ({ name: `${key} in two files`, user: { [key]: ['a', 'b'] }, project: { [key]: ['b', 'c'] } })),
];

const RULES = [
  ...[
    'Bash',
    'bash',
    'Bash(ls:*)',
    'Bash(',
    'Bash()',
    'Bash)',
    'Bash(:*)',
    'Bash( )',
    'Bash(())',
    'Bash(a(b)',
    'Bash(a)b',
  ],
  ...[
    'Bash(a\\)',
    '(x)',
    '',
    ' Bash',
    'Foo Bar',
    'Foo()',
    '1',
    '_x',
    '?',
    '*',
    'B*',
    'a',
    'Read(**)',
    'Read(:*)',
    'Read(a*b',
  ],
  ...[
    'Edit(a:*)',
    'Edit(a)(b)',
    'Glob(a)',
    'Grep(a:*)',
    'WebFetch(x)',
    'WebFetch(*)',
    'WebFetch(domain:*.x)',
    'WebSearch(x)',
  ],
  ...[
    'WebSearch(*)',
    'WebSearch(x*)',
    'mcp__x',
    'mcp__x__y',
    'mcp__x__*',
    'mcp__x__y*',
    'mcp__*__y',
    'mcp__x*',
    'mcp__*',
  ],
  ...['mcp__', 'mcp__x()', 'mcp__x(a)', 'Agent(a,b)', 'Skill(a:*)', 'Write(x)', 5, null],
];
export const RULE_CASES = ['allow', 'deny', 'ask'].map((list) => ({
  name: `rules: ${list}`,
  user: { permissions: { [list]: RULES } },
}));

const VALUES = [
  'x',
  5,
  0,
  -1,
  1.5,
  true,
  false,
  [],
  ['x'],
  [5],
  ['x', 5],
  {},
  { a: 'x' },
  { a: 5 },
  { a: true },
  { a: {} },
];
/** Every key with values of every type, in a file, from a server, from the caller. */
export const KEY_CASES = SETTINGS_KEYS.flatMap((key) =>
  VALUES.flatMap((value) => {
    const settings = { [key]: value };
    const name = `${key} = ${JSON.stringify(value)}`;
    return [
      { name: `user: ${name}`, user: settings, options: { settingSources: ['user'] } },
      { name: `server: ${name}`, options: { settingSources: [], serverManagedSettings: settings } },
      { name: `caller: ${name}`, options: { settingSources: [], managedSettings: settings } },
    ];
  }),
);

const caller = (managedSettings) => ({ settingSources: [], managedSettings });
const NESTED = {
  permissions: [
    'allow',
    'deny',
    'ask',
    'defaultMode',
    'disableBypassPermissionsMode',
    'disableAutoMode',
    'additionalDirectories',
    'blockReadsOutsideWorkingDirectories',
    'denyInsteadOfPrompting',
    'zzz',
  ],
  sandbox: [
    'enabled',
    'failIfUnavailable',
    'autoAllowBashIfSandboxed',
    'allowUnsandboxedCommands',
    'enableWeakerNestedSandbox',
    'allowAppleEvents',
    'excludedCommands',
    'bwrapPath',
    'ripgrep',
    'zzz',
  ],
  attribution: ['commit', 'pr', 'commitTrailers', 'sessionUrl', 'zzz'],
};
const NETWORK = [
  'allowedDomains',
  'deniedDomains',
  'strictAllowlist',
  'allowManagedDomainsOnly',
  'allowUnixSockets',
  'allowAllUnixSockets',
  'allowLocalBinding',
  'httpProxyPort',
];
const FILESYSTEM = ['allowWrite', 'denyWrite', 'denyRead', 'allowRead', 'allowManagedReadPathsOnly', 'disabled'];
const SMALL = [true, false, 'x', 5, ['Bash'], [], {}, null, 'disable'];
/** The caller's nested keys: what of them restricts. */
export const CALLER_CASES = [
  ...Object.entries(NESTED).flatMap(([key, fields]) =>
    fields.flatMap((field) => SMALL.map((value) => ({ [key]: { [field]: value } }))),
  ),
  ...NETWORK.flatMap((field) => SMALL.map((value) => ({ sandbox: { network: { [field]: value } } }))),
  ...FILESYSTEM.flatMap((field) => SMALL.map((value) => ({ sandbox: { filesystem: { [field]: value } } }))),
  { model: 'm', permissions: { deny: ['Bash'], defaultMode: 'plan' }, allowManagedHooksOnly: true },
  { strictPluginOnlyCustomization: ['skills', 'zz'] },
  { availableModelsMatch: 'prefix' },
  { allowedProviders: ['bedrock', 'zz'] },
  { allowedMcpServers: [{ serverName: 'a' }, { serverCommand: ['x'] }, { x: 1 }] },
  { strictKnownMarketplaces: [{ source: 'github', repo: 'a/b' }] },
  { allowedMarketplaces: [{ source: 'github', repo: 'a/b' }] },
  { blockedMarketplaces: [{ source: 'github', repo: 'a/b' }] },
  { deniedModels: ['a', 5] },
  { hooks: { Stop: [hook('x')] } },
].map((settings) => ({ name: `caller: ${JSON.stringify(settings)}`, options: caller(settings) }));

export const SERVER_CASES = [
  { model: 'm', env: { A: 'b' }, permissions: { allow: ['Read'], deny: ['Bash'] } },
  { model: 5, env: { A: 1 }, outputStyle: 'x' },
  { permissions: { deny: ['Edit'] }, parentSettingsBehavior: 'merge' },
].flatMap((settings) => [
  { name: `server: ${JSON.stringify(settings)}`, user: { model: 'u' }, options: { serverManagedSettings: settings } },
  {
    name: `server and caller: ${JSON.stringify(settings)}`,
    options: {
      serverManagedSettings: settings,
      managedSettings: { permissions: { deny: ['Write'] }, allowManagedHooksOnly: true },
    },
  },
]);

const deny = (...rules) => ({ permissions: { deny: rules } });
/** These write the managed settings of the machine: only for a container or a private mount of its folder. */
export const MANAGED_CASES = [
  { name: 'a managed file', managed: { model: 'f', ...deny('Bash') }, user: { model: 'u' } },
  { name: 'a bad managed file', managed: '{bad', user: { model: 'u' } },
  { name: 'a bad managed file and a good drop-in', managed: '{bad', dropIns: { 'a.json': { model: 'a' } } },
  { name: 'a good managed file and a bad drop-in', managed: { model: 'f' }, dropIns: { 'a.json': '{bad' } },
  { name: 'an empty managed file', managed: '' },
  { name: 'a managed file that sets nothing', managed: '{}', options: { managedSettings: deny('Bash') } },
  { name: 'a bad value in a managed file', managed: { model: 5, outputStyle: 'x' } },
  {
    name: 'drop-ins by name',
    managed: { model: 'f' },
    dropIns: {
      '20-b.json': { model: 'b', ...deny('B') },
      '10-a.json': { model: 'a', ...deny('A') },
      'z.txt': { model: 'z' },
      '.h.json': { model: 'h' },
    },
  },
  {
    name: 'hooks of drop-ins',
    managed: { hooks: { Stop: [hook('a')] } },
    dropIns: { 'a.json': { hooks: { Stop: [hook('b')] } } },
  },
  {
    name: 'a file and a server',
    managed: { model: 'f', ...deny('Bash') },
    options: { serverManagedSettings: deny('Edit') },
  },
  ...['first-wins', 'merge', 'x', true].flatMap((behavior) => [
    {
      name: `the caller under a file: ${behavior}`,
      managed: { ...deny('Bash'), parentSettingsBehavior: behavior },
      options: { managedSettings: { ...deny('Edit'), model: 'p', allowManagedHooksOnly: true } },
    },
    {
      name: `a file under a server: ${behavior}`,
      managed: {
        ...deny('Bash'),
        outputStyle: 'x',
        apiKeyHelper: 'h',
        availableModels: ['a'],
        env: { A: '1', B: '2' },
      },
      options: {
        serverManagedSettings: { ...deny('Edit'), model: 's', env: { A: '3' }, managedSourcesBehavior: behavior },
      },
    },
  ]),
];

export const MODELS = [
  ...[
    'opus',
    'sonnet',
    'haiku',
    'fable',
    'opusplan',
    'best',
    'default',
    'opus[1m]',
    'claude-opus-4-1',
    'claude-opus-4',
  ],
  ...['claude-opus-4-0', 'claude-opus-4-20250514', 'claude-opus-4-5', 'claude-3-opus', 'claude-3-opus-20240229'],
  ...[
    'claude-sonnet-4-5',
    'claude-3-7-sonnet-latest',
    'claude-3-5-haiku-20241022',
    'claude-fable-5',
    'CLAUDE-OPUS-4-1',
  ],
  ...[
    'us.anthropic.claude-opus-4-1-20250805-v1:0',
    'claude-opus-4-1@20250805',
    'my/claude-opus-4-1',
    'my-claude-opus-4-1',
  ],
  ...[
    'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-1-20250805-v1:0',
    'claude-opus-4-1-foo',
  ],
  ...[
    'foo',
    'FOO',
    ' foo ',
    'gpt-5',
    'claude-opus-4.1',
    'claude-opus-4-10',
    'claude-opus-9-9',
    'claude-opus-x',
    '',
    5,
    null,
  ],
];
export const DENIED = [
  ...MODELS,
  ...[
    'Opus',
    ' opus ',
    'sonnet[1m]',
    'opusplan[1m]',
    'claude-opus-4-1[1m]',
    'claude-opus-4-1-latest',
    'anthropic/claude-opus-4-1',
  ],
  ...['claude', 'claude-opus', 'claude-opus-*', 'inherit', '*'],
];

const MODES = ['bypassPermissions', 'auto', 'acceptEdits', 'plan', 'default', 'dontAsk', 'zzz'];
const TIERS = ['user', 'project', 'local', 'flag', 'managed'];
const resolved = (mode, sources) => ({
  effective: { permissions: { defaultMode: mode, allow: ['A'] }, model: 'x' },
  provenance: {},
  sources: sources.map(([source, set]) => ({
    source,
    settings: { permissions: set === undefined ? {} : { defaultMode: set } },
  })),
});
/** Results to filter: one tier alone, and every two with the second higher. */
export const FILTER_CASES = MODES.flatMap((mode) => [
  resolved(mode, []),
  ...TIERS.map((tier) => resolved(mode, [[tier, mode]])),
  ...TIERS.flatMap((low, index) =>
    TIERS.slice(index + 1).flatMap((high) => [
      resolved(mode, [[low, mode], [high]]),
      resolved(mode, [
        [low, mode],
        [high, mode],
      ]),
      resolved(mode, [
        [low, 'plan'],
        [high, mode],
      ]),
    ]),
  ),
]);
