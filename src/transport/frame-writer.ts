import type { Writable } from 'node:stream';
import { CLIConnectionError } from '../errors.js';
import { createDeferred, type Deferred } from '../util/deferred.js';
import { errorText } from '../util/error-text.js';
import { encodeFrame } from './ndjson.js';

/** From this much on, what one tick sends is written at once instead of at the end of the tick. */
const FLUSH_UNITS = 64 * 1024;

const NOT_READY = 'ProcessTransport is not ready for writing';

/**
 * Writes frames to a peer's stdin: in order, what one tick sends in one write, with back-pressure,
 * and without ever leaving a waiter behind when the peer dies.
 */
export class FrameWriter {
  readonly #stdin: Writable;
  #queued = '';
  #isFlushScheduled = false;
  #isFull = false;
  #refusal: Refusal | undefined;
  #drained: Deferred<void> | undefined;

  constructor(stdin: Writable) {
    this.#stdin = stdin;
    stdin.on('drain', () => this.#release());
    stdin.on('close', () => this.#refuse({ message: NOT_READY }));
    // A peer that is gone answers a write with EPIPE. Without this listener that would end the host.
    stdin.on('error', (error: Error) => {
      this.#refuse({
        message: `Failed to write to process stdin: ${errorText(error)}`,
        cause: error,
      });
    });
  }

  get isWritable(): boolean {
    return this.#refusal === undefined;
  }

  /**
   * @returns false when the pipe is full.
   * @throws CLIConnectionError the input has ended, or the peer is gone.
   * @throws TypeError the frame cannot become JSON; nothing was queued.
   */
  send(frame: object): boolean {
    if (this.#refusal !== undefined) {
      const { message, ...options } = this.#refusal;
      throw new CLIConnectionError(message, options);
    }
    this.#queued += encodeFrame(frame);
    if (this.#queued.length >= FLUSH_UNITS) this.#flush();
    else if (!this.#isFlushScheduled) {
      this.#isFlushScheduled = true;
      process.nextTick(flushOnTick, this);
    }
    return !this.#isFull;
  }

  /** Resolves when the pipe takes more, or when nothing will be written any more. */
  drained(): Promise<void> {
    if (!this.#isFull) return Promise.resolve();
    this.#drained ??= createDeferred<void>();
    return this.#drained.promise;
  }

  /** Writes what is queued, then ends the stream. Safe to call twice. */
  end(): void {
    if (this.#refusal !== undefined) return;
    this.#flush();
    this.#refuse({ message: NOT_READY });
    try {
      this.#stdin.end();
    } catch {
      // As above; nothing more can be done to end it.
    }
  }

  /** The peer is gone: `send` throws this message from now on. What is queued and unwritten is dropped. */
  close(message: string): void {
    this.#refusal = { message };
    this.#queued = '';
    this.#release();
  }

  /** @internal */
  flushOnTick(): void {
    this.#isFlushScheduled = false;
    this.#flush();
  }

  #flush(): void {
    if (this.#queued === '' || this.#refusal !== undefined) return;
    const text = this.#queued;
    this.#queued = '';
    try {
      if (!this.#stdin.write(text)) this.#isFull = true;
    } catch (error) {
      // Only a stream that somebody else wrote does this (`spawnClaudeCodeProcess`).
      this.#refuse({
        message: `Failed to write to process stdin: ${errorText(error)}`,
        cause: error,
      });
    }
  }

  /** The first reason stays. */
  #refuse(refusal: Refusal): void {
    this.#refusal ??= refusal;
    this.#queued = '';
    this.#release();
  }

  #release(): void {
    this.#isFull = false;
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

/** Why nothing is written any more. */
interface Refusal {
  readonly message: string;
  readonly cause?: unknown;
}

/** One function for all writers, so that a tick with a frame in it makes no closure. */
function flushOnTick(writer: FrameWriter): void {
  writer.flushOnTick();
}
