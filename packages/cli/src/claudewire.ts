#!/usr/bin/env node
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from 'claudewire';
import { errorText } from '../../../src/util/error-text.js';
import { runProgram } from './program.js';
import { ExitCode } from './program-host.js';
import { safeText } from './safe-text.js';

const abortController = new AbortController();
let stoppedWith: number | undefined;

/** The first stop ends the session and waits for the CLI; a second one does not wait. */
function stop(exitCode: number): void {
  if (stoppedWith !== undefined) process.exit(stoppedWith);
  stoppedWith = exitCode;
  abortController.abort();
}

function inWords(error: unknown): string {
  const { syscall, path, code } = Object(error) as NodeJS.ErrnoException;
  if (syscall !== 'mkdtemp') return errorText(error).split('\n', 1).join();
  return `no folder can be made in ${dirname(path ?? '')} (${code}). Set TMPDIR to a directory that this user can write.`;
}

let onInterrupt: (() => void) | undefined;

process.on('SIGINT', () => {
  const action = onInterrupt;
  onInterrupt = undefined;
  if (action === undefined || stoppedWith !== undefined) stop(ExitCode.interrupted);
  else action();
});
process.on('SIGTERM', () => stop(ExitCode.terminated));
// Waits for nothing. What was started ends with this process.
process.on('SIGQUIT', () => process.exit(ExitCode.quit));
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Nobody reads on (`| head`): there is nothing left to show. A full disk is worth a word.
  if (error.code !== 'EPIPE' && stoppedWith === undefined) {
    process.stderr.write(`error: standard output cannot be written: ${error.code}\n`);
  }
  // Comes once per write that fails, so it must not count as a second stop.
  stoppedWith ??= ExitCode.failed;
  // It may come when everything else is over.
  process.exitCode = stoppedWith;
  abortController.abort();
});
process.stderr.on('error', () => {});

runProgram({
  argv: process.argv.slice(2),
  version: VERSION,
  assets: fileURLToPath(new URL('..', import.meta.url)),
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: () => process.stdin,
  env: process.env,
  abortController,
  stoppedWith: () => stoppedWith,
  onInterrupt: (action) => {
    onInterrupt = action;
    return () => {
      onInterrupt = undefined;
    };
  },
}).then(
  (exitCode) => {
    process.exitCode = stoppedWith ?? exitCode;
  },
  (error: unknown) => {
    process.stderr.write(`error: ${safeText(inWords(error))}\n`);
    process.exitCode = ExitCode.failed;
  },
);
