import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { DiagnosticListener } from '../diagnostics.js';
import { CLIConnectionError } from '../errors.js';
import { errorText } from '../util/error-text.js';
import { onHostExit } from '../util/host-exit.js';
import { inMicrotask } from '../util/next-turn.js';
import type { ChunkReader, ChunkSink } from './chunk-reader.js';
import { FrameWriter, NOT_READY } from './frame-writer.js';
import { NdjsonReader } from './ndjson.js';
import { HANDED_OVER_QUIET_MS, ProcessEnd } from './process-end.js';
import { BROKEN_STREAM_LADDER, DEFAULT_EXIT_LADDER, Termination, UNREADABLE_LADDER } from './termination.js';
import type { ExitLadder, FrameReceiver, FrameTransport, TransportEnd } from './transport.js';

/** Between SIGTERM and SIGKILL for a process that outlives its own output. */
const TERM_TO_KILL_MS = 5_000;

/** How a process is treated once it runs. */
export interface ProcessRules {
  /** Bytes of one line of stdout. `Infinity`: as much as a string can hold. */
  readonly maxBufferBytes: number;
  /** Milliseconds between the end of stdout and SIGTERM for a process that lives on. `Infinity`: no limit. */
  readonly exitGraceMs: number;
  /** Per chunk of stderr, decoded. A throw is contained and reported. */
  readonly stderr?: ((text: string) => void) | undefined;
  /** Once, when the process is gone or was never there. A throw is contained and reported. */
  readonly onExitCleanup?: (() => void) | undefined;
}

interface ProcessTransportOptions extends ProcessRules {
  /** Starts the process, in `open`. An error that it returns goes to `onEnd`, one that it throws leaves `open`. */
  readonly start: () => RunningProcess | Error | Promise<Error>;
}

/**
 * What {@link ProcessTransport} needs of a running process. Our own spawn and `spawnClaudeCodeProcess` implement it.
 */
export interface RunningProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stderr: Readable | undefined;
  /** SIGKILL reaches its whole process group, which no terminal ends. */
  readonly leadsGroup?: boolean;
  /** Called once, at the start. */
  readStdout(sink: ChunkSink): ChunkReader;
  /** False when the process is gone. Never throws. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): boolean;
  /** Called once, at the start. Exactly one of the listeners is called, once, never before this has returned. */
  onGone(listeners: ProcessEndListeners): void;
}

export interface ProcessEndListeners {
  readonly onExit: (exitCode: number | null, signal: NodeJS.Signals | null) => void;
  /** It never ran, or its exit will not be reported. */
  readonly onFailure: (error: Error) => void;
}

/** Carries frames over the stdio of one process, and ends the process. */
export class ProcessTransport implements FrameTransport {
  readonly #options: ProcessTransportOptions;
  readonly #termination: Termination;
  readonly #end = new ProcessEnd(() => this.#finish());
  #receiver: FrameReceiver | undefined;
  #process: RunningProcess | undefined;
  #writer: FrameWriter | undefined;
  #reader: ChunkReader | undefined;
  #ndjson: NdjsonReader | undefined;
  #stderr: StderrTail | undefined;
  #state: 'new' | 'starting' | 'running' | 'ended' = 'new';
  #isInputEnded = false;
  #isDiscarding = false;
  #isPaused = false;
  #error: Error | undefined;
  #forgetHostExit = (): void => {};

  constructor(options: ProcessTransportOptions) {
    this.#options = options;
    this.#termination = new Termination({
      kill: (signal) => this.#process?.kill(signal) ?? false,
      onDiagnostic: (diagnostic) => this.#receiver?.onDiagnostic(diagnostic),
      onUnkillable: () => this.#onUnkillable(),
    });
  }

  /** `undefined` before `open` and when nothing was started. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get isWritable(): boolean {
    if (this.#isInputEnded) return false;
    return this.#state === 'running' ? this.#writer?.isWritable === true : this.#state === 'starting';
  }

  open(receiver: FrameReceiver): void {
    if (this.#receiver !== undefined) throw new CLIConnectionError('The transport was opened before');
    if (this.#state === 'ended') {
      this.#receiver = receiver;
      inMicrotask(() => receiver.onEnd({}));
      return;
    }
    this.#receiver = receiver;
    const started = this.#start();
    this.#state = 'starting';
    if (started instanceof Error || started instanceof Promise) {
      void Promise.resolve(started).then((error) => this.#fail(error));
      return;
    }
    this.#attach(started, receiver);
    this.#state = 'running';
  }

  send(frame: object): boolean {
    if (this.#writer !== undefined) return this.#writer.send(frame);
    if (!this.isWritable) throw new CLIConnectionError(NOT_READY);
    // The start failed, and `onEnd` is about to report it.
    return true;
  }

  flush(): void {
    this.#writer?.flush();
  }

  drained(): Promise<void> {
    return this.#writer?.drained() ?? Promise.resolve();
  }

  endInput(): void {
    this.#isInputEnded = true;
    this.#writer?.end();
  }

  pause(): void {
    if (this.#isDiscarding || this.#isPaused || this.#state === 'ended') return;
    this.#isPaused = true;
    this.#reader?.pause();
    this.#end.pause();
  }

  resume(): void {
    if (!this.#isPaused || this.#state === 'ended') return;
    this.#isPaused = false;
    this.#reader?.resume();
    this.#end.resume();
  }

  skipLines(start: string): void {
    this.#ndjson?.skipLines(start);
  }

  discard(): void {
    this.#isDiscarding = true;
    this.#ndjson?.stop();
    this.resume();
  }

  close(ladder: ExitLadder = DEFAULT_EXIT_LADDER): Promise<void> {
    if (this.#state === 'new') {
      this.#state = 'ended';
      this.#cleanUp();
    }
    if (this.#state === 'ended') return Promise.resolve();
    this.endInput();
    // A peer that blocks on a full pipe could not exit.
    this.resume();
    this.#end.hurry();
    return this.#termination.start(ladder);
  }

  #start(): RunningProcess | Error | Promise<Error> {
    try {
      return this.#options.start();
    } catch (error) {
      this.#state = 'ended';
      this.#cleanUp();
      throw error;
    }
  }

  #attach(process: RunningProcess, receiver: FrameReceiver): void {
    this.#process = process;
    this.#writer = new FrameWriter(process.stdin);
    const ndjson = new NdjsonReader(
      {
        onFrame: receiver.onFrame.bind(receiver),
        onDiagnostic: (diagnostic) => receiver.onDiagnostic(diagnostic),
        onError: (error) => this.#onBrokenStream(error),
      },
      this.#options.maxBufferBytes,
    );
    this.#ndjson = ndjson;
    this.#reader = process.readStdout({
      onChunk: (chunk) => {
        if (this.#end.status !== undefined) this.#end.heard();
        ndjson.push(chunk);
      },
      onEnd: (error) => this.#onStdoutEnd(error),
    });
    if (process.stderr !== undefined) {
      this.#end.waitForStderr();
      this.#stderr = new StderrTail(process.stderr, {
        onText: this.#options.stderr,
        onDiagnostic: (diagnostic) => receiver.onDiagnostic(diagnostic),
        onEnd: () => this.#end.pipeEnded('stderr'),
      });
    }
    const killGroup = process.leadsGroup === true ? () => process.kill('SIGKILL') : undefined;
    this.#forgetHostExit = onHostExit(() => process.kill('SIGTERM'), killGroup);
    process.onGone({
      onExit: (exitCode, signal) => this.#onExit(exitCode, signal),
      onFailure: (error) => this.#fail(error),
    });
  }

  #onStdoutEnd(cause: Error | undefined): void {
    if (this.#isEnded()) return;
    if (cause !== undefined) {
      const message = `Failed to read from process stdout: ${errorText(cause)}`;
      this.#error ??= new CLIConnectionError(message, { cause });
    }
    this.#ndjson?.end();
    this.#end.pipeEnded('stdout');
    if (this.#isEnded() || this.#end.status !== undefined) return;
    // No more answers will come. A healthy CLI exits now or has done so.
    this.endInput();
    if (cause !== undefined) {
      void this.#termination.start(UNREADABLE_LADDER);
      return;
    }
    const grace = this.#options.exitGraceMs;
    if (!Number.isFinite(grace)) return;
    void this.#termination.start({ sigtermMs: grace, sigkillMs: grace + TERM_TO_KILL_MS });
  }

  #onBrokenStream(error: Error): void {
    this.#error ??= error;
    this.discard();
    void this.close(BROKEN_STREAM_LADDER);
  }

  #onExit(exitCode: number | null, signal: NodeJS.Signals | null): void {
    this.#isInputEnded = true;
    const how = signal === null ? `exit code: ${exitCode}` : `signal: ${signal}`;
    this.#writer?.close(`Cannot write to terminated process (${how})`);
    this.#termination.processGone();
    // A launcher may leave its pipes to the CLI, and a filter may still hold what the CLI wrote.
    const mayGoOn = exitCode === 0 && this.#receiver?.isWaiting?.() === true;
    this.#end.exited({ exitCode, signal }, mayGoOn ? HANDED_OVER_QUIET_MS : undefined);
  }

  #onUnkillable(): void {
    this.#fail(new CLIConnectionError('Claude Code did not exit after SIGKILL', { errorClass: 'process_error' }));
  }

  #fail(error: Error): void {
    this.#error ??= error;
    this.#finish();
  }

  #isEnded(): boolean {
    return this.#state === 'ended';
  }

  #finish(): void {
    if (this.#isEnded()) return;
    if (this.#end.isStdoutOpen) this.#ndjson?.end();
    this.#state = 'ended';
    this.#isInputEnded = true;
    this.#end.stop();
    this.#termination.processGone();
    this.#forgetHostExit();
    this.#ndjson?.stop();
    this.#reader?.destroy();
    this.#process?.stderr?.destroy();
    if (this.#end.status === undefined) this.#writer?.close(NOT_READY);
    this.#process?.stdin.destroy();
    this.#cleanUp();
    this.#receiver?.onEnd(this.#toEnd());
  }

  #cleanUp(): void {
    try {
      this.#options.onExitCleanup?.();
    } catch (error) {
      this.#receiver?.onDiagnostic({
        code: 'cleanup_failed',
        message: 'Could not clean up the temporary files of the process',
        details: { error: errorText(error) },
      });
    }
  }

  #toEnd(): TransportEnd {
    const { status } = this.#end;
    const stderrTail = this.#stderr?.text ?? '';
    return {
      ...(status === undefined ? {} : { exit: { ...status, stderrTail } }),
      ...(this.#error === undefined ? {} : { error: this.#error }),
    };
  }
}

/** How much of stderr an error shows, as in the official SDK. UTF-16 units. */
const STDERR_TAIL_UNITS = 2048;

interface StderrListeners {
  /** Per chunk, not per line. A character that is split between two chunks comes with the second. */
  readonly onText: ((text: string) => void) | undefined;
  readonly onDiagnostic: DiagnosticListener;
  /** Once: stderr ended, was destroyed or failed. */
  readonly onEnd: () => void;
}

/** Drains a child's stderr, passes it on, and keeps the end of it. */
export class StderrTail {
  readonly #listeners: StderrListeners;
  #decoder: StringDecoder | undefined;
  #tail = '';
  #hasEnded = false;

  constructor(stream: Readable, listeners: StderrListeners) {
    this.#listeners = listeners;
    stream.on('data', (chunk: Buffer | string) => this.#onChunk(chunk));
    stream.on('end', () => {
      this.#onText(this.#decoder?.end() ?? '');
      this.#onEnd();
    });
    stream.on('close', () => this.#onEnd());
    stream.on('error', () => this.#onEnd());
  }

  /** The last {@link STDERR_TAIL_UNITS} so far, trimmed. */
  get text(): string {
    return this.#tail.trim();
  }

  /** Most children write nothing, so there is a decoder from the first chunk on only. */
  #onChunk(chunk: Buffer | string): void {
    this.#decoder ??= new StringDecoder('utf8');
    this.#onText(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk));
  }

  #onText(text: string): void {
    if (text === '') return;
    this.#tail = (this.#tail + text).slice(-STDERR_TAIL_UNITS);
    try {
      const returned: unknown = this.#listeners.onText?.(text);
      // An `async` callback fits the type, and its rejection would end the host.
      if (typeof returned === 'object' && returned !== null) {
        Promise.resolve(returned).catch((error: unknown) => this.#onThrew(error));
      }
    } catch (error) {
      this.#onThrew(error);
    }
  }

  #onThrew(error: unknown): void {
    this.#listeners.onDiagnostic({
      code: 'listener_threw',
      message: 'The `stderr` callback threw; its error was contained',
      details: { error: errorText(error) },
    });
  }

  #onEnd(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#listeners.onEnd();
  }
}
