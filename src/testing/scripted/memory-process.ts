import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { SpawnedProcess } from '../../index.js';
import type { LineReceiver, LineSource, OutputSink } from '../player/play-io.js';

const NEWLINE = 0x0a;

/** The far side of a {@link MemoryProcess}: what a program would have as its own stdin, stdout and end. */
export interface ProcessInside {
  readonly stdin: LineSource;
  readonly stdout: OutputSink;
  readonly stderr: OutputSink;
  exit(exitCode: number | null, signal: NodeJS.Signals | null): void;
}

/** A process that is none: pipes, signals and an exit, all in memory. */
export class MemoryProcess extends EventEmitter implements SpawnedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  killed = false;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly inside: ProcessInside;
  readonly #onSignal: (signal: NodeJS.Signals) => void;

  /** @param onSignal - Takes every signal; the process goes on unless it ends itself. */
  constructor(onSignal: (signal: NodeJS.Signals) => void) {
    super();
    this.#onSignal = onSignal;
    const input = new MemoryInput();
    const [output, errors] = [new MemoryOutput(), new MemoryOutput()];
    this.stdin = input.writable;
    this.stdout = output.readable;
    this.stderr = errors.readable;
    this.inside = {
      stdin: input,
      stdout: output,
      stderr: errors,
      exit: (exitCode, signal) => {
        if (this.#hasEnded) return;
        [this.exitCode, this.signalCode] = [exitCode, signal];
        input.close();
        void output.close();
        void errors.close();
        // Never before the caller of `kill` has its answer; not a timer, which may be mocked.
        process.nextTick(() => this.emit('exit', exitCode, signal));
      },
    };
  }

  get #hasEnded(): boolean {
    return this.exitCode !== null || this.signalCode !== null;
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    if (this.#hasEnded) return false;
    this.killed = true;
    this.#onSignal(signal);
    return true;
  }
}

class MemoryInput implements LineSource {
  readonly writable: Writable;
  #receiver: LineReceiver | undefined;
  #isPaused = false;
  #isClosed = false;
  #hasEnded = false;
  #pieces: Buffer[] = [];
  #onReading: (() => void) | undefined;

  constructor() {
    this.writable = new Writable({
      write: (chunk: Buffer, _encoding, done) => this.#take(chunk, done),
      final: (done) => {
        done();
        this.#whenReading(() => this.#end());
      },
    });
    // Whoever writes hears of it through the callback; unheard, it must not end the program.
    this.writable.on('error', () => {});
  }

  read(receiver: LineReceiver): void {
    this.#receiver = receiver;
    this.#goOn();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#goOn();
  }

  close(): void {
    this.#isClosed = true;
    this.#goOn();
  }

  #take(chunk: Buffer, done: (error?: Error) => void): void {
    this.#whenReading(() => {
      if (this.#isClosed) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' }));
        return;
      }
      this.#split(chunk);
      done();
    });
  }

  #split(chunk: Buffer): void {
    let start = 0;
    for (
      let end = chunk.indexOf(NEWLINE);
      end !== -1;
      start = end + 1, end = chunk.indexOf(NEWLINE, start)
    ) {
      const line = Buffer.concat([...this.#pieces, chunk.subarray(start, end)]).toString();
      this.#pieces = [];
      this.#receiver?.onLine(line);
    }
    if (start < chunk.length) this.#pieces.push(Buffer.from(chunk.subarray(start)));
  }

  #end(): void {
    if (this.#hasEnded || this.#isClosed) return;
    this.#hasEnded = true;
    this.#receiver?.onEof(Buffer.concat(this.#pieces).toString());
  }

  /** A stream writes one chunk at a time, so one action waits at most. Always later: a write must not run the reader. */
  #whenReading(action: () => void): void {
    this.#onReading = action;
    process.nextTick(() => this.#goOn());
  }

  #goOn(): void {
    const isReading = this.#receiver !== undefined && !this.#isPaused;
    if (!isReading && !this.#isClosed) return;
    const action = this.#onReading;
    this.#onReading = undefined;
    action?.();
  }
}

class MemoryOutput implements OutputSink {
  readonly readable: Readable;
  #isClosed = false;
  #onWanted: (() => void) | undefined;

  constructor() {
    this.readable = new Readable({
      read: () => this.#wanted(),
      destroy: (_error, done) => {
        this.#isClosed = true;
        this.#wanted();
        done(null);
      },
    });
  }

  write(bytes: Uint8Array | string): Promise<void> | undefined {
    if (this.#isClosed || this.readable.push(bytes)) return undefined;
    return new Promise((resolve) => {
      this.#onWanted = resolve;
    });
  }

  /** What was pushed is the reader's already. */
  async flush(): Promise<void> {}

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.readable.push(null);
    this.#wanted();
  }

  #wanted(): void {
    this.#onWanted?.();
    this.#onWanted = undefined;
  }
}
