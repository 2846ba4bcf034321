import type { DiagnosticListener } from '../diagnostics.js';
import type { FrameTransport } from '../transport/transport.js';

const MIB = 1024 * 1024;

/**
 * Reading stops above the high mark and goes on below the low one. Bytes of undelivered messages, which take about
 * twice as much memory as parsed objects.
 */
export const HIGH_WATER_BYTES = 16 * MIB;
export const LOW_WATER_BYTES = HIGH_WATER_BYTES / 2;

interface FlowControlOptions {
  readonly transport: Pick<FrameTransport, 'pause' | 'resume'>;
  /** False while a paused stream could hold back something that the program waits for. */
  readonly mayPause: () => boolean;
  readonly onDiagnostic: DiagnosticListener;
}

/**
 * Stops reading from a CLI whose messages are not taken, but only while no correct program can tell: a control frame
 * behind the unread messages may be what the consumer waits for.
 */
export class FlowControl {
  readonly #options: FlowControlOptions;
  #isConsumerBehind = false;
  #isDiskBehind = false;
  #isStopped = false;

  constructor(options: FlowControlOptions) {
    this.#options = options;
  }

  /** While paused, silence is not the CLI's. */
  get isPaused(): boolean {
    return this.#isConsumerBehind || this.#isDiskBehind;
  }

  /** After a message was queued. */
  onQueued(queuedBytes: number): void {
    if (queuedBytes <= HIGH_WATER_BYTES || this.#isConsumerBehind || this.#isStopped) return;
    if (!this.#options.mayPause()) return;
    this.#isConsumerBehind = true;
    this.#options.transport.pause();
    this.#options.onDiagnostic({
      code: 'flow_paused',
      message: `Reading is paused: ${queuedBytes} bytes of messages wait for the consumer.`,
      details: { queuedBytes },
    });
  }

  /** After the consumer took a message. */
  onTaken(queuedBytes: number): void {
    if (this.#isConsumerBehind && queuedBytes < LOW_WATER_BYTES) this.release();
  }

  /**
   * Messages are written to the disk and it is slower than the CLI, or it has caught up. Nothing that the program does
   * is waited for, so this pause is always allowed.
   */
  onDiskBusy(isBusy: boolean): void {
    if (this.#isStopped) return;
    this.#isDiskBehind = isBusy;
    if (isBusy) this.#options.transport.pause();
    else this.#resume();
  }

  /** Resumes reading however much is queued: a control frame is awaited. */
  release(): void {
    if (!this.#isConsumerBehind) return;
    this.#isConsumerBehind = false;
    this.#resume();
    this.#options.onDiagnostic({ code: 'flow_resumed', message: 'Reading resumed.' });
  }

  /** The session is ending: nothing is paused any more. */
  stop(): void {
    this.#isStopped = true;
    this.#isDiskBehind = false;
    this.release();
    this.#options.transport.resume();
  }

  #resume(): void {
    if (!this.isPaused) this.#options.transport.resume();
  }
}
