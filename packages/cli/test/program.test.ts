import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { buildPackage } from '../../../test/helpers/built-package.js';
import { runProgram } from '../src/program.js';

let assets: string;
beforeAll(() => {
  assets = buildPackage('program');
});

/** Runs the demo's shortest session on a pretended terminal and returns every write. */
async function onTerminal(env: Readonly<Record<string, string>>, isTTY = true): Promise<readonly string[]> {
  const writes: string[] = [];
  const exitCode = await runProgram({
    argv: ['demo', '--scenario', 'hello'],
    version: '0.0.0',
    assets,
    stdout: { isTTY, write: (text) => writes.push(text) },
    stderr: { write: (text) => writes.push(text) },
    env,
    abortController: new AbortController(),
  });
  expect(exitCode).toBe(0);
  return writes;
}

test('on a terminal text appears piece by piece, in colour', async () => {
  const writes = await onTerminal({});
  expect(writes.filter((text) => /Hello!|stand-in|pipe\./.test(text))).toHaveLength(3);
  expect(writes.join('')).toContain('\u001b[');
});

test('NO_COLOR takes the colours away, not the live text', async () => {
  const writes = await onTerminal({ NO_COLOR: '1' });
  expect(writes.join('')).not.toContain('\u001b[');
  expect(writes.join('')).toContain(
    'claude      Hello! I am a scripted stand-in for Claude Code, and every word of this came over a real pipe.\n',
  );
  expect(writes.length).toBeGreaterThan(8);
});

test.each([
  { env: { FORCE_COLOR: '1' }, isTTY: false, isColoured: true },
  { env: { FORCE_COLOR: '' }, isTTY: false, isColoured: false },
  { env: { FORCE_COLOR: '0' }, isTTY: true, isColoured: false },
  { env: { FORCE_COLOR: '1', NO_COLOR: '1' }, isTTY: true, isColoured: false },
])('$env, a terminal: $isTTY: colours: $isColoured (U-6)', async ({ env, isTTY, isColoured }) => {
  const text = (await onTerminal(env as Record<string, string>, isTTY)).join('');
  expect(text.includes('\u001b[')).toBe(isColoured);
});

test.skipIf(process.platform === 'win32')(
  'record finds the CLI as query() does (skipped on Windows) (U-6)',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'claudewire-record-'));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(dir, { recursive: true, force: true });
    });
    const cli = join(dir, 'claude');
    writeFileSync(cli, '#!/bin/sh\necho "2.1.330 (Claude Code)"\n', { mode: 0o755 });
    let said = '';
    const record = (name: string): Promise<number> => {
      vi.stubEnv('CLAUDE_CODE_EXECUTABLE', name);
      return runProgram({
        argv: ['record', '--out', join(dir, 'a.jsonl'), '--write-launcher', join(dir, `for-${name}`)],
        version: '0.0.0',
        assets,
        stdout: { write: (text) => (said += text) },
        stderr: { write: (text) => (said += text) },
        env: process.env,
        abortController: new AbortController(),
      });
    };
    vi.stubEnv('PATH', `${dir}:${process.env.PATH}`);
    expect(await record('claude')).toBe(0);
    expect(readFileSync(said.trim(), 'utf8')).toContain(cli);
    expect(await record('no-such-cli')).toBe(2);
    expect(said).toContain(`There is no CLI to record. Give its path`);
  },
);

test.each([
  { to: 'a pipe', stdout: 'pipe', says: 'scrubbed: nothing\n' },
  { to: 'a file', stdout: 'out.txt', says: 'scrubbed: nothing\n' },
  ...(existsSync('/dev/full')
    ? [{ to: 'a full disk', stdout: '/dev/full', says: 'error: standard output cannot be written: ENOSPC\n' }]
    : []),
])('record with standard output to $to says that it cannot be written only when that is so', ({ stdout, says }) => {
  const dir = mkdtempSync(join(tmpdir(), 'claudewire-record-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const cli = join(dir, 'cli.mjs');
  const echo = 'process.stdin.pipe(process.stdout)';
  writeFileSync(cli, `if (process.argv.includes('--version')) console.log('2.1.330 (Claude Code)'); else ${echo};`);
  const fd = stdout === 'pipe' ? undefined : openSync(resolve(dir, stdout), 'w');
  onTestFinished(() => void (fd !== undefined && closeSync(fd)));
  const args = ['record', '--out', join(dir, 'a.jsonl'), '--cli', cli, '--', '-p'];
  const { status, stderr } = spawnSync(process.execPath, [join(assets, 'bin/claudewire.js'), ...args], {
    stdio: ['pipe', fd ?? 'pipe', 'pipe'],
    input: '{"type":"keep_alive"}\n',
    encoding: 'utf8',
  });
  if (stdout === '/dev/full') expect(stderr).toContain(says);
  else expect({ status, stderr }).toEqual({ status: 0, stderr: says });
});
