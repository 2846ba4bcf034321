import { randomUUID } from 'node:crypto';
import { isResultMessage } from '../../parser/guards.js';
import type { JsonObject } from '../../util/json.js';
import { within } from '../../util/race.js';
import type { MessageQueue } from '../message-queue.js';
import { TranscriptMirror, type TranscriptMirrorOptions } from './transcript-mirror.js';

/** A store that answers nothing costs a minute for each transcript; a result is not held for all of them. */
const MAX_RESULT_WAIT_MS = 120_000;

export interface MirroredDeliveryOptions extends Omit<TranscriptMirrorOptions, 'onFailure'> {
  /** Where messages wait for the consumer. */
  readonly queue: Pick<MessageQueue<JsonObject>, 'hold' | 'pushBeforeHeld'>;
}

/**
 * Keeps a promise about results: when one is handed out, the store has the transcript up to it. The queue holds a
 * result that has to wait, and everything behind it, so that the order stays.
 */
export class MirroredDelivery {
  readonly #options: MirroredDeliveryOptions;
  readonly #mirror: TranscriptMirror;
  /** Resolves when nothing is held any more. Never rejects. */
  #released: Promise<void> = Promise.resolve();

  constructor(options: MirroredDeliveryOptions) {
    this.#options = options;
    this.#mirror = new TranscriptMirror({
      ...options,
      onFailure: ({ key, error }) =>
        // Before what is held: a failure precedes the result that waited for it.
        options.queue.pushBeforeHeld(
          {
            type: 'system',
            subtype: 'mirror_error',
            error,
            key,
            uuid: randomUUID(),
            session_id: key.sessionId,
          },
          error.length,
        ),
    });
  }

  onTranscriptMirror(frame: JsonObject, bytes: number): void {
    this.#mirror.onFrame(frame, bytes);
  }

  /** This message is pushed next: the queue holds it if it has to wait. */
  beforePush(message: JsonObject): void {
    if (!isResultMessage(message) || !this.#mirror.isBehind) return;
    const release = this.#options.queue.hold();
    const stored = within(MAX_RESULT_WAIT_MS, this.#mirror.flush());
    this.#released = Promise.all([this.#released, stored.then(release)]).then(() => {});
  }

  /**
   * Stores what can be stored within `limitMs`, then resolves when nothing is held any more. Call when no frame
   * comes any more. Of several calls the earliest limit counts.
   */
  async finish(limitMs: number): Promise<void> {
    await this.#mirror.finish(limitMs);
    await this.#released;
  }
}
