import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../src/program.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cw-doc-'));
  mkdirSync(join(folder, 'demo'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function doctor(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  let stdout = '';
  let stderr = '';
  const exitCode = await runProgram({
    argv: ['doctor', ...args],
    version: '0.0.0',
    assets: folder,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    env,
    abortController: new AbortController(),
  });
  return { exitCode, stdout, stderr };
}

describe.skipIf(process.platform === 'win32')('claudewire doctor (skipped on Windows)', () => {
  const env = { PATH: '/usr/bin:/bin', HOME: '/nowhere', ANTHROPIC_API_KEY: 'sk-ant-SECRET' };
  const cli = (version = '2.1.330'): string => {
    const path = join(folder, 'claude');
    writeFileSync(path, `#!/bin/sh\necho "${version} (Claude Code)"\n`, { mode: 0o755 });
    return path;
  };

  test('prints one line for each finding, and ends with 0 when nothing failed', async () => {
    const { exitCode, stdout } = await doctor(env, '--cli', cli(), '--permission-mode', 'default');
    expect(stdout).toMatch(/^ok +executable Claude Code 2\.1\.330 is at .*\n/);
    expect(stdout).toMatch(/A run could start\.\n$/);
    expect(stdout).not.toContain('SECRET');
    expect(exitCode).toBe(0);
  });

  test('says what is known of a release that was not tested, or is not the newest', async () => {
    const say = async (version: string) => {
      const path = join(folder, `claude-${version}`);
      writeFileSync(path, `#!/bin/sh\necho "${version} (Claude Code)"\n`, { mode: 0o755 });
      return (await doctor(env, '--cli', path)).stdout.split('\n')[0];
    };
    expect(await say('2.3.1')).toMatch(
      /CLI 2\.3\.1 is newer than what was tested \(2\.1\.\d+\)\. Nothing is known to differ\.$/,
    );
    expect(await say('2.0.0')).toMatch(
      /CLI 2\.0\.0 is older than 2\.1\.\d+\. Known to differ: no answer to .*get_context_usage/,
    );
  });

  test('says what to do, and ends with 1', async () => {
    const args = ['--cli', join(folder, 'none'), '--permission-mode', 'default'];
    const { exitCode, stdout } = await doctor(env, ...args);
    expect(stdout).toContain('FAILED  executable');
    expect(stdout).toContain('-> Install it');
    expect(stdout).toMatch(/A run would not start\.\n$/);
    expect(exitCode).toBe(1);
  });

  test('every place that was searched has a line of its own', async () => {
    const { stdout } = await doctor({ PATH: `${folder}/a:${folder}/b`, HOME: folder });
    expect(stdout).toContain(
      `\n${' '.repeat(21)}${folder}/a/claude (PATH)\n${' '.repeat(21)}${folder}/b/claude (PATH)\n`,
    );
    expect(stdout).toMatch(/^FAILED {2}query\(\) +would not start: Claude Code was not found\. /m);
  });

  test('what it says to do is in its own words, not those of the API', async () => {
    const bare = { PATH: folder, HOME: folder };
    const missing = await doctor(bare, '--cli', join(folder, 'none'), '--isolation');
    for (const word of ['--cli <path>', 'CLAUDE_CODE_EXECUTABLE', '--pass-env']) {
      expect(missing.stdout).toContain(word);
    }
    const odd = await doctor(env, '--cli', cli('9.0.0'), '--permission-mode', 'foo');
    expect(odd.stdout).toMatch(/^warning bypass .*"foo".*\n +-> Change `--permission-mode`\./m);
    expect(odd.exitCode).toBe(0);
    expect(odd.stdout).toMatch(
      /^warning adapter, foo +may not start: The permission mode "foo" is not known here, .*\n\nA run could start, if the CLI knows the permission mode\.\n$/m,
    );
    for (const { stdout } of [missing, odd]) {
      expect(stdout).not.toMatch(/pathToClaudeCodeExecutable|permissionMode|isolation\.apiKey/);
    }
  });

  test('a permission mode that the CLI is known to refuse fails (C-10)', async () => {
    const { stdout, exitCode } = await doctor(env, '--cli', cli(), '--permission-mode', 'foo');
    expect(stdout).toMatch(/^FAILED {2}bypass .*"foo" is not known to Claude Code 2\.1\.330, which does not start/m);
    expect(stdout).toMatch(/^FAILED {2}adapter, foo +would not start: .*\n\nA run would not start\.\n$/m);
    expect(exitCode).toBe(1);
  });

  test('judges query() and the modes of the adapter apart (U-6)', async () => {
    const { stdout } = await doctor(env, '--cli', cli());
    const lines = stdout.split('\n').filter((line) => /^\S+ +(query|adapter)/.test(line));
    const asRoot = process.getuid?.() === 0;
    const bypass = asRoot
      ? 'warning adapter, bypassPermissions (the default)  would not start: Claude Code refuses bypass mode for the root user.'
      : 'ok      adapter, bypassPermissions (the default)  would start';
    expect(lines).toEqual([
      'ok      query()                                   would start',
      bypass,
      'ok      adapter, other permission modes           would start',
    ]);
    expect(stdout).toMatch(/A run could start\.\n$/);
  });

  test('prints one JSON object on request', async () => {
    const args = ['--json', '--cli', cli(), '--permission-mode', 'default'];
    const { stdout } = await doctor(env, ...args);
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      passed: true,
      runs: [
        { run: 'query()', starts: true, reasons: [] },
        { run: 'adapter, default', starts: true, reasons: [] },
      ],
    });
  });

  test('looks at a sandbox and a home for isolated runs', async () => {
    const args = ['--json', '--isolation', '--cli', cli(), '--permission-mode', 'default'];
    const { stdout } = await doctor({ ...env, PATH: folder }, ...args);
    const { items } = JSON.parse(stdout) as { items: { name: string; status: string }[] };
    expect(items.map(({ name }) => name)).toContain('isolation');
    // No helper is on this path.
    expect(items.find(({ name }) => name === 'sandbox')?.status).not.toBe('passed');
  });

  test.each([
    ['--cli', ''],
    ['--permission-mode', ''],
    ['--pass-env', 'A=B'],
  ])('%s %j is a usage error, not a stack', async (flag, value) => {
    const { exitCode, stdout, stderr } = await doctor(env, flag, value);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(new RegExp(`^error: option '${flag} `));
  });

  test('arguments that it does not know start nothing', async () => {
    const { exitCode, stdout, stderr } = await doctor(env, '--nope');
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('--nope');
  });
});
