import type { JsonObject } from '../util/json.js';
import { inNextTurn } from '../util/next-turn.js';
import type { ControlPolicy } from './controller-options.js';
import type { MessageLedger } from './message-ledger.js';
import type { TaskLedger } from './task-ledger.js';

const DEFAULT_CAP_MS = 600_000;
/** How often silence is looked at. The cap acts at most this much late. */
const MAX_TICK_MS = 30_000;

interface StdinLifetimeOptions {
  readonly closeRule: ControlPolicy['closeRule'];
  readonly quietCapMs?: ControlPolicy['quietCapMs'] | undefined;
  /** Whether the CLI may call back into the host after the last message. */
  readonly needStdin: () => boolean;
  /** Outbound requests that wait for an answer, without the first `initialize`. */
  readonly outboundCount: () => number;
  /** The user messages without an answer. */
  readonly messages: Pick<MessageLedger, 'isTurnOpen' | 'unansweredCount'>;
  /** Inbound requests that are owed an answer. */
  readonly inboundCount: () => number;
  readonly tasks: TaskLedger;
  /** Called once. */
  readonly close: (why: 'rule' | 'cap') => void;
}

/**
 * Decides when stdin is closed. One rule, asked after every event that could change its answer:
 *
 * | held by | without callbacks | with callbacks |
 * |---|---|---|
 * | a source of user messages that has not ended | yes | yes |
 * | an outbound request without its answer | yes | yes |
 * | an inbound request without its answer | yes | yes |
 * | no result yet | a string prompt: any; an iterable: no | while a turn is open, or a user message is unanswered |
 * | the last session state, if any, is not `idle` | no | yes |
 * | a live background task | no | yes |
 * | a background task ended by itself | no | until the next state; where none are seen, the next result |
 * The last row is for the turn that the CLI starts by itself when a task is done: it needs stdin, and nothing but the
 * next state or result tells of it. When a turn is over and only states, unanswered messages, that row, or tasks that
 * may run for ever (shells, monitors; not agents and workflows) hold, a cap (600 s) without a message applies.
 * Recordings: `queued-messages`, `bash-background`, `stop-task`, `initialize-hello-state`.
 */
export class StdinLifetime {
  readonly #options: StdinLifetimeOptions;
  #closeRule: StdinLifetimeOptions['closeRule'];
  /** Sources of user messages. The prompt is the first. */
  #inputCount = 1;
  #isReady = false;
  #isDone = false;
  #isClosing = false;
  #sawResult = false;
  #state: string | undefined;
  #awaitsTaskTurn = false;
  #capTimer: NodeJS.Timeout | undefined;
  #sawFrame = false;
  #quietTicks = 0;
  #isCapSpent = false;

  constructor(options: StdinLifetimeOptions) {
    this.#options = options;
    this.#closeRule = options.closeRule;
  }

  /** How long a finished turn may hold stdin in silence. Milliseconds; `Infinity`: no limit. */
  get capMs(): number {
    return this.#options.quietCapMs ?? DEFAULT_CAP_MS;
  }

  /** What is left of the cap for tasks that run on after stdin was closed: all of it, or nothing. */
  get unspentCapMs(): number {
    return this.#isCapSpent ? 0 : this.capMs;
  }

  /** `initialize` was written: from now on stdin may be closed. */
  ready(): void {
    this.#isReady = true;
    this.evaluate();
  }

  /** The prompt of a session that was opened without one: its rule decides from here on. */
  promptIs(rule: 'string' | 'stream'): void {
    this.#closeRule = rule;
  }

  /** One more source of user messages. The prompt counts as the first from the start. */
  inputStarted(): void {
    this.#inputCount += 1;
  }

  /** One source is exhausted. */
  inputEnded(): void {
    if (this.#inputCount > 0) this.#inputCount -= 1;
    this.evaluate();
  }

  /** A frame that shows that the CLI is at work. Hot path: sets one flag. */
  onActivity(): void {
    this.#sawFrame = true;
  }

  onResult(): void {
    this.#sawResult = true;
    if (this.#state === undefined) this.#awaitsTaskTurn = false;
    this.evaluate();
  }

  onState(state: string): void {
    this.#state = state;
    this.#awaitsTaskTurn = false;
    this.evaluate();
  }

  onTaskFrame(subtype: unknown, frame: JsonObject): void {
    const change = this.#options.tasks.apply(subtype, frame);
    if (change === 'none') return;
    if (change === 'finished') this.#awaitsTaskTurn = true;
    this.evaluate();
  }

  /** Closes stdin soon if nothing holds it any more. Called after every change of what is counted outside. */
  evaluate(): void {
    if (this.#isDone || !this.#isReady) return;
    if (this.#mayClose()) {
      this.#closeSoon();
    } else if (this.#isCapped()) {
      this.#startCap();
    } else {
      this.#stopCap();
    }
  }

  /** No decision after this. */
  dispose(): void {
    this.#isDone = true;
    this.#stopCap();
  }

  #mayClose(): boolean {
    if (!this.#isInputOver() || this.#options.inboundCount() > 0) return false;
    if (!this.#options.needStdin()) return this.#closeRule === 'stream' || this.#sawResult;
    return (
      this.#isQuiet() &&
      this.#options.tasks.liveCount === 0 &&
      this.#options.messages.unansweredCount === 0 &&
      (this.#state === undefined || this.#state === 'idle') &&
      !this.#awaitsTaskTurn
    );
  }

  /** Everything that is bounded or visibly at work is over; what holds may never come. */
  #isCapped(): boolean {
    return this.#options.needStdin() && this.#isInputOver() && this.#isQuiet() && !this.#options.tasks.isAtWork;
  }

  #isInputOver(): boolean {
    return this.#closeRule !== 'held' && this.#inputCount === 0 && this.#options.outboundCount() === 0;
  }

  #isQuiet(): boolean {
    return !this.#options.messages.isTurnOpen && this.#options.inboundCount() === 0;
  }

  #startCap(): void {
    if (this.#capTimer !== undefined) return;
    this.#sawFrame = false;
    this.#quietTicks = 0;
    const { capMs } = this;
    if (capMs === Number.POSITIVE_INFINITY) return;
    const tickMs = Math.min(MAX_TICK_MS, capMs);
    this.#capTimer = setInterval(() => this.#onCapTick(capMs / tickMs), tickMs);
    this.#capTimer.unref();
  }

  #onCapTick(limit: number): void {
    // Requests and inputs may have begun since, which does not trigger a decision.
    const isIdle = !this.#sawFrame && this.#isCapped();
    this.#quietTicks = isIdle ? this.#quietTicks + 1 : 0;
    this.#sawFrame = false;
    if (this.#quietTicks >= limit) this.#close('cap');
  }

  #stopCap(): void {
    clearInterval(this.#capTimer);
    this.#capTimer = undefined;
  }

  /**
   * In the next turn of the event loop, if nothing holds it then either: the consumer's loop may still be at an earlier
   * message, or just have got an answer, and call a method there. The official SDK allows that too.
   */
  #closeSoon(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    inNextTurn(() => {
      this.#isClosing = false;
      if (!this.#isDone && this.#mayClose()) this.#close('rule');
      else this.evaluate();
    });
  }

  #close(why: 'rule' | 'cap'): void {
    this.#isCapSpent = why === 'cap';
    this.dispose();
    this.#options.close(why);
  }
}
