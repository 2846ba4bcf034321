import {
  isResultMessage,
  type Outcome,
  outcomeOf,
  ResultError,
  type SDKMessage,
  type SDKResultMessage,
} from 'claudewire';
import { TurnCost } from './turn-cost.js';

/** What `outcomeOf()` needs of a turn is at its end. */
const RECENT = 50;

/** What Claude Code said in a turn, and whether it belongs to it. */
export class TurnMessages {
  #recent: SDKMessage[] = [];
  /** Claude Code has begun this turn: it says `init`. */
  #hasBegun = false;
  /** Tasks that Claude Code has said to have ended with the process before, and has not answered. */
  #notices = 0;
  /** The next result answers no message. */
  #skipsResult = false;
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
    this.#notices = 0;
    this.#skipsResult = false;
  }

  /** The next result answers no message: it is about a call that nobody waits for any more. */
  skipResult(): void {
    this.#skipsResult = true;
  }

  /**
   * @returns whether it is a result of another turn. One may be held back until a background task has ended. Only the first
   * may lack an `init`, when the process could not start its work. And a process that resumes answers what it says of tasks
   * that were cut, and of a call that was withdrawn, before it answers the message.
   */
  take(message: SDKMessage): boolean {
    if (isInit(message)) this.#hasBegun = true;
    if (isCutTask(message)) this.#notices += 1;
    if (isResultMessage(message)) this.#cost.add(message);
    const isOfNotice = isResultMessage(message) && this.#notices > 0 && isEmpty(message);
    if (isOfNotice) {
      this.#notices -= 1;
      this.#hasBegun = false;
    }
    const isSkipped = isResultMessage(message) && this.#skipsResult;
    if (isSkipped) {
      this.#skipsResult = false;
      this.#hasBegun = false;
    }
    const isLate = isOfNotice || isSkipped || (isResultMessage(message) && this.#hasAnswered && !this.#hasBegun);
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

/** Claude Code says that a task has ended before it was done. */
function isCutTask(message: SDKMessage): boolean {
  return message.type === 'system' && message.subtype === 'task_notification' && message.status === 'stopped';
}

/** Nothing was asked of the model. */
function isEmpty(result: SDKResultMessage): boolean {
  return result.subtype === 'success' && result.num_turns === 0;
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
