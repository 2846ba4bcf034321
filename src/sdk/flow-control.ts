import type { DiagnosticListener } from '../diagnostics.js';
import type { FrameTransport } from '../transport/transport.js';

const MIB = 1024 * 1024;

/**
 * Reading stops above the high mark and goes on below the low one. Bytes of undelivered messages, which
 * take about twice as much memory as parsed objects.
 */
export const HIGH_WATER_BYTES = 16 * MIB;
export const LOW_WATER_BYTES = HIGH_WATER_BYTES / 2;

/**
 * Stops reading from a CLI whose messages nobody takes, but only while no correct program can tell:
 * a control frame behind the unread messages may be what the consumer waits for.
 */
export class FlowControl {
  readonly #transport: Pick<FrameTransport, 'pause' | 'resume'>;
  readonly #mayPause: () => boolean;
  readonly #onDiagnostic: DiagnosticListener;
  #isPaused = false;

  constructor(options: {
    readonly transport: Pick<FrameTransport, 'pause' | 'resume'>;
    /** False while a paused stream could hold back something that the program waits for. */
    readonly mayPause: () => boolean;
    readonly onDiagnostic: DiagnosticListener;
  }) {
    this.#transport = options.transport;
    this.#mayPause = options.mayPause;
    this.#onDiagnostic = options.onDiagnostic;
  }

  /** Paused time is no sign of a silent CLI. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** After a message was queued. */
  onQueued(queuedBytes: number): void {
    if (queuedBytes <= HIGH_WATER_BYTES || this.#isPaused || !this.#mayPause()) return;
    this.#isPaused = true;
    this.#transport.pause();
    this.#onDiagnostic({
      code: 'flow_paused',
      message: `Reading is paused: ${queuedBytes} bytes of messages wait for the consumer.`,
      details: { queuedBytes },
    });
  }

  /** After the consumer took a message. */
  onTaken(queuedBytes: number): void {
    if (this.#isPaused && queuedBytes < LOW_WATER_BYTES) this.release();
  }

  /** Reads on whatever is queued: somebody now waits for a control frame, or the session is ending. */
  release(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#transport.resume();
    this.#onDiagnostic({ code: 'flow_resumed', message: 'Reading goes on.' });
  }
}
