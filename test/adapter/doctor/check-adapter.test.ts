import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADAPTER_WAYS, type CheckName, type CheckReport } from '../../../src/adapter/doctor/check-report.js';
import { checkExecutable, watchClock } from '../../../src/adapter/doctor/machine-checks.js';
import type { ClaudeAgentAdapterOptions } from '../../../src/adapter/evaluate/adapter-config.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { ClaudeAgentClientConfig } from '../../../src/adapter/evaluate/client-config.js';
import type { Clock } from '../../../src/adapter/limits/clock.js';
import type { AgentRuntime } from '../../../src/adapter/runtime/agent-runtime.js';
import { writeExecutable } from '../../helpers/executable.js';

let folder: string;
let temp: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cw-chk-'));
  temp = join(folder, 'temp');
  for (const name of ['temp', 'home', 'bin']) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that stands for the CLI. */
function program(lines: string, name = 'claude'): string {
  const path = join(folder, 'bin', name);
  writeExecutable(path, name.endsWith('.js') ? lines : `#!/bin/sh\n${lines}\n`);
  return path;
}

const GOOD = 'echo "2.1.330 (Claude Code)"';

function check(clientConfig: ClaudeAgentClientConfig = {}, more: ClaudeAgentAdapterOptions = {}): Promise<CheckReport> {
  const adapter = new ClaudeAgentAdapter({
    platform: 'linux',
    uid: 1000,
    hostHome: join(folder, 'home'),
    hostEnv: { PATH: join(folder, 'bin'), ANTHROPIC_API_KEY: 'sk-ant-SECRET' },
    tempRoot: temp,
    sandboxProbe: async () => ({ passed: true, problem: undefined, fix: undefined }),
    ...more,
    clientConfig,
  });
  return adapter.check();
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

const itemOf = (report: CheckReport, name: CheckName) => report.items.find((item) => item.name === name);

// The programs that are looked for are shell scripts here, which Windows does not start.
describe.skipIf(process.platform === 'win32')('check() (skipped on Windows)', () => {
  test('a release without a guarantee: a warning, or a failure where the configuration depends on it', async () => {
    program('echo "2.1.300 (Claude Code)"');
    const cases = [
      [{ permissionMode: 'default' }, 'warning', true],
      [{ permissionMode: 'default', outsideWorkspacePaths: 'deny' }, 'failed', false],
      [{ permissionMode: 'default', isolation: {} }, 'failed', false],
    ] as const;
    for (const [client, status, passed] of cases) {
      const report = await check(client);
      expect(itemOf(report, 'release')).toMatchObject({ status, fix: 'Use Claude Code 2.1.317 or later.' });
      expect(report.passed).toBe(passed);
    }
    expect(itemOf(await check({ permissionMode: 'default', hookFailureMode: 'open' }), 'release')).toBeUndefined();
  });

  test('a release that no run is started with, or not in this mode', async () => {
    const cases = [
      ['2.0.55', 'default', 'Claude Code 2.0.55 is too old for a run, which needs 2.0.56 or newer.'],
      ['2.1.200', 'plan', "Claude Code 2.1.200 does not honour `permissionMode: 'plan'`"],
    ] as const;
    for (const [release, permissionMode, found] of cases) {
      program(`echo "${release} (Claude Code)"`);
      const report = await check({ permissionMode, hookFailureMode: 'open' });
      expect(itemOf(report, 'release')).toMatchObject({ status: 'failed', found: expect.stringContaining(found) });
      expect(report.passed).toBe(false);
    }
    // Another mode of such a release is served, and told of.
    const other = await check({ permissionMode: 'default', hookFailureMode: 'open' });
    expect(itemOf(other, 'release')).toMatchObject({ status: 'warning', found: expect.stringContaining('plan') });
    program('echo "Now using node v20.19.0"; echo "2.0.40 (Claude Code)"');
    const noisy = await check({ permissionMode: 'default', hookFailureMode: 'open' });
    expect(itemOf(noisy, 'release')).toMatchObject({ status: 'failed', found: expect.stringContaining('2.0.40') });
  });

  test('on a machine where all is well', async () => {
    program(GOOD);
    const report = await check({ isolation: {} });
    expect(report.items.map(({ name, status, fix }) => [name, status, fix])).toEqual(
      ['executable', 'credential', 'bypass', 'temp', 'isolation', 'sandbox', 'clock'].map((name) => [
        name,
        'passed',
        undefined,
      ]),
    );
    expect(report).toMatchObject({ version: 1, passed: true });
    expect(itemOf(report, 'executable')?.found).toContain('2.1.330');
    expect(JSON.stringify(report)).not.toContain('SECRET');
  });

  test('leaves nothing behind, and hands no secret to the CLI', async () => {
    const seen = join(folder, 'seen');
    program(`env > ${seen}; ${GOOD}; touch "$HOME/trace" "$TMPDIR/trace"`);
    await check(
      { isolation: {} },
      { hostEnv: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, ANTHROPIC_API_KEY: 'sk-ant-SECRET' } },
    );
    expect(readdirSync(temp)).toEqual([]);
    expect(readdirSync(join(folder, 'home'))).toEqual([]);
    expect(readFileSync(seen, 'utf8')).not.toContain('SECRET');
  });

  test('without isolation it says nothing of homes and sandboxes', async () => {
    program(GOOD);
    const { items } = await check();
    expect(items.map(({ name }) => name)).toEqual(['executable', 'credential', 'bypass', 'temp', 'clock']);
  });

  describe('the executable', () => {
    const item = async (path?: string) =>
      itemOf(await check(path === undefined ? {} : { pathToClaudeCodeExecutable: path }), 'executable');

    test('that is nowhere', async () => {
      expect(await item()).toMatchObject({ status: 'failed', fix: expect.stringContaining('npm install') });
      const path = join(folder, 'none');
      expect(await item(path)).toMatchObject({ status: 'failed', found: `Claude Code was not found at ${path}.` });
    });

    test('that is nowhere names the places that were looked at', async () => {
      expect((await item('no-such-claude'))?.found).toContain(
        `It was looked for in ${join(folder, 'bin', 'no-such-claude')}.`,
      );
    });

    test('of another system is not called missing', async () => {
      const path = program('');
      const magic = process.platform === 'linux' ? 'cffaedfe' : '7f454c46';
      writeFileSync(path, Buffer.from(magic.padEnd(40, '0'), 'hex'));
      expect(await item(path)).toMatchObject({
        status: 'failed',
        found: expect.stringMatching(/^Failed to start Claude Code: .*\.$/),
        fix: expect.stringContaining('Reinstall'),
      });
    });

    test('that the system does not start is described as a run describes it', async () => {
      const directory = join(folder, 'bin', 'empty');
      mkdirSync(directory);
      expect(await item(directory)).toMatchObject({
        found: `Failed to start Claude Code: ${directory} is a directory.`,
        fix: 'It has nothing. Name the executable, or the folder of the npm package that has it.',
      });
      const plain = program(GOOD);
      chmodSync(plain, 0o644);
      expect(await item(plain)).toMatchObject({
        found: `Failed to start Claude Code: ${plain} is not executable.`,
        fix: 'Make it executable (`chmod +x`), or name the executable itself.',
      });
      const orphan = program('', 'orphan');
      writeExecutable(orphan, '#!/nowhere/sh\n');
      expect((await item(orphan))?.found).toBe(
        `Failed to start Claude Code: ${orphan} asks for the interpreter /nowhere/sh, which does not exist.`,
      );
    });

    test('that is no program is called what it is', async () => {
      const link = join(folder, 'bin', 'link');
      symlinkSync(join(folder, 'gone'), link);
      expect(await item(link)).toMatchObject({
        found: `${link} is a link to ${join(folder, 'gone')}, which does not exist.`,
        fix: expect.stringContaining('link'),
      });
      for (const name of ['pipe', 'pipe.js']) {
        const pipe = join(folder, 'bin', name);
        execFileSync('mkfifo', ['-m', '755', pipe]);
        expect((await item(pipe))?.found).toBe(`${pipe} is a named pipe, not a program.`);
      }
      expect((await item('/dev/null'))?.found).toBe('/dev/null is a device, not a program.');
    });

    test('whose first line has the line end of Windows', async () => {
      for (const shebang of ['#!/bin/sh', '#!/usr/bin/env node']) {
        const path = program('');
        writeExecutable(path, `${shebang}\r\necho hello\r\n`);
        expect(await item(path)).toMatchObject({
          found: expect.stringContaining(`The first line of ${path} ends in CR LF`),
          fix: 'Convert the ends of its lines to LF.',
        });
      }
    });

    test('that hangs is ended with what it started, and the time is named', async () => {
      const path = program(`sleep 600 & echo $! > ${join(folder, 'pid')}; wait`);
      const { item: hung } = await checkExecutable({
        runtime: { locateExecutable: async () => ({ path }) } as unknown as AgentRuntime,
        executable: path,
        childEnv: { PATH: process.env.PATH },
        folder,
        ways: ADAPTER_WAYS,
        timeoutMs: 2_000,
      });
      expect(hung).toMatchObject({
        status: 'failed',
        found: `${path} did not answer \`--version\` within 2 seconds.`,
        fix: expect.stringContaining('by hand'),
      });
      const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
      expect(pid).toBeGreaterThan(0);
      await expect.poll(() => isGone(pid)).toBe(true);
    });

    test('that is a script runs on Node', async () => {
      const path = program("console.log(process.argv[2] === '--version' ? '9.9.9 (Claude Code)' : '')", 'cli.js');
      expect((await item(path))?.found).toContain('9.9.9');
    });

    test('that ends badly says why', async () => {
      const path = program('echo "cannot execute: GLIBC_2.99 not found" >&2; exit 1');
      expect(await item(path)).toMatchObject({ status: 'failed', found: expect.stringContaining('GLIBC_2.99') });
    });

    test.each([
      ['hello', 'does not call itself Claude Code: asked for its version, it says "hello".'],
      ['git version 2.39.5', 'does not call itself Claude Code: asked for its version, it says "git version 2.39.5".'],
      ['', 'does not call itself Claude Code: asked for its version, it says nothing.'],
      ['(Claude Code)', 'does not tell its version: asked for its version, it says "(Claude Code)".'],
    ])('that says %j is a warning, and is not called Claude Code', async (said, found) => {
      const path = program(`echo "${said}"`);
      expect(await item(path)).toMatchObject({ status: 'warning', found: `${path} ${found}` });
    });
  });

  describe('the credential', () => {
    const status = async (config: ClaudeAgentClientConfig, hostEnv: Record<string, string>, platform = 'linux') =>
      itemOf(await check(config, { hostEnv, platform }), 'credential')?.status;

    test('is any of the variables that the CLI takes', async () => {
      for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN']) {
        expect(await status({}, { [name]: 'x' }), name).toBe('passed');
      }
      expect(await status({}, { ANTHROPIC_API_KEY: '' })).toBe('failed');
      expect(await status({}, { CLAUDE_CODE_USE_BEDROCK: '1' })).toBe('warning');
    });

    const files = { login: '.claude/.credentials.json', settings: '.claude/settings.json', global: '.claude.json' };
    const stored = (file: keyof typeof files, content: unknown): void => {
      mkdirSync(join(folder, 'home', '.claude'), { recursive: true });
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      writeFileSync(join(folder, 'home', files[file]), text);
    };
    const login = { accessToken: 'x', scopes: ['user:inference'] };

    test('is a login, but not for an isolated run', async () => {
      stored('login', { claudeAiOauth: login });
      expect(await status({}, {})).toBe('passed');
      expect(await status({ isolation: {} }, {})).toBe('failed');
      expect(await status({ isolation: { apiKey: 'k' } }, {})).toBe('passed');
      // The host's variable is handed on only when it is named.
      const hostEnv = { CLAUDE_CODE_OAUTH_TOKEN: 't' };
      expect(await status({ isolation: {} }, hostEnv)).toBe('failed');
      const isolation = { passEnv: ['CLAUDE_CODE_OAUTH_TOKEN'] };
      expect(await status({ isolation }, hostEnv)).toBe('passed');
    });

    // What `claude auth status` of 2.1.330 says of the same files.
    test.each([
      ['login', { claudeAiOauth: { ...login, expiresAt: 1, refreshToken: null } }, 'passed'],
      ['global', { primaryApiKey: 'k' }, 'passed'],
      ['settings', { apiKeyHelper: 'echo k' }, 'passed'],
      ['settings', { env: { ANTHROPIC_API_KEY: 'k' } }, 'passed'],
      ['login', '', 'failed'],
      ['login', '{}', 'failed'],
      ['login', 'null', 'failed'],
      ['login', '[]', 'failed'],
      ['login', '{"claudeAiOauth":', 'failed'],
      ['login', { mcpOAuth: { a: { accessToken: 'x' } } }, 'failed'],
      ['login', { claudeAiOauth: { accessToken: 'x' } }, 'failed'],
      ['login', { claudeAiOauth: { ...login, accessToken: '' } }, 'failed'],
      ['login', { claudeAiOauth: { ...login, scopes: ['user:profile'] } }, 'failed'],
      ['login', { claudeAiOauth: { ...login, scopes: 'user:inference' } }, 'failed'],
      ['global', { primaryApiKey: '' }, 'failed'],
    ] as const)('in the file of the %s: %j is %s', async (file, content, expected) => {
      stored(file, content);
      expect(await status({}, {})).toBe(expected);
    });

    test('is not a directory or a pipe in the place of the login', async () => {
      mkdirSync(join(folder, 'home', files.login), { recursive: true });
      expect(await status({}, {})).toBe('failed');
      rmSync(join(folder, 'home', files.login), { recursive: true });
      execFileSync('mkfifo', [join(folder, 'home', files.login)]);
      expect(await status({}, {})).toBe('failed');
    });

    test('may be in the keychain of a Mac', async () => {
      expect(await status({}, {}, 'darwin')).toBe('warning');
    });
  });

  describe('a cloud provider', () => {
    const ask = async (hostEnv: Record<string, string>, config: ClaudeAgentClientConfig = {}) => {
      const report = await check(config, { hostEnv });
      const [gateway, credential] = (['gateway', 'credential'] as const).map((name) => itemOf(report, name));
      return { gateway, credential, text: JSON.stringify(report) };
    };
    const BEDROCK = { CLAUDE_CODE_USE_BEDROCK: '1' };
    const VERTEX = { CLAUDE_CODE_USE_VERTEX: 'true' };
    const FOUNDRY = { CLAUDE_CODE_USE_FOUNDRY: '1' };
    const cases: readonly [string, Record<string, string>, string, string][] = [
      ['Bedrock with nothing', BEDROCK, 'warning', 'warning'],
      ['Bedrock with a region', { ...BEDROCK, AWS_REGION: 'r' }, 'passed', 'warning'],
      ['Bedrock with half a key', { ...BEDROCK, AWS_ACCESS_KEY_ID: 'a' }, 'warning', 'warning'],
      ['Bedrock with a key', { ...BEDROCK, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }, 'warning', 'passed'],
      ['Bedrock behind a gateway that signs', { ...BEDROCK, CLAUDE_CODE_SKIP_BEDROCK_AUTH: '1' }, 'warning', 'passed'],
      ['Vertex with nothing', VERTEX, 'warning', 'warning'],
      ['Vertex without a project or credentials', { ...VERTEX, CLAUDE_CODE_SKIP_VERTEX_AUTH: '1' }, 'failed', 'passed'],
      [
        'Vertex with all of it',
        { ...VERTEX, ANTHROPIC_VERTEX_PROJECT_ID: 'p', CLOUD_ML_REGION: 'r', GOOGLE_APPLICATION_CREDENTIALS: '/f' },
        'passed',
        'passed',
      ],
      ['Foundry with a key alone', { ...FOUNDRY, ANTHROPIC_FOUNDRY_API_KEY: 'k' }, 'failed', 'passed'],
      ['Foundry with a resource alone', { ...FOUNDRY, ANTHROPIC_FOUNDRY_RESOURCE: 'x' }, 'passed', 'warning'],
      [
        'Foundry with a URL and Entra ID',
        {
          ...FOUNDRY,
          ...{ ANTHROPIC_FOUNDRY_BASE_URL: 'https://x', AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c' },
          AZURE_CLIENT_SECRET: 's',
        },
        'passed',
        'passed',
      ],
    ];
    test.each(cases)('%s', async (_, env, gateway, credential) => {
      const found = await ask(env);
      expect([found.gateway?.status, found.credential?.status]).toEqual([gateway, credential]);
    });

    test('is named with what it lacks, and no value is', async () => {
      const { gateway, text } = await ask({ ...VERTEX, CLOUD_ML_REGION: 'sk-SECRET', ANTHROPIC_API_KEY: 'sk-SECRET' });
      expect(gateway).toMatchObject({
        found: expect.stringContaining('Without ANTHROPIC_VERTEX_PROJECT_ID'),
        fix: 'Set ANTHROPIC_VERTEX_PROJECT_ID in the environment of the CLI.',
      });
      expect(text).not.toContain('SECRET');
    });

    test("takes no key of Anthropic's API", async () => {
      const { credential } = await ask({ ...FOUNDRY, ANTHROPIC_API_KEY: 'k' });
      expect(credential?.status).toBe('warning');
    });

    test('that is switched off needs nothing', async () => {
      const { gateway, credential } = await ask({ CLAUDE_CODE_USE_BEDROCK: '0', ANTHROPIC_API_KEY: 'k' });
      expect([gateway, credential?.status]).toEqual([undefined, 'passed']);
    });

    test('may have its credentials in the home', async () => {
      mkdirSync(join(folder, 'home', '.aws'));
      writeFileSync(join(folder, 'home', '.aws', 'credentials'), '');
      expect((await ask(BEDROCK)).credential?.status).toBe('passed');
    });

    test('is selected for an isolated run only by variables that are handed on', async () => {
      const env = { ...BEDROCK, AWS_REGION: 'r', AWS_BEARER_TOKEN_BEDROCK: 't', ANTHROPIC_API_KEY: 'k' };
      expect((await ask(env, { isolation: {} })).gateway).toBeUndefined();
      const { gateway, credential } = await ask(env, { isolation: { passEnv: ['CLAUDE_CODE_USE_BEDROCK'] } });
      expect(gateway).toMatchObject({ status: 'warning', fix: expect.stringContaining('`isolation.passEnv`') });
      expect(credential?.status).toBe('warning');
    });
  });

  test('bypass mode as root', async () => {
    const status = async (uid: number | undefined, config: ClaudeAgentClientConfig) =>
      itemOf(await check(config, { uid }), 'bypass')?.status;
    expect(await status(0, {})).toBe('failed');
    expect(await status(0, { env: { IS_SANDBOX: '1' } })).toBe('passed');
    expect(await status(0, { isolation: {} })).toBe('failed');
    expect(await status(0, { isolation: { env: { IS_SANDBOX: '1' } } })).toBe('passed');
    expect(await status(0, { permissionMode: 'default' })).toBe('passed');
    expect(await status(1000, {})).toBe('passed');
    expect(await status(undefined, {})).toBe('passed');
  });

  test('a permission mode that nobody knows fails, and is a warning where a newer CLI may know it (C-10)', async () => {
    for (const [cli, status] of [
      [GOOD, 'failed'],
      [GOOD.replace(/\d+\.\d+\.\d+/, '9.0.0'), 'warning'],
    ] as const) {
      program(cli);
      const report = await check({ permissionMode: 'foo' });
      expect(itemOf(report, 'bypass')).toMatchObject({
        status,
        found: expect.stringContaining('"foo"'),
        fix: expect.stringContaining('acceptEdits'),
      });
      expect(report.passed).toBe(status === 'warning');
    }
    for (const permissionMode of ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto']) {
      expect(itemOf(await check({ permissionMode }), 'bypass')?.status, permissionMode).toBe('passed');
    }
  });

  test('it does not name a home that is gone', async () => {
    const found = itemOf(await check({ isolation: {} }), 'isolation')?.found;
    expect(found).toBe(`A home for a run can be made in ${temp}.`);
  });

  test('a temporary directory that is not there', async () => {
    const report = await check({ isolation: {} }, { tempRoot: join(folder, 'none') });
    expect(itemOf(report, 'temp')).toMatchObject({
      status: 'failed',
      found: expect.stringContaining('ENOENT'),
      fix: expect.stringContaining('TMPDIR'),
    });
    expect(itemOf(report, 'isolation')).toBeUndefined();
    expect(report.passed).toBe(false);
  });

  test('what isolation cannot use on this machine', async () => {
    const isolation = { sandbox: { denyRead: ['relative'] } };
    const report = await check({ isolation });
    expect(itemOf(report, 'isolation')).toMatchObject({ status: 'failed', found: expect.stringContaining('denyRead') });
    expect(readdirSync(temp)).toEqual([]);
  });

  test('a sandbox that does not start fails when it is required, and is a warning when it is not', async () => {
    const sandboxProbe = async () => ({ passed: false, problem: 'No bwrap.', fix: 'Install it.' });
    const item = async (required: boolean) =>
      itemOf(await check({ isolation: { sandbox: { required } } }, { sandboxProbe }), 'sandbox');
    expect(await item(true)).toMatchObject({
      status: 'failed',
      found: 'No bwrap.',
      fix: expect.stringMatching(/^Install it\. .*required: false/),
    });
    expect(await item(false)).toMatchObject({ status: 'warning', fix: 'Install it.' });
  });
});

describe('the clock', () => {
  const NOW = Date.UTC(2026, 0, 1);
  const clockAt = (...times: readonly (readonly [wall: number, steady: number])[]): Clock => {
    const walls = times.map(([wall]) => wall);
    const steadies = times.map(([, steady]) => steady);
    return {
      now: () => walls.shift() ?? Number.NaN,
      monotonic: () => steadies.shift() ?? Number.NaN,
      setTimer: () => () => {},
    };
  };
  const cases = [
    {
      name: 'that runs evenly',
      times: [
        [NOW, 5],
        [NOW + 40, 45],
      ],
      status: 'passed',
    },
    {
      name: 'that lost its battery',
      times: [
        [0, 5],
        [40, 45],
      ],
      status: 'failed',
    },
    {
      name: 'of the next century',
      times: [
        [4.2e12, 5],
        [4.2e12, 5],
      ],
      status: 'failed',
    },
    {
      name: 'that was set back',
      times: [
        [NOW, 5],
        [NOW - 60_000, 45],
      ],
      status: 'warning',
    },
    {
      name: 'that was set forward',
      times: [
        [NOW, 5],
        [NOW + 60_000, 45],
      ],
      status: 'warning',
    },
    {
      name: 'whose steady side runs backwards',
      times: [
        [NOW, 5],
        [NOW + 1, 4],
      ],
      status: 'failed',
    },
    {
      name: 'that gives no number',
      times: [
        [NOW, 5],
        [Number.NaN, 6],
      ],
      status: 'failed',
    },
  ] as const;
  test.each(cases)('$name is $status', ({ times, status }) => {
    expect(watchClock(clockAt(...times))().status).toBe(status);
  });
});
