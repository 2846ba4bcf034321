import { spawn as spawnChild } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, realpathSync, writeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { KillSignal, Scenario, Verdict } from 'claudewire/testing';
import { playOn } from '../../../../src/testing/player/play.js';
import type { LineReceiver, OutputSink, PlayIo } from '../../../../src/testing/player/play-io.js';
import type { PlayLogEvent, ProcessPlayOptions } from '../../../../src/testing/player/player-config.js';
import { fileAppears, PlayerFolder } from '../../../../src/testing/player/player-folder.js';
import { LineSplitter } from '../../../../src/util/lines.js';
import { writeWhole } from '../../../../src/util/write-whole.js';

const LONG_MS = 2 ** 30;

/** Plays the scenario on this process's own stdin and stdout, and ends the process. */
export function playOnProcess(scenario: Scenario, options: ProcessPlayOptions = {}): void {
  const folder = options.dir === undefined ? undefined : new PlayerFolder(options.dir);
  const spawn = options.spawn ?? folder?.claimSpawn(process.pid) ?? 1;
  const log = openLog(options.log, spawn);
  const io = processIo(options, folder, log);
  const { argv, env, cwd } = io;
  log({ event: 'start', argv, execArgv: process.execArgv, env, cwd });
  // A play that waits for ever must not end because nothing else keeps Node alive.
  setInterval(() => {}, LONG_MS);
  playOn(io, scenario, { spawn, timeoutFactor: options.timeoutFactor });
}

function processIo(options: ProcessPlayOptions, folder: PlayerFolder | undefined, log: PlayIo['log']): PlayIo {
  return {
    argv: options.argv ?? process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    expectedCwd: options.cwd === undefined ? undefined : realpathSync(options.cwd),
    stdin: {
      read: (receiver) => readLines(process.stdin, receiver),
      pause: () => void process.stdin.pause(),
      resume: () => void process.stdin.resume(),
      close: closeStdin,
    },
    stdout: new ProcessOutput(process.stdout, 1),
    stderr: new ProcessOutput(process.stderr, 2),
    clock: { setTimeout, clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout) },
    onSignal: (listener) => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
        // What was written before the signal is read first, also by a process that had no turn for a while.
        process.on(signal, () => setImmediate(() => setImmediate(listener, signal)));
      }
    },
    log,
    mark: (name) => folder?.mark(name),
    gate: (name, abandoned) =>
      folder === undefined ? Promise.resolve() : fileAppears(folder.gateFile(name), abandoned),
    grandchild,
    waits: options.onWait,
    report: (verdict) => report(verdict, options.verdict, folder),
    exit,
  };
}

/** Starts a process that holds this one's stdout, and ends by itself. */
function grandchild(ms: number): void {
  spawnChild(process.execPath, ['-e', `setTimeout(() => {}, ${ms})`], {
    stdio: ['ignore', 'inherit', 'ignore'],
    // Whoever ends the group of this process must not end it too.
    detached: true,
  }).unref();
}

function report(verdict: Verdict, file: string | undefined, folder: PlayerFolder | undefined): void {
  try {
    folder?.writeVerdict(verdict);
  } catch {
    // The caller has removed the folder and does not want a verdict.
  }
  // The file holds the verdict of a play that is over.
  if (file !== undefined && verdict.end !== 'running') writeWhole(file, `${JSON.stringify(verdict)}\n`);
}

function exit(end: number | KillSignal): void {
  if (typeof end === 'number') process.exit(end);
  process.removeAllListeners(end);
  process.kill(process.pid, end);
}

function closeStdin(): void {
  process.stdin.destroy();
  // libuv never closes the standard descriptors itself.
  closeSync(0);
}

/** Standard output or error of this process. */
class ProcessOutput implements OutputSink {
  readonly #stream: Writable;
  readonly #fd: number;
  #isClosed = false;

  constructor(stream: Writable, fd: number) {
    this.#stream = stream;
    this.#fd = fd;
    // The reader has gone: what is written from now on is lost, as it is for the CLI.
    stream.on('error', () => {
      this.#isClosed = true;
    });
  }

  write(bytes: Uint8Array | string): Promise<void> | undefined {
    return this.#isClosed || this.#stream.write(bytes) ? undefined : this.#drained();
  }

  flush(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed) resolve();
      else this.#stream.write('', () => resolve());
    });
  }

  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    // Node never closes the descriptor of `process.stdout`, not even on `destroy()`.
    closeSync(this.#fd);
  }

  async #drained(): Promise<void> {
    // 'close' too: a reader that goes away must not leave the play waiting.
    const waiting = new AbortController();
    await Promise.race([
      once(this.#stream, 'drain', { signal: waiting.signal }).catch(() => {}),
      once(this.#stream, 'close', { signal: waiting.signal }).catch(() => {}),
    ]);
    waiting.abort();
  }
}

/** Appends to the log as things happen, so that it is whole even after SIGKILL. Does nothing without a file. */
function openLog(file: string | undefined, spawn: number): (event: PlayLogEvent) => void {
  if (file === undefined) return () => {};
  // It has the environment, so only the owner may read it.
  const fd = openSync(file, 'a', 0o600);
  return (event) => {
    const t = Math.round(performance.now() * 1000) / 1000;
    writeSync(fd, `${JSON.stringify({ t, pid: process.pid, spawn, ...event })}\n`);
  };
}

/** Hands stdin over line by line. */
function readLines(stdin: Readable, receiver: LineReceiver): void {
  const lines = new LineSplitter();
  stdin.on('data', (chunk: Buffer) => {
    for (const line of lines.push(chunk)) receiver.onLine(line);
  });
  let hasEnded = false;
  const end = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    receiver.onEof(lines.takeRest() ?? '');
  };
  stdin.on('end', end);
  // A writer that was killed: for a CLI that is the end of input too.
  stdin.on('error', end);
}
