import type { FrameTransport } from '../transport/transport.js';
import { createDeferred, type Deferred } from '../util/deferred.js';
import { jsonCopy } from '../util/json.js';
import { within } from '../util/race.js';
import { tooLate } from './request-errors.js';

/**
 * A pipe that breaks is most often the first sign of a dead process. Its exit says more, so it gets this long to arrive.
 */
export const EXIT_AFTER_BROKEN_PIPE_MS = 1_000;

/**
 * Writes frames in order, `initialize` first: what is sent before it waits behind it. Also knows whether stdin is still
 * open.
 */
export class OutboundQueue {
  readonly #transport: FrameTransport;
  readonly #opened: Deferred<void> = createDeferred();
  readonly #closed: Deferred<void> = createDeferred();
  /** Frames sent before `initialize`; `undefined` once that was written. */
  #waiting: object[] | undefined = [];
  #isInputEnded = false;
  #closedBy: Error | undefined;

  constructor(transport: FrameTransport) {
    this.#transport = transport;
  }

  /** True while frames can be sent: until stdin was ended, by us, with the peer, or with the session. */
  get isInputOpen(): boolean {
    if (this.#isInputEnded || this.#closedBy !== undefined) return false;
    return this.#waiting !== undefined || this.#transport.isWritable;
  }

  /** Why the session ended, `undefined` while it goes on. */
  get closedBy(): Error | undefined {
    return this.#closedBy;
  }

  /** True while the peer takes nothing more and its end, which says why, has not been reported. */
  get isBroken(): boolean {
    return this.#closedBy === undefined && !this.#isInputEnded && !this.isInputOpen;
  }

  /** Why nothing can be written; waits for the end of a peer that broke the pipe. `undefined`: the session goes on. */
  async whyClosed(): Promise<Error | undefined> {
    if (this.isBroken) await within(EXIT_AFTER_BROKEN_PIPE_MS, this.#closed.promise);
    return this.#closedBy;
  }

  get hasOpened(): boolean {
    return this.#waiting === undefined;
  }

  /**
   * @returns false when the caller should wait for {@link drained}.
   * @throws SessionClosedError input is over; CLIConnectionError the peer is gone; anything else: the frame is not
   * JSON.
   */
  send(frame: object): boolean {
    if (this.#closedBy !== undefined || this.#isInputEnded) {
      throw tooLate('Cannot write to Claude Code: its input was closed', this.#closedBy);
    }
    if (this.#waiting === undefined) return this.#transport.send(frame);
    // Written out now, as the pipe would: what is not JSON fails here, and later changes do not show.
    this.#waiting.push(jsonCopy(frame));
    return false;
  }

  /** Writes `initialize`, then what waited. @throws as {@link FrameTransport.send} for `first`. */
  openWith(first: object): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    try {
      this.#transport.send(first);
      for (const frame of waiting) this.#transport.send(frame);
    } finally {
      this.#opened.resolve();
    }
  }

  /** Resolves when more can be written. Never hangs: also when the input or the session is over. */
  async drained(): Promise<void> {
    if (this.#waiting !== undefined) await this.#opened.promise;
    if (this.#closedBy === undefined) await this.#transport.drained();
  }

  endInput(): void {
    this.#isInputEnded = true;
    this.#opened.resolve();
    this.#transport.endInput();
  }

  /** Nothing is written from now on. Resolves all waits. The first reason is kept. */
  close(reason: Error): void {
    this.#closedBy ??= reason;
    this.#opened.resolve();
    this.#closed.resolve();
  }
}
