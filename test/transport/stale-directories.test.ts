import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ownDirectoryPrefix,
  sweepStaleDirectories,
} from '../../src/transport/stale-directories.js';

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
  return `claudewire-${parts.pid ?? pid}-${parts.start ?? start}-${parts.machine ?? machine}-${parts.suffix ?? 'aB3xYz'}`;
}

function make(name: string, mode = 0o700): string {
  const path = join(parent, name);
  mkdirSync(path);
  writeFileSync(join(path, '0-mcp-config.json'), 'secret');
  chmodSync(path, mode);
  return path;
}

describe('the sweep of stale directories', () => {
  test('removes the secrets of a process that a signal ended', () => {
    const stale = make(nameWith({ pid: deadPid() }));
    sweepStaleDirectories(parent);
    expect(existsSync(stale)).toBe(false);
  });

  test.runIf(process.platform === 'linux')('a process id that is used again counts as dead', () => {
    const stale = make(nameWith({ start: 1 }));
    sweepStaleDirectories(parent);
    expect(existsSync(stale)).toBe(false);
  });

  const kept: readonly { readonly name: string; readonly directory: () => string }[] = [
    { name: 'of this process', directory: () => make(nameWith()) },
    {
      name: 'of a live process whose start is unknown',
      directory: () => make(nameWith({ start: 0 })),
    },
    {
      name: 'of another machine or container',
      directory: () => make(nameWith({ pid: deadPid(), machine: '00000000' })),
    },
    { name: 'with another name', directory: () => make(`${nameWith({ pid: deadPid() })}.old`) },
    { name: 'of a test', directory: () => make('claudewire-test-aB3xYz') },
  ];
  for (const { name, directory } of kept) {
    test(`leaves a directory ${name} alone`, () => {
      const path = directory();
      sweepStaleDirectories(parent);
      expect(existsSync(path)).toBe(true);
    });
  }

  test.skipIf(process.platform === 'win32')('leaves a directory open to others alone', () => {
    const path = make(nameWith({ pid: deadPid() }), 0o755);
    sweepStaleDirectories(parent);
    expect(existsSync(path)).toBe(true);
  });

  test('leaves a live process’s directory alone', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    try {
      const path = make(nameWith({ pid: child.pid ?? 0, start: 0 }));
      sweepStaleDirectories(parent);
      expect(existsSync(path)).toBe(true);
    } finally {
      child.kill('SIGKILL');
    }
  });

  test.skipIf(process.platform === 'win32')('follows no symbolic link, outside or inside', () => {
    const pid = deadPid();
    const target = make('precious');
    symlinkSync(target, join(parent, nameWith({ pid, suffix: 'linked' })));
    const stale = make(nameWith({ pid }));
    symlinkSync(target, join(stale, 'link'));
    sweepStaleDirectories(parent);
    expect(existsSync(stale)).toBe(false);
    expect(existsSync(join(parent, nameWith({ pid, suffix: 'linked' })))).toBe(true);
    expect(existsSync(join(target, '0-mcp-config.json'))).toBe(true);
  });

  test('a parent that is not there is nothing to sweep', () => {
    expect(() => sweepStaleDirectories(join(parent, 'nowhere'))).not.toThrow();
  });

  test('a directory of ours carries the process id', () => {
    expect(basename(ownDirectoryPrefix())).toContain(`claudewire-${process.pid}-`);
  });
});
