import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { extractFromBunfs } from '../src/extract.js';

const posix = test.skipIf(process.platform === 'win32');

let base: string;
let embedded: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'claudewire-test-extract-'));
  const temp = join(base, 'temp');
  mkdirSync(temp);
  vi.stubEnv('TMPDIR', temp);
  vi.stubEnv('TEMP', temp);
  // As a compiled program shows it, below a folder of the test.
  embedded = join(base, '$bunfs', 'root', 'claude');
  mkdirSync(dirname(embedded), { recursive: true });
  writeFileSync(embedded, '#!/bin/sh\necho hi\n', { mode: 0o600 });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(base, { recursive: true, force: true });
});

describe('extractFromBunfs', () => {
  for (const path of ['/usr/bin/claude', 'relative/claude', '', 'C:\\claude.exe']) {
    test(`${JSON.stringify(path)} comes back as it is`, () => {
      expect(extractFromBunfs(path)).toBe(path);
    });
  }

  posix('an embedded file is copied out, executable, closed to others, under its name (skipped on Windows)', () => {
    const path = extractFromBunfs(embedded);
    expect(path).not.toBe(embedded);
    expect(basename(path)).toBe('claude');
    expect(readFileSync(path, 'utf8')).toBe('#!/bin/sh\necho hi\n');
    for (const each of [path, dirname(path), dirname(dirname(path))]) {
      expect(statSync(each).mode & 0o777, each).toBe(0o700);
    }
    expect(readdirSync(dirname(path))).toEqual(['claude']);
  });

  test('the same content gives the same path and is written once; other content another', () => {
    const path = extractFromBunfs(embedded);
    const { mtimeNs, ino } = statSync(path, { bigint: true });
    expect(extractFromBunfs(embedded)).toBe(path);
    expect(statSync(path, { bigint: true })).toMatchObject({ mtimeNs, ino });
    writeFileSync(embedded, 'other');
    expect(extractFromBunfs(embedded)).not.toBe(path);
  });

  test('a copy that was cut short is written again', () => {
    const path = extractFromBunfs(embedded);
    writeFileSync(path, '#!');
    expect(extractFromBunfs(embedded)).toBe(path);
    expect(readFileSync(path, 'utf8')).toBe('#!/bin/sh\necho hi\n');
  });

  posix('a folder that others may write to, and a link in its place, are not used (skipped on Windows)', () => {
    const folder = dirname(dirname(extractFromBunfs(embedded)));
    chmodSync(folder, 0o777);
    const besides = extractFromBunfs(embedded);
    expect(dirname(dirname(besides))).not.toBe(folder);
    rmSync(folder, { recursive: true });
    const trap = join(base, 'trap');
    mkdirSync(trap);
    symlinkSync(trap, folder);
    expect(readFileSync(extractFromBunfs(embedded), 'utf8')).toContain('echo hi');
    expect(readdirSync(trap)).toEqual([]);
  });

  for (const path of ['/$bunfs/root/not-there', 'B:\\~BUN\\root\\claude.exe']) {
    test(`${path}: what cannot be copied comes back as it is, with a warning`, () => {
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      expect(extractFromBunfs(path)).toBe(path);
      expect(warn.mock.calls).toEqual([[expect.stringContaining(path), { code: 'CLAUDE_SDK_EXTRACT_FAILED' }]]);
    });
  }

  test('what is no path is refused by name', () => {
    for (const value of [undefined, null, 5]) {
      expect(() => extractFromBunfs(value as unknown as string)).toThrow(/^extractFromBunfs\(\) takes a path, got /);
    }
  });
});
