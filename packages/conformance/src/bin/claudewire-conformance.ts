#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findData } from '../data/find-data.js';
import { ExitCode, runProgram } from './program.js';

const abortController = new AbortController();
let stoppedWith: number | undefined;

/** The first stop kills what runs and cleans up; a second one does not wait for that. */
function stop(exitCode: number): void {
  if (stoppedWith !== undefined) process.exit(stoppedWith);
  stoppedWith = exitCode;
  abortController.abort();
}

process.on('SIGINT', () => stop(ExitCode.interrupted));
process.on('SIGTERM', () => stop(ExitCode.terminated));
process.on('SIGHUP', () => stop(ExitCode.hungUp));
process.stdout.on('error', () => {
  // The reader is gone (`| head`). Comes once per write, so it must not count as a second stop.
  stoppedWith ??= ExitCode.failed;
  abortController.abort();
});

const { version } = JSON.parse(readFileSync(join(findData(), 'package.json'), 'utf8'));
runProgram({
  argv: process.argv.slice(2),
  version,
  stdout: process.stdout,
  stderr: process.stderr,
  abortController,
}).then(
  (exitCode) => {
    process.exitCode = stoppedWith ?? exitCode;
  },
  (error: unknown) => {
    if (stoppedWith !== undefined) {
      process.exitCode = stoppedWith;
      return;
    }
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(`error: ${text.split('\n', 1).join()}\n`);
    process.exitCode = ExitCode.failed;
  },
);
