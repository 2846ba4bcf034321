import { Readable, Writable } from 'node:stream';
import type { ProcessExit } from '../../src/errors.js';
import { readStream } from '../../src/transport/chunk-reader.js';
import { encodeFrame, NdjsonReader } from '../../src/transport/ndjson.js';
import {
  type ProcessEndListeners,
  ProcessTransport,
  type RunningProcess,
} from '../../src/transport/process-transport.js';
import type { FrameTransport } from '../../src/transport/transport.js';
import type { JsonObject } from '../../src/util/json.js';

export interface MemoryPairOptions {
  /** Bounds one line in either direction. @defaultValue `Infinity` */
  readonly maxBufferBytes?: number;
  /** Milliseconds the peer may live on after its output ended. @defaultValue `Infinity` */
  readonly exitGraceMs?: number;
  /** The peer ends with code 0 when its input ends. @defaultValue `true` */
  readonly exitsOnEndOfInput?: boolean;
  /** Signals that do not end the peer. */
  readonly ignoredSignals?: readonly ('SIGTERM' | 'SIGKILL')[];
  /** Instead of starting, the peer fails with this error. */
  readonly startError?: Error;
}

/** The far side of a pair: stands where the CLI stands. */
export interface MemoryPeer {
  /** Frames received so far, parsed from the bytes that were sent. */
  readonly received: readonly JsonObject[];
  /** Signals received so far. */
  readonly signals: readonly string[];
  readonly hasInputEnded: boolean;
  /** Called per frame. Setting it does not repeat what was received before. */
  onFrame: ((frame: JsonObject) => void) | undefined;
  onEndOfInput: (() => void) | undefined;
  /** Sends one frame. */
  emit(frame: object): void;
  /** Sends bytes as they are: half a line, garbage. */
  emitBytes(bytes: string | Uint8Array): void;
  /** Stops reading, so that the near side meets a full pipe. */
  stopReading(): void;
  startReading(): void;
  /** Ends the output only. */
  endOutput(): void;
  /** Ends output and process. @defaultValue exit code 0 */
  exit(exit?: Partial<ProcessExit>): void;
  /** The link breaks: the near side ends with this error and no exit. */
  fail(error: Error): void;
}

/**
 * A transport and its peer in one process, joined by byte streams: the same framing, back-pressure
 * and exit ladder as with a child process, and no child process. For tests and for embedding.
 * Delivery is always asynchronous.
 */
export function createMemoryPair(options: MemoryPairOptions = {}): {
  readonly transport: FrameTransport;
  readonly peer: MemoryPeer;
} {
  const peer = new InMemoryPeer(options);
  const transport = new ProcessTransport({
    start: () => options.startError ?? peer.start(),
    maxBufferBytes: options.maxBufferBytes ?? Number.POSITIVE_INFINITY,
    exitGraceMs: options.exitGraceMs ?? Number.POSITIVE_INFINITY,
  });
  return { transport, peer };
}

class InMemoryPeer implements MemoryPeer {
  readonly received: JsonObject[] = [];
  readonly signals: string[] = [];
  hasInputEnded = false;
  onFrame: ((frame: JsonObject) => void) | undefined;
  onEndOfInput: (() => void) | undefined;
  readonly #options: MemoryPairOptions;
  readonly #output = new Readable({ read: () => {} });
  readonly #stderr = new Readable({ read: () => {} });
  readonly #reader: NdjsonReader;
  #listeners: ProcessEndListeners | undefined;
  #hasExited = false;
  #isReading = true;
  #onReadingAgain: (() => void) | undefined;

  constructor(options: MemoryPairOptions) {
    this.#options = options;
    this.#reader = new NdjsonReader(
      {
        onFrame: (frame) => {
          this.received.push(frame);
          this.onFrame?.(frame);
        },
        // The near side writes frames only; anything else is a defect that must not pass unseen.
        onDiagnostic: ({ message }) => this.fail(new TypeError(message)),
        onError: (error) => this.fail(error),
      },
      options.maxBufferBytes ?? Number.POSITIVE_INFINITY,
    );
  }

  start(): RunningProcess {
    return {
      pid: undefined,
      stdin: new Writable({
        write: (chunk: Buffer, _encoding, done) => this.#onInput(chunk, done),
        final: (done) => {
          done();
          this.#onInputEnd();
        },
      }),
      stderr: this.#stderr,
      readStdout: (sink) => readStream(this.#output, sink),
      kill: (signal) => this.#onSignal(signal),
      onGone: (listeners) => {
        this.#listeners = listeners;
      },
    };
  }

  emit(frame: object): void {
    this.emitBytes(encodeFrame(frame));
  }

  emitBytes(bytes: string | Uint8Array): void {
    if (!this.#output.readableEnded && !this.#output.destroyed) this.#output.push(bytes);
  }

  stopReading(): void {
    this.#isReading = false;
  }

  startReading(): void {
    this.#isReading = true;
    this.#onReadingAgain?.();
    this.#onReadingAgain = undefined;
  }

  endOutput(): void {
    this.#output.push(null);
  }

  exit({ exitCode = 0, signal = null, stderrTail = '' }: Partial<ProcessExit> = {}): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    if (stderrTail !== '') this.#stderr.push(stderrTail);
    this.#stderr.push(null);
    this.endOutput();
    queueMicrotask(() => this.#listeners?.onExit(signal === null ? exitCode : null, signal));
  }

  fail(error: Error): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    queueMicrotask(() => this.#listeners?.onFailure(error));
  }

  #onInput(chunk: Buffer, done: () => void): void {
    if (!this.#isReading) {
      this.#onReadingAgain = () => this.#onInput(chunk, done);
      return;
    }
    this.#reader.push(chunk);
    queueMicrotask(done);
  }

  #onInputEnd(): void {
    this.hasInputEnded = true;
    this.onEndOfInput?.();
    if (this.#options.exitsOnEndOfInput ?? true) this.exit();
  }

  #onSignal(signal: 'SIGTERM' | 'SIGKILL'): boolean {
    if (this.#hasExited) return false;
    this.signals.push(signal);
    if (this.#options.ignoredSignals?.includes(signal) !== true) this.exit({ signal });
    return true;
  }
}
