import type { Writable } from 'node:stream';
import { CLIConnectionError } from '../errors.js';
import { createDeferred, type Deferred } from '../util/deferred.js';
import { errorText } from '../util/error-text.js';
import { nextTick } from '../util/next-turn.js';
import { encodeFrame } from './ndjson.js';

/** With this much text queued, the writer does not wait for the end of the tick. */
const FLUSH_UNITS = 64 * 1024;

/** As in the official SDK. */
export const NOT_READY = 'ProcessTransport is not ready for writing';

/**
 * Writes frames to a peer's stdin: in order, once per tick, and with back-pressure. When the peer dies, every waiter is
 * released.
 */
export class FrameWriter {
  readonly #stdin: Writable;
  #queued = '';
  #isFlushScheduled = false;
  #isFull = false;
  #refusal: Refusal | undefined;
  #drained: Deferred<void> | undefined;
  /** Made once, so that a tick allocates no closure. */
  readonly #onTick = (): void => {
    this.#isFlushScheduled = false;
    this.flush();
  };

  constructor(stdin: Writable) {
    this.#stdin = stdin;
    stdin.on('drain', () => this.#release());
    stdin.on('close', () => this.#refuse({ message: NOT_READY }));
    // A write to a peer that is gone fails with EPIPE, which without this listener would end the host.
    stdin.on('error', (error: Error) => {
      this.#refuse({ message: `Failed to write to process stdin: ${errorText(error)}`, cause: error });
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
    if (this.#queued.length >= FLUSH_UNITS) this.flush();
    else if (!this.#isFlushScheduled) {
      this.#isFlushScheduled = true;
      nextTick(this.#onTick);
    }
    return !this.#isFull;
  }

  /** Writes what is queued. Nothing when there is none. */
  flush(): void {
    if (this.#queued === '' || this.#refusal !== undefined) return;
    const text = this.#queued;
    this.#queued = '';
    try {
      if (!this.#stdin.write(text)) this.#isFull = true;
    } catch (error) {
      // Only streams of an application throw here (`spawnClaudeCodeProcess`).
      this.#refuse({ message: `Failed to write to process stdin: ${errorText(error)}`, cause: error });
    }
  }

  /** Resolves when the pipe takes more, or the writing is over. */
  drained(): Promise<void> {
    if (!this.#isFull) return Promise.resolve();
    this.#drained ??= createDeferred<void>();
    return this.#drained.promise;
  }

  /** Writes the queued text, then ends the stream. Safe to call twice. */
  end(): void {
    if (this.#refusal !== undefined) return;
    this.flush();
    this.#refuse({ message: NOT_READY });
    try {
      this.#stdin.end();
    } catch {
      // As in `flush`. There is no other way to end it.
    }
  }

  /** The peer is gone: `send` throws this message from now on. Queued text is dropped. */
  close(message: string): void {
    this.#refusal = { message };
    this.#queued = '';
    this.#release();
  }

  /** The first reason wins. */
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

/** Why the writer refuses frames. */
interface Refusal {
  readonly message: string;
  readonly cause?: unknown;
}
