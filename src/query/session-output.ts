import type { DiagnosticListener } from '../diagnostics.js';
import { isResultMessage } from '../parser/guards.js';
import type { SDKMessage } from '../parser/message.js';
import type { FrameTransport } from '../transport/transport.js';
import type { JsonObject } from '../util/json.js';
import { onAbort } from '../util/on-abort.js';
import { within } from '../util/race.js';
import { FlowControl } from './flow-control.js';
import { MessageQueue } from './message-queue.js';
import {
  type MirrorFailure,
  TranscriptMirror,
  type TranscriptMirrorOptions,
} from './transcript-mirror/transcript-mirror.js';

/** For the store to take the last entries when the run has ended by itself. Milliseconds. */
const FLUSH_MS = 120_000;
/** The same when the run was ended: `close()`, `break` and an abort must not wait for a store that is down. */
const FORCED_FLUSH_MS = 5_000;
/** A store that answers nothing costs a minute for each transcript; a result is not held for all of them. */
const MAX_RESULT_WAIT_MS = 120_000;

/** Where reading goes on for sure, messages become bytes early: as objects they take several times their length. */
const MAX_OBJECT_BYTES = 4 * 1024 * 1024;

/** A text of the model in pieces, as the CLI writes it: most of what comes after a stop, and all of it unwanted. */
const DELTA_START = '{"type":"stream_event","event":{"type":"content_block_delta"';

/** Where a session's transcript goes. */
export type MirrorTarget = Pick<TranscriptMirrorOptions, 'store' | 'flush' | 'folder'>;

export interface SessionOutputOptions {
  readonly transport: FrameTransport;
  /** The CLI may call back into the program, or the program sees what else it does: then reading never pauses. */
  readonly isObserved: boolean;
  /** False while a paused stream could hold back an awaited control frame. */
  readonly mayPause: () => boolean;
  /** Bytes that may wait for the consumer. `Infinity`: any. */
  readonly maxQueuedBytes: number;
  /** Bytes of those that may wait in a file. `Infinity`: any. */
  readonly maxSpooledBytes: number;
  /** Messages cannot be kept in a file, or not be read back. */
  readonly onSpoolFailed: (error: Error) => void;
  /** `undefined`: the transcript stays with the CLI. */
  readonly mirror: MirrorTarget | undefined;
  readonly onDiagnostic: DiagnosticListener;
}

/**
 * What comes out of a session: its messages, and the transcript for its store. When a result is handed out, the store
 * has the transcript up to it: the queue holds a result that has to wait, and everything behind it.
 */
export class SessionOutput {
  readonly messages: MessageQueue<SDKMessage>;
  readonly #options: SessionOutputOptions;
  readonly #flow: FlowControl;
  /** Where there is a store. */
  readonly #mirror: TranscriptMirror | undefined;
  /** Resolves when no message is held any more. Never rejects. */
  #released: Promise<void> = Promise.resolve();
  /** Those who wait for something that a blocked CLI would not do. */
  #waiting = 0;

  constructor(options: SessionOutputOptions) {
    this.#options = options;
    const { transport, onDiagnostic } = options;
    this.#flow = new FlowControl({ transport, mayPause: () => this.#mayPause(), onDiagnostic });
    this.messages = new MessageQueue({
      maxSpooledBytes: options.maxSpooledBytes,
      maxObjectBytes: options.isObserved ? MAX_OBJECT_BYTES : undefined,
      onTaken: () => this.#flow.onTaken(this.messages.queuedBytes),
      onSpooled: () =>
        onDiagnostic({
          code: 'queue_spooled',
          message: 'Messages that wait for the consumer are kept in a temporary file.',
          details: { queuedBytes: this.messages.queuedBytes },
        }),
      onBusy: (isBusy) => this.#flow.onDiskBusy(isBusy),
      onFailed: options.onSpoolFailed,
    });
    if (options.mirror === undefined) return;
    const onFailure = (failure: MirrorFailure) => this.#onMirrorFailure(failure);
    this.#mirror = new TranscriptMirror({ ...options.mirror, onDiagnostic, onFailure });
  }

  /** True while reading waits for the consumer. */
  get isPaused(): boolean {
    return this.#flow.isPaused;
  }

  /** @returns false when more than `maxQueuedBytes` wait. */
  push(frame: JsonObject, bytes: number, line: string | undefined): boolean {
    if (this.#mirror?.isBehind && isResultMessage(frame)) this.#holdNext(this.#mirror);
    // The queue hands out what the CLI sent; the union says what is known of it, and consumers switch on `type`.
    this.messages.push(frame as unknown as SDKMessage, bytes, line);
    const { queuedBytes } = this.messages;
    if (queuedBytes > this.#options.maxQueuedBytes) return false;
    this.#flow.onQueued(queuedBytes);
    return true;
  }

  onTranscriptMirror(frame: JsonObject, bytes: number): void {
    this.#mirror?.onFrame(frame, bytes);
  }

  /** Resumes reading however much is queued: what is awaited may be behind it. */
  readOn(): void {
    this.#flow.release();
  }

  /** Reads on until the promise settles: a CLI that is blocked in its own write takes no input. */
  async readOnUntil(promise: Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.readOn();
    try {
      await promise;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** No more messages are wanted. Reading goes on for what the CLI says on its way out, its deltas left out. */
  stop(): void {
    this.#options.transport.skipLines?.(DELTA_START);
    this.#flow.stop();
  }

  /** Nothing is read any more, but what the CLI writes to the transcript: that belongs to the store. */
  discard(): void {
    if (this.#mirror === undefined) this.#options.transport.discard();
  }

  /** Resolves when the store has what was written so far, or has had the time it gets once a run was ended. */
  async settled(): Promise<void> {
    await this.#finish(FORCED_FLUSH_MS);
  }

  /**
   * The run has ended by itself: ends the messages after what is held back for the store, which is waited for unless
   * the caller closes or aborts, or {@link settled} is called meanwhile.
   * @param reason - Asked at the end: what the loop throws.
   */
  end(reason: () => Error | undefined, abortSignal: AbortSignal | undefined): void {
    if (this.#mirror === undefined) {
      this.messages.end(reason());
      return;
    }
    const forgetAbort = abortSignal && onAbort(abortSignal, () => void this.settled());
    void this.#finish(FLUSH_MS).then(() => {
      forgetAbort?.();
      this.messages.end(reason());
    });
  }

  /** The next message waits until the store has everything before it. */
  #holdNext(mirror: TranscriptMirror): void {
    const release = this.messages.hold();
    const stored = within(MAX_RESULT_WAIT_MS, mirror.flush());
    this.#released = Promise.all([this.#released, stored.then(release)]).then(() => {});
  }

  /**
   * Stores what can be stored within `limitMs`, then resolves when nothing is held any more. Of several calls the
   * earliest limit counts.
   */
  async #finish(limitMs: number): Promise<void> {
    await this.#mirror?.finish(limitMs);
    await this.#released;
  }

  /** A failure precedes the result that waited for it. */
  #onMirrorFailure({ key, error }: MirrorFailure): void {
    const session_id = key.sessionId;
    const uuid = crypto.randomUUID();
    const message: SDKMessage = { type: 'system', subtype: 'mirror_error', error, key, uuid, session_id };
    this.messages.pushBeforeHeld(message, error.length);
  }

  /** Reading may stop only where no correct program can tell (design of flow control, docs/architecture.md). */
  #mayPause(): boolean {
    const { isObserved, mayPause } = this.#options;
    return this.messages.hasBeenPulled && !isObserved && this.#waiting === 0 && mayPause();
  }
}
