import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  guardSandbox,
  guardScript,
  guardWords,
  perlOf,
  writeGuard,
} from '../../../src/adapter/isolation/sandbox-guard.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cw-guard-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A bwrap that writes down its arguments and variables, each with a NUL behind it. */
function install(name = 'real'): string {
  const file = join(folder, name);
  const lines = [`for a do printf '%s\\0' "$a"; done > "${folder}/said"`, `env -0 > "${folder}/env"`];
  writeFileSync(file, `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 });
  return file;
}

const said = (): string[] => readFileSync(join(folder, 'said'), 'utf8').split('\0').slice(0, -1);
const PERL = perlOf(process.env.PATH);
const WORDS = ['--unshare-ipc', '--ro-bind', '/proc/sys', '/proc/sys'];

describe.skipIf(process.platform === 'win32')('the guard in front of bwrap (skipped on Windows) (I-1)', () => {
  test('puts its words before the first `--`, behind every mount, and nothing else changes', () => {
    const guard = writeGuard(join(folder, 'bin'), install(), PERL, WORDS);
    const before = ['--new-session', '--sync-fd', '5', '--ro-bind', '/', '/', '--proc', '/proc'];
    const after = ['--', '/bin/bash', '-c', 'echo "$(id)" -- --proc /proc'];
    execFileSync(guard, [...before, ...after]);
    expect(said()).toEqual([...before, ...WORDS, ...after]);
  });

  test('hands on every argument as it came, whatever it holds', () => {
    const guard = writeGuard(join(folder, 'bin'), install(), PERL, WORDS);
    const odd = fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
      fc.constantFrom('', ' ', "'", '"', '$(id)', '`id`', '\\', '\n', '*', '$1', '-n', '--proc', '--', '~'),
    );
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 14 }), fc.array(odd, { maxLength: 5 }), (some, rest) => {
        const before = some.filter((word) => word !== '--');
        execFileSync(guard, [...before, '--', ...rest]);
        expect(said()).toEqual([...before, ...WORDS, '--', ...rest]);
      }),
      { numRuns: 60 },
    );
  });

  test('does not change the variables of what it starts, also those with the names of its own', () => {
    const guard = writeGuard(join(folder, 'bin'), install(), PERL, WORDS);
    const env = { PATH: process.env.PATH ?? '', n: 'mine', arg: 'mine too', CDPATH: '/' };
    execFileSync(guard, ['--', 'x'], { env });
    const seen = readFileSync(join(folder, 'env'), 'utf8').split('\0');
    for (const [name, value] of Object.entries(env)) expect(seen).toContain(`${name}=${value}`);
    expect(seen.join('\n')).not.toContain('_cw_');
  });

  test('lets the CLI ask for the version and try user namespaces, and refuses a command that it cannot limit', () => {
    const guard = writeGuard(join(folder, 'bin'), install(), PERL, WORDS);
    for (const words of [['--version'], ['--help'], ['--unshare-user', '--dev-bind', '/', '/', 'true']]) {
      execFileSync(guard, words);
      expect(said()).toEqual(words);
    }
    rmSync(join(folder, 'said'));
    expect(() => execFileSync(guard, ['--dev-bind', '/', '/', 'sh'], { stdio: 'pipe' })).toThrow(/cannot limit/);
    expect(() => said()).toThrow();
  });

  test('starts the real one by its path, whatever that holds', () => {
    const real = install(`it's a "$(touch pwned)" \n bwrap`);
    execFileSync(writeGuard(join(folder, 'bin'), real, PERL, WORDS), ['--version'], { cwd: folder });
    expect(said()).toEqual(['--version']);
  });

  test('takes no word that means something to a shell', () => {
    for (const word of ['a b', '$(id)', ';', '']) {
      expect(() => guardScript('/bwrap', [word])).toThrow(/plain word/);
    }
    expect(guardWords().every((word) => /^[\w./+-]+$/.test(word))).toBe(true);
  });

  test('is first on the path, for this user alone; without bwrap or off Linux nothing changes', () => {
    const env = { PATH: `/none:${folder}`, A: '1' };
    expect(guardSandbox(env, folder, 'linux')).toBe(env);
    install('bwrap');
    expect(guardSandbox(env, folder, 'darwin')).toBe(env);
    expect(guardSandbox(env, folder, 'linux')).toEqual({ A: '1', PATH: `${folder}/bin:${env.PATH}` });
    expect(statSync(join(folder, 'bin')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'bin', 'bwrap')).mode & 0o777).toBe(0o500);
    expect(readFileSync(join(folder, 'bin', 'bwrap'), 'utf8')).toContain(`'${folder}/bwrap' "$@"`);
    chmodSync(join(folder, 'bin'), 0o700);
  });
});

test.skipIf(process.platform !== 'linux')(
  'for root everything in /proc that is no process is covered, what only root may read by nothing (Linux only) (I-1)',
  () => {
    const words = guardWords();
    expect(words[0]).toBe('--unshare-ipc');
    if (process.getuid?.() !== 0) return;
    const text = words.join(' ');
    expect(text).toContain('--ro-bind-try /proc/sys /proc/sys');
    expect(text).toContain('--ro-bind-try /dev/null /proc/kmsg');
    expect(text).toContain('--ro-bind /sys /sys');
    expect(text).not.toMatch(/\/proc\/(?:\d|self|thread-self|mounts|net\b)/);
  },
);
