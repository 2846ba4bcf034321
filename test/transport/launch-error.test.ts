import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLIConnectionError, CLINotFoundError } from '../../src/errors.js';
import { createFailedTransport, createSubprocessTransport } from '../../src/transport/subprocess.js';
import { createReceiver, fixtureSpec } from './support.js';

let directory: string;
const at = (name: string): string => join(directory, name);

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
  mkdirSync(at('folder'));
  writeFileSync(at('not-executable'), '#!/bin/sh\n', { mode: 0o644 });
  writeFileSync(at('no-interpreter'), '#!/does/not/exist -x\n');
  chmodSync(at('no-interpreter'), 0o755);
  mkdirSync(at('$bunfs'));
  copyFileSync(at('no-interpreter'), at('$bunfs/claude'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface LaunchCase {
  readonly name: string;
  readonly spec: () => { readonly file?: string; readonly cwd?: string; readonly args?: string[] };
  readonly errorClass: string;
  readonly code: string;
  readonly message: () => string;
}

const cases: readonly LaunchCase[] = [
  {
    name: 'a path that does not exist (PY-007, TS-162)',
    spec: () => ({ file: at('missing') }),
    errorClass: 'executable_not_found',
    code: 'ENOENT',
    message: () => `Claude Code native binary not found at ${at('missing')}`,
  },
  {
    name: 'a directory (PY-008)',
    spec: () => ({ file: at('folder') }),
    errorClass: 'executable_launch_failed',
    code: 'EACCES',
    message: () => `Failed to start Claude Code: ${at('folder')} is a directory`,
  },
  {
    name: 'a file without the executable bit (PY-008)',
    spec: () => ({ file: at('not-executable') }),
    errorClass: 'executable_launch_failed',
    code: 'EACCES',
    message: () => `Failed to start Claude Code: ${at('not-executable')} is not executable`,
  },
  {
    name: 'an interpreter that does not exist',
    spec: () => ({ file: at('no-interpreter') }),
    errorClass: 'executable_launch_failed',
    code: 'ENOENT',
    message: () =>
      `Failed to start Claude Code: ${at('no-interpreter')} asks for the interpreter /does/not/exist, which does not exist`,
  },
  {
    name: 'a file inside a program that Bun compiled',
    spec: () => ({ file: at('$bunfs/claude') }),
    errorClass: 'executable_launch_failed',
    code: 'ENOENT',
    message: () =>
      `Failed to start Claude Code: \`${at('$bunfs/claude')}\` is inside this program; \`extractFromBunfs()\` copies it out`,
  },
  {
    name: 'a bare name that is not on the PATH',
    spec: () => ({ file: 'no-such-program' }),
    errorClass: 'executable_launch_failed',
    code: 'ENOENT',
    message: () => "Failed to start Claude Code: `no-such-program` is not on the PATH of the child's environment",
  },
  {
    name: 'a missing working directory, whatever the file (PY-009)',
    spec: () => ({ file: at('missing'), cwd: at('nowhere') }),
    errorClass: 'executable_launch_failed',
    code: 'ENOENT',
    message: () => `Working directory does not exist: ${at('nowhere')}`,
  },
  {
    name: 'a working directory that is a file (PY-010)',
    spec: () => ({ cwd: at('not-executable') }),
    errorClass: 'executable_launch_failed',
    code: 'ENOTDIR',
    message: () => `Failed to start Claude Code: the working directory is not a directory: ${at('not-executable')}`,
  },
  {
    name: 'arguments that are too long',
    spec: () => ({ args: ['x'.repeat(4 * 1024 * 1024)] }),
    errorClass: 'executable_launch_failed',
    code: 'E2BIG',
    message: () => 'Failed to start Claude Code: its arguments and environment are longer than the system allows',
  },
  {
    name: 'an argument with a NUL character',
    spec: () => ({ args: ['a\0b'] }),
    errorClass: 'executable_launch_failed',
    code: 'ERR_INVALID_ARG_VALUE',
    message: () =>
      "Failed to start Claude Code: The argument 'args[0]' must be a string without null bytes. Received 'a\\x00b'",
  },
];

describe('a start that fails', () => {
  for (const { name, spec, errorClass, code, message } of cases) {
    test(name, async () => {
      let cleanups = 0;
      const transport = createSubprocessTransport({
        ...fixtureSpec('exits-on-eof'),
        ...spec(),
        onExitCleanup: () => {
          cleanups += 1;
        },
      });
      const receiver = createReceiver();
      transport.open(receiver);
      const { error, exit } = await receiver.end;
      expect(error).toBeInstanceOf(CLIConnectionError);
      expect(error).toMatchObject({ errorClass, message: message() });
      expect((error as CLIConnectionError).code).toBe(code);
      expect(error instanceof CLINotFoundError).toBe(errorClass === 'executable_not_found');
      expect(error?.cause).toBeInstanceOf(Error);
      expect(exit).toBeUndefined();
      expect(transport.pid).toBeUndefined();
      expect(cleanups).toBe(1);
      expect(receiver.log).toEqual(['end']);
    });
  }

  test('an error found before the start takes the same road', async () => {
    let cleanups = 0;
    const failure = new CLINotFoundError('nowhere');
    const transport = createFailedTransport(failure, () => {
      cleanups += 1;
    });
    const receiver = createReceiver();
    transport.open(receiver);
    expect(transport.isWritable).toBe(true);
    expect(transport.send({})).toBe(true);
    expect(await receiver.end).toEqual({ error: failure });
    expect(() => transport.send({})).toThrow(CLIConnectionError);
    expect(cleanups).toBe(1);
  });
});

// Windows has no FIFO in the file system.
test.skipIf(process.platform === 'win32')('a pipe does not hold the host (skipped on Windows)', async () => {
  execFileSync('mkfifo', ['-m', '755', at('pipe')]);
  const transport = createSubprocessTransport({ ...fixtureSpec('exits-on-eof'), file: at('pipe') });
  const receiver = createReceiver();
  transport.open(receiver);
  expect((await receiver.end).error).toBeInstanceOf(CLIConnectionError);
});
