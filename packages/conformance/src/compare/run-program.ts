import { spawn } from 'node:child_process';
import { endProcessGroup, killGroupAtExit, signalGroup } from '../driver/process-group.js';
import { createDeferred } from '../util/deferred.js';
import type { ProgramRunner } from './program-runner.js';
import type { StandIn } from './stand-in.js';

/** What a program showed. */
export interface ProgramRun {
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes of stdout that were not kept. */
  readonly cut: number;
  /** `exit code 1`, `SIGTERM`, or that it did not end in time. */
  readonly end: string;
  readonly isLate: boolean;
}

export interface RunProgramOptions {
  readonly runner: ProgramRunner;
  readonly standIn: StandIn;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A comparison needs no more; a program may write for ever. */
const MAX_STDOUT = 8 * 1024 * 1024;
const STDERR_TAIL = 64 * 1024;
/** For what a program wrote before it ended, when something that it started holds its stdout. */
const CLOSE_GRACE_MS = 500;

/** Runs a program to its end, or until the time is up. Everything that it started ends with it. */
export async function runProgram({ runner, standIn, args, timeoutMs, signal }: RunProgramOptions): Promise<ProgramRun> {
  signal.throwIfAborted();
  const child = spawn(runner.command, [...runner.args(standIn.nodeModule), ...args], {
    env: standIn.env,
    // A program that asks its user gets the end of input.
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what it started can be ended with it.
    detached: process.platform !== 'win32',
  });
  const forget = killGroupAtExit(child);
  const out = new KeptHead(MAX_STDOUT);
  let stderr = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => out.add(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-STDERR_TAIL);
  });
  const exited = createDeferred<string>();
  const closed = createDeferred<void>();
  let isLate = false;
  child.on('error', (error) => exited.resolve(`could not be started: ${error.message}`));
  child.on('exit', (code, by) => exited.resolve(by ?? `exit code ${code}`));
  child.on('close', () => closed.resolve());
  const kill = (): void => signalGroup(child, 'SIGKILL');
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, timeoutMs);
  signal.addEventListener('abort', kill, { once: true });
  try {
    const end = await exited.promise;
    await Promise.race([closed.promise, after(CLOSE_GRACE_MS)]);
    return {
      stdout: out.text(),
      stderr: stderr.toString('utf8'),
      cut: out.cut,
      end: isLate ? `did not end within ${timeoutMs / 1000} s` : end,
      isLate,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    await endProcessGroup(
      child,
      exited.promise.then(() => {}),
    );
    standIn.kill();
    forget();
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}

/** The first bytes of a stream. */
class KeptHead {
  cut = 0;
  readonly #limit: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    const kept = chunk.subarray(0, this.#limit - this.#bytes);
    if (kept.length > 0) this.#chunks.push(kept);
    this.#bytes += kept.length;
    this.cut += chunk.length - kept.length;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
