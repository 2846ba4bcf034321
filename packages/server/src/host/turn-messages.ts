import { isResultMessage, type Outcome, outcomeOf, ResultError, type SDKMessage } from 'claudewire';
import { TurnCost } from './turn-cost.js';

/** What `outcomeOf()` needs of a turn is at its end. */
const RECENT = 50;

/** What Claude Code said in a turn, and whether it belongs to it. */
export class TurnMessages {
  #recent: SDKMessage[] = [];
  /** Claude Code has begun this turn: it says `init`. */
  #hasBegun = false;
  /** This process has ended a turn before. */
  #hasAnswered = false;
  readonly #cost = new TurnCost();

  processStarted(isResumed: boolean): void {
    this.#hasAnswered = false;
    this.#cost.processStarted(isResumed);
  }

  turnBegan(): void {
    this.#recent = [];
    this.#hasBegun = false;
  }

  /**
   * @returns whether it is a result of a turn before: one may be held back until a background task has ended. Only the
   * first may lack an `init`, when the process could not start its work.
   */
  take(message: SDKMessage): boolean {
    if (isInit(message)) this.#hasBegun = true;
    if (isResultMessage(message)) this.#cost.add(message);
    const isLate = isResultMessage(message) && this.#hasAnswered && !this.#hasBegun;
    if (!isPassing(message) && !isLate) this.#recent = [...this.#recent, message].slice(-RECENT);
    return isLate;
  }

  /** What became of the turn, by what was said. */
  ended(): Outcome {
    this.#hasAnswered = true;
    return this.outcome();
  }

  /** @param error - What the process ended with. */
  outcome(error?: unknown): Outcome {
    // The result in it is of a turn before: then the exit alone is of this one.
    const isOlder = error instanceof ResultError && !this.#recent.some(isResultMessage);
    return outcomeOf(this.#recent, isOlder ? error.cause : error);
  }

  /** US dollars, once: a result that came late is in that of the turn in which it came. */
  takeCost(): number | undefined {
    return this.#cost.take();
  }

  get last(): SDKMessage | undefined {
    return this.#recent.at(-1);
  }
}

export function isInit(message: SDKMessage): boolean {
  return message.type === 'system' && message.subtype === 'init';
}

/**
 * A turn is one message here, so what is said of others does not count: a process that goes on with a call begins the
 * message before again, and no result answers it.
 */
function isPassing(message: SDKMessage): boolean {
  // Newer than the types.
  const type: string = message.type;
  return type === 'stream_event' || type === 'command_lifecycle';
}
