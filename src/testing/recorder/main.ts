#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { errorText } from '../../util/error-text.js';
import { claimNumber } from '../player/player-folder.js';
import { commandOf, type RecorderConfig, record } from './recorder.js';
import { makeFolder } from './recording-file.js';

/** The recording cannot be written: the CLI is not started. As `EX_CANTCREAT` of `sysexits.h`. */
const NOT_WRITABLE = 73;

/** What a launcher hands over. */
export interface LauncherConfig extends RecorderConfig {
  /** Folder of the files that number the processes. */
  readonly spawns: string;
}

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
