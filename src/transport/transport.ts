import type { DiagnosticListener } from '../diagnostics.js';
import type { ProcessExit } from '../errors.js';
import type { JsonObject } from '../util/json.js';

/**
 * Carries frames to and from one peer, in order, and never looks inside one. Life: `open` once, then any number of
 * `send`, then `endInput` or `close`; `onEnd` is called exactly once and last, whatever the cause. Every implementation
 * passes the contract suite in `test/transport/transport-contract.ts`.
 */
export interface FrameTransport {
  /**
   * Starts the peer and hands it to one receiver, so that no frame arrives unheard. Synchronous: when it returns,
   * frames can be sent. A peer that cannot be started is reported through `onEnd`, never thrown, and never before
   * `open` has returned.
   */
  open(receiver: FrameReceiver): void;
  /** Of the peer's process; `undefined` when there is none here, or not yet. */
  readonly pid?: number | undefined;
  /** True between `open` and `endInput`/`close`/the end of the peer. */
  readonly isWritable: boolean;
  /**
   * Queues one frame. Frames sent in one tick leave in one write, in order.
   * @returns false when the pipe is full: await {@link drained} before sending much more.
   * @throws CLIConnectionError the input has ended or the peer is gone.
   * @throws TypeError the frame is not serialisable (a cycle, a BigInt); nothing was written.
   */
  send(frame: object): boolean;
  /** Writes what is queued now, and not at the end of the tick. Absent where nothing is queued. */
  flush?(): void;
  /** Resolves when the pipe takes more. Also resolves, never hangs, when the input or the peer ends. */
  drained(): Promise<void>;
  /** Writes what is queued, then ends the peer's input. Reading goes on. Safe to call twice. */
  endInput(): void;
  /** Stops delivery of frames until {@link resume}. Frames already decoded may still arrive. */
  pause(): void;
  resume(): void;
  /** Lines that begin like this are of no use any more, and may be thrown away unparsed. Absent where there are none. */
  skipLines?(start: string): void;
  /** From now on bytes are read and thrown away, so that a full pipe never blocks the peer's exit. */
  discard(): void;
  /**
   * Ends the peer: end of input, then, if it does not exit, the signals of the ladder. Resolves when the peer is gone
   * or the ladder is over. Safe to call twice: the faster ladder wins.
   */
  close(ladder?: ExitLadder): Promise<void>;
}

/** Milliseconds from the start of the close. `undefined` leaves the step out. */
export interface ExitLadder {
  readonly sigtermMs?: number;
  readonly sigkillMs?: number;
}

export interface FrameReceiver {
  /**
   * Once per frame, in wire order, never after `onEnd`.
   * @param bytes - Length of its line.
   * @param line - Its line. May be part of a longer string, so copy it to keep it. `undefined`: the frame came as an
   * object that has no JSON.
   */
  onFrame(frame: JsonObject, bytes: number, line: string | undefined): void;
  /** Lines that were skipped, signals that were needed. */
  readonly onDiagnostic: DiagnosticListener;
  /** Exactly once and last. */
  onEnd(end: TransportEnd): void;
  /** Whether messages are unanswered. @defaultValue they are not */
  isWaiting?(): boolean;
}

/** How a peer ended. */
export interface TransportEnd {
  /** Absent if there was no process (a memory pair, a start that failed). */
  readonly exit?: ProcessExit;
  /** The transport's own failure: it could not start, a line was too long, the stream broke. */
  readonly error?: Error;
}
