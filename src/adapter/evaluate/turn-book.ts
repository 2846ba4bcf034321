import { joinUsage, type TokenUsage } from '../../parser/token-usage.js';
import type { UsageCounter } from '../../parser/usage-counter.js';
import type { JsonObject } from '../../util/json.js';
import type { HookState } from '../hooks/hook-run.js';
import type { RunRecorder } from '../report/run-recorder.js';
import { isResultOfTask, TurnFacts } from './turn-facts.js';

/** Which turn a message belongs to, and what that turn came to: its facts, hooks and tokens. */
export class TurnBook {
  /** Of the turn that runs, or ran last. */
  current = new TurnFacts();
  /** More than one message is to be answered, each by the first result of a turn that it began. */
  isConversation = false;
  /** Of the whole run; what is of a turn in it is reset. */
  hookState: HookState | undefined;
  /** What results had told when the turn before ended. */
  #told: TokenUsage = {};
  /** Of a turn of a conversation, as it was when its result came: another turn may have begun before this one is settled. */
  #answered: { readonly hooks: HookState | undefined; readonly told: TokenUsage } | undefined;
  readonly #usage: UsageCounter;
  readonly #recorder: RunRecorder;

  constructor(usage: UsageCounter, recorder: RunRecorder) {
    this.#usage = usage;
    this.#recorder = recorder;
  }

  /**
   * After the message was counted.
   *
   * @returns false for what comes in a turn that nobody asked for.
   */
  onMessage(message: JsonObject): boolean {
    const isAnswered = this.current.result !== undefined;
    if (isAnswered && this.isConversation) return false;
    if (!isAnswered && isResultOfTask(message)) {
      this.begin();
      return false;
    }
    this.current.onMessage(message);
    if (this.isConversation && this.current.result !== undefined) {
      this.#answered = {
        hooks: this.hookState && { ...this.hookState },
        told: this.#usage.settled,
      };
    }
    return true;
  }

  /** What was said until now belongs to another turn. */
  begin(): void {
    this.current = new TurnFacts(this.current.cliSessionId);
    this.#answered = undefined;
    this.#recorder.beginTurn();
    const { hookState } = this;
    if (hookState === undefined) return;
    hookState.stopReason = undefined;
    hookState.limitStop = undefined;
    hookState.structuredOutput = undefined;
  }

  /** What is used from now on belongs to the next turn. */
  end(): void {
    this.#told = this.#tellable;
  }

  /** What the hooks learned in the turn. */
  get hooks(): HookState | undefined {
    return this.#answered === undefined ? this.hookState : this.#answered.hooks;
  }

  /** What results told since the turn before: also of turns that background tasks began. */
  get usage(): TokenUsage {
    return joinUsage(this.#tellable, this.#told, (now, before) => now - before);
  }

  get #tellable(): TokenUsage {
    return this.#answered?.told ?? this.#usage.settled;
  }
}
