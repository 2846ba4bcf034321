import { isJsonObject } from '../util/json.js';
import { isResultMessage, isStreamEvent } from './guards.js';
import type { SDKPermissionDenial, SDKResultMessage } from './message.js';
import { outcomeOfRun } from './outcome.js';
import type { Outcome } from './outcome-types.js';
import { fieldsOf } from './read-message.js';
import { toOutcome } from './result-outcome.js';
import { type ModelUsage, type TokenUsage, tokenCount } from './token-usage.js';
import { type RunFacts, TurnReader } from './turn-reader.js';
import { UsageCounter, type UsageCounterOptions } from './usage-counter.js';

/** What a run came to: this run alone, not the session that it resumed. */
export interface RunSummary<T = unknown> {
  /** How it ended; see `outcomeOf`. */
  readonly outcome: Outcome;
  /** What the loop over the run threw, or would have thrown; `undefined`: nothing. */
  readonly error: unknown;
  /**
   * The answer: the text of the result that counts for `outcome`. When that turn did not complete, the text of the
   * model's last message in it, otherwise the answer of an earlier turn. Empty when there is none. `outcome.message` says
   * what went wrong.
   */
  readonly text: string;
  /**
   * The value for `outputFormat`; `undefined` when there is none. A turn that fails for another reason takes no earlier
   * value away. Claude Code has checked it against the schema, this package has not.
   */
  readonly structuredOutput: T | undefined;
  /**
   * Tokens of every turn, with sub-agents and Claude Code's own calls. When the process died in the middle of a turn,
   * an estimate from its messages: then `costUsd` is `undefined`, and output tokens are too low.
   */
  readonly usage: TokenUsage;
  /** The same by model, with costs. */
  readonly usageByModel: ModelUsage;
  /**
   * US dollars as Claude Code estimates them. `undefined` when they are not known exactly: the process died in the
   * middle of a turn, a result has a total without a table, or the release does not say what a resumed session added.
   */
  readonly costUsd: number | undefined;
  /** Calls that were not allowed, each once. */
  readonly permissionDenials: readonly SDKPermissionDenial[];
  /** Milliseconds from the prompt to the end of the run, by the clock of this process. */
  readonly durationMs: number;
  /** The sum over all results. Not a number of API calls. */
  readonly numTurns: number;
  /** `undefined` when no message came. */
  readonly sessionId: string | undefined;
}

/** What the messages of a run do not say about its end. */
export interface TallyEnd {
  /** What the loop throws. */
  readonly error: unknown;
  /** The caller ended it, without an error. */
  readonly isClosed: boolean;
  /** It did so by leaving the loop. */
  readonly isAbandoned?: boolean;
  /** It did so for a failure of its own, such as its deadline: a kind of `outcomeOf()`. */
  readonly because?: string | undefined;
  /** When it did, a turn ran or a message waited for its own. */
  readonly isCut?: boolean;
  readonly durationMs: number;
}

/** Folds the messages of a run into its summary. Keeps the result that counts only. Never throws. */
export class RunTally {
  readonly #turns = new TurnReader();
  readonly #usage: UsageCounter;
  readonly #denials = new Map<unknown, SDKPermissionDenial>();
  #numTurns = 0;
  /** The last that a result had. */
  #value: unknown;

  constructor(options: UsageCounterOptions) {
    this.#usage = new UsageCounter(options);
  }

  /** @returns the text in the message. */
  note(message: object): readonly string[] {
    if (isStreamEvent(message)) {
      this.#usage.onStreamEvent(message);
      return this.#turns.addStreamEvent(message);
    }
    this.#usage.onMessage(message);
    if (isResultMessage(message)) this.#noteResult(message);
    return this.#turns.add(message);
  }

  summary<T>(end: TallyEnd): RunSummary<T> {
    const { facts, sessionId } = this.#turns;
    const outcome = outcomeAt(facts, end);
    const structured = this.#valueFor(outcome);
    const hasNotBegun = outcome.kind === 'not_started';
    return {
      outcome,
      error: end.error,
      text: this.#text(outcome),
      // The caller says what the schema describes.
      structuredOutput: (structured ?? undefined) as T | undefined,
      usage: this.#usage.usage,
      usageByModel: this.#usage.byModel,
      costUsd: hasNotBegun || facts.result !== undefined ? this.#costOf(facts) : undefined,
      permissionDenials: [...this.#denials.values()],
      durationMs: end.durationMs,
      numTurns: this.#numTurns,
      sessionId,
    };
  }

  /** An unfinished turn has unknown costs. */
  #costOf({ isUnfinished }: RunFacts): number | undefined {
    return isUnfinished ? undefined : this.#usage.exactCostUsd;
  }

  #text({ kind, message }: Outcome): string {
    return kind === 'completed' || kind === 'deferred' ? message : this.#turns.text;
  }

  #valueFor({ kind, result }: Outcome): unknown {
    const own = result && fieldsOf(result).structured_output;
    const isSettled = kind === 'completed' || kind === 'deferred' || kind === 'structured_output_failed';
    return isSettled ? own : (own ?? this.#value);
  }

  #noteResult(result: SDKResultMessage): void {
    const { num_turns: turns, permission_denials: denials, structured_output: value } = fieldsOf(result);
    this.#value = value ?? this.#value;
    this.#numTurns += tokenCount(turns) ?? 0;
    for (const denial of Array.isArray(denials) ? denials : []) {
      if (!isJsonObject(denial)) continue;
      this.#denials.set(denial.tool_use_id, denial as unknown as SDKPermissionDenial);
    }
  }
}

function outcomeAt(facts: RunFacts, { error, isClosed, isCut }: TallyEnd): Outcome {
  const { result, isUnfinished } = facts;
  if (!isClosed || (result !== undefined && !isUnfinished)) {
    const outcome = outcomeOfRun(facts, error);
    // The result of a turn that was cut came after the decision, and names it in many ways.
    if (!isClosed || isCut !== true || outcome.kind === 'completed' || outcome.kind === 'deferred') return outcome;
  }
  return toOutcome('interrupted', {
    message: 'The run was closed before it ended',
    ...(result === undefined ? {} : { result }),
  });
}
