import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { environmentVariable, toCommandHost } from '../../src/transport/command-host.js';

const folder = mkdtempSync(join(tmpdir(), 'claudewire-command-host-'));
const at = (name: string): string => join(folder, name);
const { files } = toCommandHost({ env: {} });

beforeAll(() => {
  writeFileSync(at('tool'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(at('text'), 'words', { mode: 0o644 });
  writeFileSync(at('empty'), '');
  symlinkSync(at('tool'), at('link'));
  symlinkSync(at('nowhere'), at('dangling'));
  if (process.platform !== 'win32') execFileSync('mkfifo', [at('pipe')]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('questions to the file system', () => {
  const cases = [
    { name: 'tool', exists: true, isFile: true, isExecutable: true, text: '#!/bin/sh\n' },
    { name: 'link', exists: true, isFile: true, isExecutable: true, text: '#!/bin/sh\n' },
    { name: 'text', exists: true, isFile: true, isExecutable: false, text: 'words' },
    { name: 'empty', exists: true, isFile: true, isExecutable: false, text: undefined },
    { name: '.', exists: true, isFile: false, isExecutable: false, text: undefined },
    { name: 'dangling', exists: false, isFile: false, isExecutable: false, text: undefined },
    { name: 'text/below', exists: false, isFile: false, isExecutable: false, text: undefined },
    { name: 'nul\0', exists: false, isFile: false, isExecutable: false, text: undefined },
  ];
  for (const { name, text, ...expected } of cases) {
    test.skipIf(process.platform === 'win32')(`about ${JSON.stringify(name)}`, () => {
      const path = name === '.' ? folder : `${folder}/${name}`;
      const { exists, isFile, isExecutable } = files;
      expect({ exists: exists(path), isFile: isFile(path), isExecutable: isExecutable(path) }).toEqual(expected);
      expect(files.readText(path)).toBe(text);
      expect(files.readHeader(path, 3).toString()).toBe((text ?? '').slice(0, 3));
    });
  }

  test.skipIf(process.platform === 'win32')('a pipe that nobody writes to does not hold the host', () => {
    expect(files.readText(at('pipe'))).toBeUndefined();
  });

  test('the real path, or the path itself', () => {
    expect(files.realPath(at('link'))).toBe(realpathSync(at('tool')));
    expect(files.realPath(at('dangling'))).toBe(at('dangling'));
  });
});

describe('the machine', () => {
  test('is this one, unless told otherwise', () => {
    const host = toCommandHost({ env: {} });
    expect(host).toMatchObject({ platform: process.platform, arch: process.arch, execPath: process.execPath });
    expect(host.isElectron).toBe(false);
    expect(host.cwd).toBe(process.cwd());
    expect(host.packageRoots[0]).toBe(process.cwd());
    expect(host.packageRoots).toHaveLength(2);
    expect(toCommandHost({ env: {}, cwd: '/somewhere' }).cwd).toBe('/somewhere');
  });

  test('names of variables have no case on Windows, and only there', () => {
    const env = { Path: 'C:\\bin' };
    const on = (platform: NodeJS.Platform) => toCommandHost({ env, platform });
    expect(environmentVariable(on('win32'), 'PATH')).toBe('C:\\bin');
    expect(environmentVariable(on('win32'), 'HOME')).toBeUndefined();
    expect(environmentVariable(on('linux'), 'PATH')).toBeUndefined();
    expect(environmentVariable(on('linux'), 'Path')).toBe('C:\\bin');
  });
});
