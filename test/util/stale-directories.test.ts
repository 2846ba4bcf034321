import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ownDirectoryPrefix, sweepStaleDirectories } from '../../src/util/stale-directories.js';

/** The id of a process that has just ended. */
function deadPid(): number {
  return Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
}

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** Our own name with other parts. */
function nameWith(parts: { pid?: number; start?: number; machine?: string; suffix?: string } = {}) {
  const [, pid, start, machine] = ownDirectoryPrefix().split('-');
  return `claudewire-${parts.pid?.toString(36) ?? pid}-${parts.start?.toString(36) ?? start}-${parts.machine ?? machine}-${parts.suffix ?? 'aB3xYz'}`;
}

function make(name: string, mode = 0o700): string {
  const path = join(parent, name);
  mkdirSync(path);
  writeFileSync(join(path, '0-mcp-config.json'), 'secret');
  chmodSync(path, mode);
  return path;
}

test('a sweep now and then is in the background, and at most once a minute', async () => {
  vi.resetModules();
  const { sweepNowAndThen } = await import('../../src/util/stale-directories.js');
  const stale = make(nameWith({ pid: deadPid() }));
  sweepNowAndThen(() => parent);
  expect(existsSync(stale)).toBe(true);
  await expect.poll(() => existsSync(stale)).toBe(false);
  const later = make(nameWith({ pid: deadPid() }));
  sweepNowAndThen(() => parent);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(existsSync(later)).toBe(true);
});

describe('the sweep of stale directories', () => {
  test('removes the secrets of a process that a signal ended', async () => {
    const stale = make(nameWith({ pid: deadPid() }));
    await sweepStaleDirectories(parent);
    expect(existsSync(stale)).toBe(false);
  });

  test.runIf(process.platform === 'linux')('a process id that is used again counts as dead (Linux only)', async () => {
    const stale = make(nameWith({ start: 1 }));
    await sweepStaleDirectories(parent);
    expect(existsSync(stale)).toBe(false);
  });

  test('finds one behind a hundred thousand other files', async () => {
    const stale = make(nameWith({ pid: deadPid() }));
    const names = [...Array.from({ length: 100_000 }, (_, at) => `file-${at}`), basename(stale)];
    vi.resetModules();
    vi.doMock('node:fs/promises', async (original) => ({
      ...(await original<typeof import('node:fs/promises')>()),
      opendir: async () => names.map((name) => ({ name })),
    }));
    const { sweepStaleDirectories: sweep } = await import('../../src/util/stale-directories.js');
    vi.doUnmock('node:fs/promises');
    await sweep(parent);
    expect(existsSync(stale)).toBe(false);
  });

  test.runIf(process.platform === 'linux')('a zombie counts as dead (Linux only)', async () => {
    // The shell becomes a program that waits for none of its children.
    const shell = spawn('/bin/sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [text] = (await once(shell.stdout, 'data')) as [Buffer];
    const pid = Number(text);
    const fields = (): string[] => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
    await expect.poll(() => fields()[0], { timeout: 10_000 }).toBe('Z');
    const stale = make(nameWith({ pid, start: Number(fields()[19]) }));
    await sweepStaleDirectories(parent);
    shell.kill('SIGKILL');
    expect(existsSync(stale)).toBe(false);
  });

  const kept: readonly { readonly name: string; readonly directory: () => string }[] = [
    { name: 'of this process', directory: () => make(nameWith()) },
    { name: 'of a live process whose start is unknown', directory: () => make(nameWith({ start: 0 })) },
    { name: 'of another machine or container', directory: () => make(nameWith({ pid: deadPid(), machine: '000000' })) },
    { name: 'with another name', directory: () => make(`${nameWith({ pid: deadPid() })}.old`) },
    { name: 'of a test', directory: () => make('claudewire-test-aB3xYz') },
  ];
  for (const { name, directory } of kept) {
    test(`leaves a directory ${name} alone`, async () => {
      const path = directory();
      await sweepStaleDirectories(parent);
      expect(existsSync(path)).toBe(true);
    });
  }

  test('removes one that is open to others: a CLI that outlived its host made it again', async () => {
    const path = make(nameWith({ pid: deadPid() }), 0o755);
    await sweepStaleDirectories(parent);
    expect(existsSync(path)).toBe(false);
  });

  test.runIf(process.getuid?.() === 0)('leaves a directory of another user alone (root only)', async () => {
    const path = make(nameWith({ pid: deadPid() }));
    chownSync(path, 12_345, 12_345);
    await sweepStaleDirectories(parent);
    expect(existsSync(path)).toBe(true);
  });

  test('leaves a live process’s directory alone', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    try {
      const path = make(nameWith({ pid: child.pid ?? 0, start: 0 }));
      await sweepStaleDirectories(parent);
      expect(existsSync(path)).toBe(true);
    } finally {
      child.kill('SIGKILL');
    }
  });

  test.skipIf(process.platform === 'win32')(
    'follows no symbolic link, outside or inside (skipped on Windows)',
    async () => {
      const pid = deadPid();
      const target = make('precious');
      symlinkSync(target, join(parent, nameWith({ pid, suffix: 'linked' })));
      const stale = make(nameWith({ pid }));
      symlinkSync(target, join(stale, 'link'));
      await sweepStaleDirectories(parent);
      expect(existsSync(stale)).toBe(false);
      expect(existsSync(join(parent, nameWith({ pid, suffix: 'linked' })))).toBe(true);
      expect(existsSync(join(target, '0-mcp-config.json'))).toBe(true);
    },
  );

  test('a parent that is not there is nothing to sweep', async () => {
    await expect(sweepStaleDirectories(join(parent, 'nowhere'))).resolves.toBeUndefined();
  });

  test('a directory of ours carries the process id', () => {
    expect(basename(ownDirectoryPrefix())).toContain(`claudewire-${process.pid.toString(36)}-`);
  });
});
