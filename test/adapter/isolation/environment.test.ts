import '../../helpers/property-seed.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildEnvironment, isCredential } from '../../../src/adapter/isolation/environment.js';
import { EphemeralHome } from '../../../src/adapter/isolation/ephemeral-home.js';
import { type IsolationConfig, resolveIsolation } from '../../../src/adapter/isolation/isolation-config.js';
import { prepareIsolation } from '../../../src/adapter/isolation/prepare-isolation.js';
import { keepingLog } from './support.js';

let tempRoot: string;
beforeEach(() => {
  tempRoot = mkdtempSync(join(tmpdir(), 'cw-env-'));
});
afterEach(() => rmSync(tempRoot, { recursive: true, force: true }));

/** `getEnv()` of a home, with the home's own path written as `H`. */
async function envOf(
  isolation: IsolationConfig,
  hostEnv: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const options = { hostEnv, hostHome: '/home/u', platform: 'linux', tempRoot };
  await using home = await EphemeralHome.create(isolation, options);
  const text = JSON.stringify(home.getEnv());
  return JSON.parse(text.replaceAll(home.homePath, 'H')) as Record<string, string>;
}

const HOST = { FOO: 'f', PATH: '/none/bin', TMPDIR: '/t', ANTHROPIC_API_KEY: 'h' };

test('nothing of the host but what is needed (AD-234)', async () => {
  expect(await envOf({}, HOST)).toEqual({
    HOME: 'H',
    TMPDIR: join('H', 'tmp'),
    PATH: '/none/bin',
    ANTHROPIC_API_KEY: 'h',
  });
});

test('the host’s variables without accounts, secrets and homes (AD-235)', async () => {
  const hostEnv = {
    FOO: 'f',
    TMPDIR: '/t',
    CLAUDE_X: '1',
    ANTHROPIC_BASE_URL: 'u',
    AWS_SECRET_ACCESS_KEY: 's',
    AWS_PROFILE: 'p',
    GOOGLE_X: '1',
    AZURE_X: '1',
    OPENAI_API_KEY: 'o',
    OPENAI_ORG_ID: 'o',
    HOME: '/home/u',
    HOMEBREW_PREFIX: '/brew',
  };
  const env = await envOf({ includeHostEnv: true }, hostEnv);
  expect(env).toEqual({ FOO: 'f', HOME: 'H', TMPDIR: join('H', 'tmp') });
});

test('the mark of a session above ours is not handed on (AD-236)', async () => {
  const env = await envOf({ includeHostEnv: true }, { CLAUDECODE: '1', FOO: 'f' });
  expect(env).not.toHaveProperty('CLAUDECODE');
  expect(env).toHaveProperty('FOO');
});

test('a token is copied only when it is named (AD-237)', async () => {
  const hostEnv = { GITHUB_TOKEN: 'g' };
  expect(await envOf({ includeHostEnv: true }, hostEnv)).not.toHaveProperty('GITHUB_TOKEN');
  const passEnv = ['GITHUB_TOKEN'];
  expect(await envOf({ includeHostEnv: true, passEnv }, hostEnv)).toHaveProperty('GITHUB_TOKEN', 'g');
});

test('the given key goes before the host’s (AD-238)', async () => {
  expect(await envOf({ apiKey: 'k' }, HOST)).toHaveProperty('ANTHROPIC_API_KEY', 'k');
});

test('the host’s key, and none when it has none (AD-239)', async () => {
  expect(await envOf({}, HOST)).toHaveProperty('ANTHROPIC_API_KEY', 'h');
  expect(await envOf({}, { PATH: '/bin' })).not.toHaveProperty('ANTHROPIC_API_KEY');
  expect(await envOf({}, { ANTHROPIC_API_KEY: '' })).not.toHaveProperty('ANTHROPIC_API_KEY');
});

test('`env` has the last word (AD-240)', async () => {
  const env = await envOf({ env: { ANTHROPIC_API_KEY: 'u', X: '1' }, apiKey: 'k' }, HOST);
  expect(env).toMatchObject({ ANTHROPIC_API_KEY: 'u', X: '1' });
});

test('a home of the caller’s own, with a warning (AD-241)', async () => {
  const log = keepingLog();
  const isolated = await prepareIsolation({
    isolation: resolveIsolation({ env: { HOME: '/x' } }, 'linux'),
    cwd: undefined,
    addDirs: [],
    outsideWorkspacePaths: 'deny',
    platform: 'linux',
    hostEnv: HOST,
    hostHome: '/home/u',
    tempRoot,
    log,
  });
  try {
    expect(isolated.home.getEnv().HOME).toBe('/x');
    const warnings = log.logged.filter(({ level }) => level === 'warn');
    expect(warnings).toEqual([{ level: 'warn', event: 'isolation.home_overridden', context: { names: ['HOME'] } }]);
  } finally {
    await isolated.cleanup();
  }
});

test('Windows (AD-244)', () => {
  const isolation = resolveIsolation({ includeHostEnv: true }, 'win32');
  const hostEnv = {
    Path: 'C:\\bin',
    SYSTEMROOT: 'C:\\Windows',
    ComSpec: 'cmd',
    PathExt: '.EXE',
    Temp: 'C:\\t',
    UserProfile: 'C:\\u',
    claude_x: '1',
    Anthropic_Base_Url: 'u',
    ClaudeCode: '1',
    homedrive: 'C:',
    Foo: 'f',
  };
  const env = buildEnvironment({ isolation, hostEnv, platform: 'win32', homePath: 'H' });
  expect(env).toEqual({
    HOME: 'H',
    USERPROFILE: 'H',
    TEMP: join('H', 'tmp'),
    TMP: join('H', 'tmp'),
    PATH: 'C:\\bin',
    SystemRoot: 'C:\\Windows',
    ComSpec: 'cmd',
    PATHEXT: '.EXE',
    Foo: 'f',
  });
});

test('on Windows the system’s own variables are there without `includeHostEnv`', () => {
  const isolation = resolveIsolation({}, 'win32');
  const hostEnv = { Path: 'p', SystemRoot: 's', ComSpec: 'c', PATHEXT: 'e', Foo: 'f' };
  const env = buildEnvironment({ isolation, hostEnv, platform: 'win32', homePath: 'H' });
  expect(Object.keys(env).sort()).toEqual(
    ['ComSpec', 'HOME', 'PATH', 'PATHEXT', 'SystemRoot', 'TEMP', 'TMP', 'USERPROFILE'].sort(),
  );
});

describe('the name of a credential', () => {
  const yes = [
    'GITHUB_TOKEN',
    'TOKEN',
    'DB_PASSWORD',
    'AWS_SECRET_ACCESS_KEY',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'X_CREDENTIAL_FILE',
    'OPENAI_API_KEY',
    'SSH_PRIVATE_KEY_PATH',
    'MY_SECRET',
    'github_token',
    'npm.token',
    'MYTOKEN',
    'PASSWORDS',
    'TOKENS',
    'SECRETS',
    'GITHUB_TOKEN2',
    'MY_PASSWD',
    'DB_PASS',
    'OPENAI_APIKEY',
    'GH_PAT',
    'NPM_AUTH',
    'npm_config__authToken',
    'SIGNING_KEY',
    // The CLI's own.
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_CUSTOM_HEADERS',
    'ANTHROPIC_FOUNDRY_API_KEY',
    'AWS_BEARER_TOKEN_BEDROCK',
    'AWS_SESSION_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_CLIENT_KEY',
    'CLAUDE_CODE_CLIENT_KEY_PASSPHRASE',
    'MCP_CLIENT_SECRET',
    'OTEL_EXPORTER_OTLP_HEADERS',
  ];
  const no = [
    'TOKENIZERS_PARALLELISM',
    'SECRETARY',
    'KEYBOARD_LAYOUT',
    'PUBLIC_KEY',
    'SSH_AUTH_SOCK',
    'SSH_ASKPASS',
    'XAUTHORITY',
    'GIT_AUTHOR_NAME',
    'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
    'PWD',
    'API',
    'PATH',
    '',
  ];
  test.each(yes)('%s', (name) => expect(isCredential(name)).toBe(true));
  test.each(no)('not %j', (name) => expect(isCredential(name)).toBe(false));
});

test('whatever the host has: nothing private is copied, and without `includeHostEnv` nothing but what is needed', () => {
  const words = ['HOME', 'CLAUDE_', 'AWS_', 'TOKEN', '_API_KEY', 'SECRET', 'X', '_', 'a', 'PATH'];
  const name = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 });
  const host = fc.dictionary(
    name.map((parts) => parts.join('')),
    fc.string(),
  );
  fc.assert(
    fc.property(host, fc.boolean(), (hostEnv, includeHostEnv) => {
      const isolation = resolveIsolation({ includeHostEnv }, 'linux');
      const env = buildEnvironment({ isolation, hostEnv, platform: 'linux', homePath: '/h' });
      expect(env.HOME).toBe('/h');
      const others = Object.keys(env).filter((each) => !['HOME', 'TMPDIR', 'PATH'].includes(each));
      if (!includeHostEnv) expect(others).toEqual([]);
      for (const each of others) {
        expect(each).not.toMatch(/^(?:HOME|CLAUDE_|AWS_)/);
        expect(isCredential(each)).toBe(false);
      }
    }),
  );
});

test('a variable with a name of its own kind is copied as it is', () => {
  const isolation = resolveIsolation({ includeHostEnv: true }, 'linux');
  const hostEnv = JSON.parse('{"__proto__":"p","constructor":"c"}') as Record<string, string>;
  const env = buildEnvironment({ isolation, hostEnv, platform: 'linux', homePath: 'H' });
  expect(Object.entries(env)).toContainEqual(['__proto__', 'p']);
  expect(Object.entries(env)).toContainEqual(['constructor', 'c']);
});
