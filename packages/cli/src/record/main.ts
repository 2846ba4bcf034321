#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { claimNumber } from '../../../../src/testing/player/player-folder.js';
import { makeFolder } from '../../../../src/testing/recorder/check-writable.js';
import { commandOf, type LauncherConfig } from '../../../../src/testing/recorder/recorder-config.js';
import { errorText } from '../../../../src/util/error-text.js';
import { record } from './recorder.js';

export { record };

/** The recording cannot be written: the CLI is not started. As `EX_CANTCREAT` of `sysexits.h`. */
const NOT_WRITABLE = 73;

/** Stands where the CLI stands: runs the real one behind it, and records what passes. */
export function runRecorder(config: LauncherConfig): void {
  const args = process.argv.slice(2);
  if (args.includes('-v') || args.includes('--version')) {
    answerVersion(config.cli, args);
    return;
  }
  try {
    makeFolder(dirname(config.out));
    makeFolder(config.spawns);
    record(config, { args, proc: claimNumber(config.spawns, String(process.pid)), onDone: endAs });
  } catch (error) {
    process.stderr.write(`claudewire record: ${config.out} cannot be written: ${errorText(error)}\n`);
    process.exitCode = NOT_WRITABLE;
  }
}

/** Ends this process as the CLI ended. */
export function endAs({ code, signal }: { code: number; signal: NodeJS.Signals | null }): void {
  if (signal === null) process.exit(code);
  process.kill(process.pid, signal);
  // A signal that this platform cannot send to itself still ends it.
  setTimeout(() => process.exit(1), 1000);
}

function answerVersion(cli: string, args: readonly string[]): void {
  const [command, ...before] = commandOf(cli);
  spawn(command, [...before, ...args], { stdio: 'inherit' })
    .on('error', ({ message }) => {
      process.stderr.write(`claudewire record: ${message}\n`);
      process.exitCode = 127;
    })
    .on('exit', (code) => {
      process.exitCode = code ?? 1;
    });
}
