import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../util/json.js';
import { TranscriptMirror, type TranscriptMirrorOptions } from './transcript-mirror.js';

/** A store that answers nothing costs a minute for each transcript; a result is not held for all of them. */
const MAX_RESULT_WAIT_MS = 120_000;

export interface MirroredDeliveryOptions extends Omit<TranscriptMirrorOptions, 'onFailure'> {
  /** Hands one message on to the consumer. @param bytes - The length of its line. */
  readonly deliver: (message: JsonObject, bytes: number) => void;
  /** Messages that were held have been handed on. */
  readonly onReleased: () => void;
}

interface HeldMessage {
  readonly message: JsonObject;
  readonly bytes: number;
  /** Resolves when it may go; it never rejects. */
  readonly ready: Promise<void> | undefined;
}

/**
 * The stage between a session and its consumer that keeps a promise about results: when one is delivered, the store has the
 * transcript up to it. Messages behind a result that waits wait too, so that their order stays.
 */
export class MirroredDelivery {
  readonly #options: MirroredDeliveryOptions;
  readonly #mirror: TranscriptMirror;
  #held: HeldMessage[] = [];
  #heldBytes = 0;
  /** Runs while something is held. */
  #release: Promise<void> | undefined;

  constructor(options: MirroredDeliveryOptions) {
    this.#options = options;
    this.#mirror = new TranscriptMirror({
      ...options,
      onFailure: ({ key, error }) =>
        // Before what is held: a failure precedes the result that waited for it.
        options.deliver(
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

  /** Length of the lines of the messages that wait here. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  onTranscriptMirror(frame: JsonObject, bytes: number): void {
    this.#mirror.onFrame(frame, bytes);
  }

  push(message: JsonObject, bytes: number): void {
    const mustWait = message['type'] === 'result' && this.#mirror.isBehind;
    if (!mustWait && this.#release === undefined) {
      this.#options.deliver(message, bytes);
      return;
    }
    const ready = mustWait ? within(MAX_RESULT_WAIT_MS, this.#mirror.flush()) : undefined;
    this.#held.push({ message, bytes, ready });
    this.#heldBytes += bytes;
    this.#release ??= this.#releaseHeld();
  }

  /**
   * Stores what can be stored within `limitMs`, then hands on what is held. Call when no frame comes any more. Of several calls the
   * earliest limit counts.
   */
  async finish(limitMs: number): Promise<void> {
    await this.#mirror.finish(limitMs);
    await this.#release;
  }

  async #releaseHeld(): Promise<void> {
    for (let index = 0; index < this.#held.length; index += 1) {
      // There is one at every index below the length.
      const { message, bytes, ready } = this.#held[index] as HeldMessage;
      if (ready !== undefined) await ready;
      this.#heldBytes -= bytes;
      this.#options.deliver(message, bytes);
    }
    this.#held = [];
    this.#release = undefined;
    this.#options.onReleased();
  }
}

/** Resolves with the promise, at the latest after `limitMs`. */
async function within(limitMs: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([promise, limit]);
  clearTimeout(timer);
}
