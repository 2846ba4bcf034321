import type { SDKResultMessage } from '../../index.js';
import { isResultMessage } from '../../parser/guards.js';
import { fieldsOf } from '../../parser/read-message.js';
import { joinUsage, type TokenUsage } from '../../parser/token-usage.js';
import type { TurnFacts } from '../../parser/turn-facts.js';
import type { TurnProgress } from '../../parser/turn-progress.js';
import { TurnReader } from '../../parser/turn-reader.js';
import type { UsageCounter } from '../../parser/usage-counter.js';
import { isJsonObject } from '../../util/json.js';
import { UnaskedTurns } from '../../util/unasked-turns.js';
import type { HookState } from '../hooks/hook-run.js';
import type { RunRecorder } from '../report/run-recorder.js';

/** Assigns messages to turns, and keeps the facts, hooks and tokens of the current one. */
export class TurnBook {
  /** The one that counts of the turn that runs, or ran last. */
  result: SDKResultMessage | undefined;
  /** More than one message is to be answered, each by the first result of a turn that it began. */
  isConversation = false;
  /** Of the whole run; what is of a turn in it is reset. */
  hookState: HookState | undefined;
  #reader = new TurnReader();
  readonly #unasked = new UnaskedTurns();
  #counts = new Map<string, number>();
  #cliSessionId: string | undefined;
  /** What results had reported when the previous turn ended. */
  #reportedBefore: TokenUsage = {};
  /** State when the result of a conversation's turn came: another turn may begin before this one is settled. */
  #answered: { readonly hooks: HookState | undefined; readonly usage: TokenUsage } | undefined;
  readonly #usage: UsageCounter;
  readonly #recorder: Pick<RunRecorder, 'beginTurn'>;

  constructor(usage: UsageCounter, recorder: Pick<RunRecorder, 'beginTurn'>) {
    this.#usage = usage;
    this.#recorder = recorder;
  }

  /** After the message was counted. @returns false for messages of a turn that the CLI began without a user message. */
  onMessage(message: object): boolean {
    const isAnswered = this.result !== undefined;
    const isUnasked = this.#unasked.note(message);
    if (isAnswered && this.isConversation) return false;
    if (!isAnswered && isUnasked) {
      this.begin();
      return false;
    }
    this.#count(message);
    this.#reader.add(message);
    this.#cliSessionId = this.#reader.sessionId ?? this.#cliSessionId;
    if (!isResultMessage(message)) return true;
    this.result = this.#reader.facts.result ?? message;
    if (this.isConversation) {
      this.#answered = { hooks: this.hookState && { ...this.hookState }, usage: this.#usage.settled };
    }
    return true;
  }

  /** Starts a turn: earlier messages belong to another one. */
  begin(): void {
    this.result = undefined;
    this.#reader = new TurnReader();
    this.#counts = new Map();
    this.#answered = undefined;
    this.#recorder.beginTurn();
    const { hookState } = this;
    if (hookState === undefined) return;
    hookState.stopReason = undefined;
    hookState.limitStop = undefined;
    hookState.structuredOutput = undefined;
  }

  /** Ends a turn: later usage belongs to the next one. */
  end(): void {
    this.#reportedBefore = this.#reported;
  }

  /** From the messages before the result. */
  get facts(): TurnFacts {
    return this.#reader.facts.turn;
  }

  /** How far the turn came, also without a result. */
  get progress(): TurnProgress {
    return this.#reader.facts.progress;
  }

  /** The session that the CLI named last. */
  get cliSessionId(): string | undefined {
    return this.#cliSessionId;
  }

  /** The answer so far: that of the result, else what the model wrote last; `null`: none. */
  get text(): string | null {
    const text = this.result && fieldsOf(this.result).result;
    return (typeof text === 'string' && text) || this.#reader.text || null;
  }

  /** Messages of the turn by type. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** What the hooks learned in the turn. */
  get hooks(): HookState | undefined {
    return this.#answered === undefined ? this.hookState : this.#answered.hooks;
  }

  /** What results reported since the previous turn, turns of background tasks included. */
  get usage(): TokenUsage {
    return joinUsage(this.#reported, this.#reportedBefore, (now, before) => now - before);
  }

  get #reported(): TokenUsage {
    return this.#answered?.usage ?? this.#usage.settled;
  }

  #count(message: object): void {
    const type = isJsonObject(message) && typeof message.type === 'string' ? message.type : 'unknown';
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
  }
}
