import { HostError } from '../errors.js';

/** A turn that has not begun: its message waits for a process, or for a store. Ends with the error of its caller. */
export class TurnStart {
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;

  /** @param turnMs - How long it may take. */
  constructor(turnMs: number) {
    this.#timer = setTimeout(() => this.cancel(startTooLong(turnMs)), turnMs);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The first reason counts. */
  cancel(reason = startInterrupted()): void {
    this.#abort.abort(reason);
  }

  /** It may be cancelled still, and ends by itself no more. */
  stopClock(): void {
    clearTimeout(this.#timer);
  }
}

function startInterrupted(): HostError {
  return new HostError('conflict', 'The turn was interrupted before Claude Code had the message. Send it again.');
}

function startTooLong(ms: number): HostError {
  return new HostError('start_failed', `Claude Code has not started within ${ms} ms, which is \`limits.turnMs\`.`);
}
