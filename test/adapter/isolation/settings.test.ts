import { describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import { NetworkPolicy } from '../../../src/adapter/isolation/network-policy.js';
import { buildInlineSettings } from '../../../src/adapter/isolation/settings.js';
import { Session } from '../../../src/adapter/state/session.js';
import { fakeRuntime } from '../support/fake-runtime.js';
import { thrownBy } from '../support/thrown-by.js';
import { recordedSettings } from './recorded-settings.js';
import { askPrompt, keepingLog, refused, settingsOf } from './support.js';

const BLOCK = { blockReadsOutsideWorkingDirectories: true, blockWritesOutsideWorkingDirectories: true };

/** Where the homes of all runs are. */
const HOMES = '/t/claude-agent-*';

test('the defaults with a key (AD-213)', () => {
  const settings = settingsOf({ apiKey: 'k' });
  expect(settings).toEqual({
    permissions: { ...BLOCK, deny: ['WebFetch', 'WebSearch'] },
    sandbox: {
      enabled: true,
      autoAllowBashIfSandboxed: true,
      allowUnsandboxedCommands: false,
      failIfUnavailable: true,
      filesystem: { denyRead: ['/home/u', HOMES], allowRead: ['/h/tmp'] },
      credentials: { envVars: [{ name: 'ANTHROPIC_API_KEY', mode: 'deny' }] },
      network: { allowedDomains: [], strictAllowlist: true },
    },
  });
});

test('the defaults are what the real CLI confirmed in the recording of a whole isolation', () => {
  const { written } = recordedSettings('sandbox-whole-isolation');
  const hostHome = '/run-dir/host-home';
  const text = JSON.stringify(settingsOf({ apiKey: 'k' }, { hostHome, cwd: '/work-dir' }));
  // It was made before homes were hidden from one another.
  const ours = text.replaceAll('/h/tmp', '/run-dir/eph/tmp').replace(`,${JSON.stringify(HOMES)}`, '');
  expect(JSON.parse(ours)).toEqual(written);
});

test('commands that leave the sandbox (AD-214)', () => {
  const { sandbox } = settingsOf({ sandbox: { excludedCommands: ['docker'], allowUnsandboxedCommands: true } });
  expect(sandbox).toMatchObject({ allowUnsandboxedCommands: true, excludedCommands: ['docker:*'] });
});

test('a sandbox that is off (AD-216)', () => {
  const { sandbox } = settingsOf({ sandbox: { enabled: false, bashAutoAllow: false } });
  expect(sandbox).toMatchObject({ enabled: false, autoAllowBashIfSandboxed: false });
  expect(sandbox).not.toHaveProperty('failIfUnavailable');
  expect(sandbox).not.toHaveProperty('filesystem');
});

test('localhost (AD-217)', () => {
  const networkPolicy = { allowedDomains: ['a.example'], allowLocalhost: true };
  expect(settingsOf({ networkPolicy }).sandbox?.network).toEqual({
    allowedDomains: ['a.example', 'localhost', '127.0.0.1'],
    strictAllowlist: true,
    allowLocalBinding: true,
  });
});

test('all Unix sockets (AD-218)', () => {
  const { network } = settingsOf({ networkPolicy: { allowUnixSockets: true } }).sandbox ?? {};
  expect(network).toEqual({ allowedDomains: [], strictAllowlist: true, allowAllUnixSockets: true });
});

test('some Unix sockets (AD-219)', () => {
  const networkPolicy = { allowUnixSockets: ['/run/a.sock'] };
  expect(settingsOf({ networkPolicy }).sandbox?.network).toEqual({
    allowedDomains: [],
    strictAllowlist: true,
    allowUnixSockets: ['/run/a.sock'],
  });
});

test('a relative writable path (AD-220)', () => {
  const { filesystem } = settingsOf({ sandbox: { writablePaths: ['out'] } }).sandbox ?? {};
  expect(filesystem).toMatchObject({ allowWrite: ['/proj/out'] });
});

test('a relative writable path without a working directory (AD-221)', async () => {
  const runtime = fakeRuntime([]);
  const adapter = new ClaudeAgentAdapter({
    loadRuntime: runtime.loadRuntime,
    platform: 'linux',
    uid: 1000,
    sandboxProbe: async () => ({ passed: true, problem: undefined, fix: undefined }),
    clientConfig: { isolation: { sandbox: { writablePaths: ['out'] } } },
  });
  const error = await refused(adapter.evaluate(askPrompt(), { session: new Session() }));
  expect(error).toBeInstanceOf(AdapterConfigError);
  expect(error).toMatchObject({ fields: ['isolation.sandbox.writablePaths'] });
  expect(runtime.runs).toEqual([]);
});

test('readable paths (AD-222)', () => {
  const { filesystem } = settingsOf({ sandbox: { readablePaths: ['/home/u/.nvm'] } }).sandbox ?? {};
  expect(filesystem).toMatchObject({ allowRead: ['/h/tmp', '/home/u/.nvm'] });
});

test('whether the CLI may start without its sandbox (AD-223)', () => {
  const failIfUnavailable = (platform: string, required?: boolean): unknown =>
    settingsOf({ sandbox: { required } }, { platform }).sandbox?.failIfUnavailable;
  expect(failIfUnavailable('linux')).toBe(true);
  expect(failIfUnavailable('darwin')).toBe(true);
  expect(settingsOf({}, { platform: 'win32' }).sandbox).not.toHaveProperty('failIfUnavailable');
  const optional = settingsOf({ sandbox: { required: false } }).sandbox;
  expect(optional).not.toHaveProperty('failIfUnavailable');
});

test('every host (AD-224)', () => {
  const settings = settingsOf({ networkPolicy: { allowedDomains: ['*'], allowLocalhost: true } });
  expect(settings.sandbox?.network).toMatchObject({ allowedDomains: ['*'], strictAllowlist: true });
  expect(settings.permissions).not.toHaveProperty('deny');
});

test('no port (AD-225)', () => {
  const settings = settingsOf({ networkPolicy: { allowedDomains: ['a'], allowedPorts: [] } });
  expect(settings.sandbox?.network).toMatchObject({ allowedDomains: [] });
  expect(settings.permissions).toMatchObject({ deny: ['WebFetch', 'WebSearch'] });
});

test('the web tools are gone when no host is listed, and only then (AD-392)', () => {
  expect(settingsOf().permissions).toMatchObject({ deny: ['WebFetch', 'WebSearch'] });
  const listed = settingsOf({ networkPolicy: NetworkPolicy.withDomains('d') });
  expect(listed.permissions).toEqual(BLOCK);
});

test('the question before a fetch (AD-393)', () => {
  expect(settingsOf({ skipWebFetchPreflight: true })).toHaveProperty('skipWebFetchPreflight', true);
  expect(settingsOf()).not.toHaveProperty('skipWebFetchPreflight');
});

test('credentials in the child are hidden from commands, but for those that are exposed (AD-395)', () => {
  const hostEnv = { ANTHROPIC_API_KEY: 'h', GITHUB_TOKEN: 'g', FOO: 'f' };
  const names = (exposeEnv: readonly string[]): unknown =>
    settingsOf({ passEnv: ['GITHUB_TOKEN', 'FOO'], sandbox: { exposeEnv } }, { hostEnv }).sandbox?.credentials;
  expect(names([])).toEqual({
    envVars: [
      { name: 'ANTHROPIC_API_KEY', mode: 'deny' },
      { name: 'GITHUB_TOKEN', mode: 'deny' },
    ],
  });
  expect(names(['GITHUB_TOKEN'])).toEqual({ envVars: [{ name: 'ANTHROPIC_API_KEY', mode: 'deny' }] });
  expect(settingsOf().sandbox).not.toHaveProperty('credentials');
});

test('commands do not see the CLI’s own headers and passphrases, nor passwords by other names', () => {
  const hidden = ['ANTHROPIC_CUSTOM_HEADERS', 'CLAUDE_CODE_CLIENT_KEY_PASSPHRASE', 'DB_PASS'];
  const passEnv = ['GH_PAT', 'NPM_AUTH', 'PGPASSWORD', 'TOKENS', 'TOKENIZERS_PARALLELISM', 'EDITOR'];
  const hostEnv = Object.fromEntries(passEnv.map((name) => [name, 'v']));
  const env = Object.fromEntries(hidden.map((name) => [name, 'v']));
  expect(settingsOf({ passEnv, env }, { hostEnv }).sandbox?.credentials).toEqual({
    envVars: [...hidden, ...passEnv.slice(0, 4)].sort().map((name) => ({ name, mode: 'deny' })),
  });
});

test('what the run works with stays readable below the home (AD-397)', () => {
  const { filesystem } =
    settingsOf(
      { sandbox: { writablePaths: ['/home/u/out'] } },
      { cwd: '/home/u/proj', addDirs: ['/home/u/extra', '/elsewhere'] },
    ).sandbox ?? {};
  expect(filesystem).toEqual({
    allowWrite: ['/home/u/out'],
    denyRead: ['/home/u', HOMES],
    allowRead: ['/h/tmp', '/home/u/proj', '/home/u/extra', '/home/u/out'],
  });
});

test('the block keys follow `outsideWorkspacePaths` (AD-400)', () => {
  const { permissions } = settingsOf({}, { outsideWorkspacePaths: 'allow' });
  expect(permissions).toEqual({ deny: ['WebFetch', 'WebSearch'] });
  expect(buildInlineSettings({ outsideWorkspacePaths: 'deny' })).toEqual({ permissions: BLOCK });
  expect(buildInlineSettings({ outsideWorkspacePaths: 'allow' })).toBeUndefined();
});

test('a bare command is written as a pattern (AD-401)', () => {
  const excludedCommands = ['docker', 'git:*', 'npm run *'];
  expect(settingsOf({ sandbox: { excludedCommands } }).sandbox).toMatchObject({
    excludedCommands: ['docker:*', 'git:*', 'npm run *'],
  });
});

test('both ports of our proxy are written', () => {
  const { network } = settingsOf({}, { proxyPort: 4711 }).sandbox ?? {};
  expect(network).toMatchObject({ httpProxyPort: 4711, socksProxyPort: 4711 });
});

describe('reading', () => {
  const filesystem = (sandbox: Parameters<typeof settingsOf>[0], more: Parameters<typeof settingsOf>[1]) =>
    settingsOf(sandbox, more).sandbox?.filesystem;

  test('a home that is the working directory stays open but for what the CLI keeps in it, with a warning', () => {
    const log = keepingLog();
    expect(filesystem({}, { cwd: '/home/u', log })).toEqual({
      denyRead: ['/home/u/.claude', '/home/u/.claude.json', HOMES],
      allowRead: ['/h/tmp'],
    });
    expect(log.logged).toEqual([{ level: 'warn', event: 'isolation.home_readable', context: { path: '/home/u' } }]);
  });

  test('a home that is the root stays open in the same way', () => {
    expect(filesystem({}, { hostHome: '/' })).toMatchObject({ denyRead: ['/.claude', '/.claude.json', HOMES] });
  });

  test('the host’s own configuration folder is denied beside the home', () => {
    expect(filesystem({}, { hostConfigDir: '/etc/claude' })).toMatchObject({
      denyRead: ['/home/u', '/etc/claude', HOMES],
    });
  });

  test('links do not hide that one path lies below the other', () => {
    const realPath = (path: string): string => path.replace(/^\/link/, '/home/u');
    expect(filesystem({}, { cwd: '/link/proj', realPath })).toMatchObject({ allowRead: ['/h/tmp', '/link/proj'] });
    expect(filesystem({}, { hostHome: '/link', cwd: '/home/u', realPath })).toMatchObject({
      denyRead: ['/link/.claude', '/link/.claude.json', HOMES],
    });
  });

  test('a working directory that is named like a home stays readable', () => {
    for (const cwd of ['/t/claude-agent-mine', '/t/claude-agent-mine/sub']) {
      expect(filesystem({}, { cwd })).toMatchObject({ allowRead: ['/h/tmp', cwd] });
    }
    expect(filesystem({}, { cwd: '/t/other' })).toMatchObject({ allowRead: ['/h/tmp'] });
  });

  test('the homes are denied by the real path of the temporary directory, and by their own prefix', () => {
    const realPath = (path: string): string => path.replace(/^\/link/, '/private');
    expect(filesystem({}, { tempRoot: '/link/t', prefix: 'x-', realPath })).toMatchObject({
      denyRead: ['/home/u', '/private/t/x-*'],
    });
  });

  test('a folder whose name begins like the home is not below it', () => {
    expect(filesystem({}, { cwd: '/home/user' })).toMatchObject({ allowRead: ['/h/tmp'] });
    expect(filesystem({}, { cwd: '/home/u/..x' })).toMatchObject({ allowRead: ['/h/tmp', '/home/u/..x'] });
  });

  test('a denied file in a re-opened working directory stays denied: the CLI takes the more specific entry', () => {
    expect(filesystem({ sandbox: { denyRead: ['.env'] } }, { cwd: '/home/u/p' })).toEqual({
      denyRead: ['/home/u', '/home/u/p/.env', HOMES],
      allowRead: ['/h/tmp', '/home/u/p'],
    });
  });

  const contradictions = [
    ['the working directory', { denyRead: ['.'] }],
    ['an extra directory', { denyRead: ['/extra'] }],
    ['a readable path', { denyRead: ['/x'], readablePaths: ['/x/'] }],
  ] as const;
  test.each(contradictions)('denying %s contradicts itself', (_, sandbox) => {
    const error = thrownBy(() => settingsOf({ sandbox }, { addDirs: ['/extra'] }));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ fields: ['isolation.sandbox.denyRead'] });
  });

  test('a tilde is refused, since nobody expands it', () => {
    expect(() => settingsOf({ sandbox: { denyRead: ['~/.ssh'] } })).toThrow('~ is not expanded');
  });
});
