import { isClaudeSDKError } from '../errors.js';
import { isInitMessage, isResultMessage } from '../parser/guards.js';
import type { SDKResultMessage } from '../parser/message.js';
import type { JsonObject } from '../util/json.js';

/** How much is read after the stop. The CLI's last words are a few lines; a flood of them is thrown away. */
export const AFTER_STOP_BYTES = 16 * 1024 * 1024;

interface AfterStopOptions {
  /** Nothing more needs to be read. */
  readonly onEnough: () => void;
  /** Another turn has begun: the CLI does not know `cancel_queued` (2.0.0). */
  readonly onTurn: () => void;
}

/**
 * What the CLI says after it was told to stop. None of it reaches the consumer, but the result of the stopped turn has
 * the usage and the cost of the run.
 */
export class AfterStop {
  readonly #options: AfterStopOptions;
  #result: SDKResultMessage | undefined;
  #bytesLeft = AFTER_STOP_BYTES;

  constructor(options: AfterStopOptions) {
    this.#options = options;
  }

  /** The result of the turn that was stopped. */
  get result(): SDKResultMessage | undefined {
    return this.#result;
  }

  /** Gives the result to the error that the loop throws. */
  addTo(error: Error | undefined): Error | undefined {
    if (this.#result !== undefined && isClaudeSDKError(error) && !('result' in error)) {
      Object.assign(error, { result: this.#result });
    }
    return error;
  }

  note(frame: JsonObject, bytes: number): void {
    // The first: what comes after it belongs to another turn.
    if (isResultMessage(frame)) this.#result ??= frame;
    else if (isInitMessage(frame) && this.#result !== undefined) this.#options.onTurn();
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) this.#options.onEnough();
  }
}
