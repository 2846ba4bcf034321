import { isResultMessage } from '../../parser/guards.js';
import type { SDKPermissionDenial } from '../../parser/message.js';
import { UsageCounter, type UsageCounterOptions } from '../../usage/usage-counter.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import { plainOutcome } from '../outcome/outcome-of-result.js';
import type { Outcome } from '../outcome/outcome-types.js';
import { type RunFacts, RunFactsFold } from '../outcome/turn-facts.js';
import { outcomeOfRun } from '../outcome.js';
import type { RunSummary } from './summary-types.js';
import { TextPieces } from './text-pieces.js';

/** How a run ended, as far as its messages do not say it. */
export interface TallyEnd {
  /** What the loop throws. */
  readonly error: unknown;
  /** The caller ended it, without an error. */
  readonly isClosed: boolean;
  readonly durationMs: number;
}

/**
 * Folds the messages of a run into its summary. Keeps no message but the last result. Never throws, however odd a
 * message.
 */
export class RunTally {
  readonly #facts = new RunFactsFold();
  readonly #usage: UsageCounter;
  readonly #pieces = new TextPieces();
  readonly #denials = new Map<unknown, SDKPermissionDenial>();
  /** Of the last API message with text, until a result comes. */
  #texts: string[] = [];
  #textId: unknown;
  #numTurns = 0;
  #sessionId: string | undefined;

  constructor(options: UsageCounterOptions) {
    this.#usage = new UsageCounter(options);
  }

  /** On the hot path: one test and two fields for the events of a stream. @returns the text in it. */
  note(message: JsonObject): readonly string[] {
    this.#usage.onMessage(message);
    const pieces = this.#pieces.in(message);
    if (pieces.length > 0) this.#keep(pieces);
    if (message.type === 'stream_event') return pieces;
    this.#facts.add(message);
    this.#sessionId = stringField(message, 'session_id') ?? this.#sessionId;
    if (isResultMessage(message)) this.#noteResult(message as unknown as JsonObject);
    else if (message.subtype === 'init') this.#texts = [];
    return pieces;
  }

  summary<T>(end: TallyEnd): RunSummary<T> {
    const facts = this.#facts.facts;
    const outcome = outcomeAt(facts, end);
    const structured: unknown = outcome.result && Reflect.get(outcome.result, 'structured_output');
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
      sessionId: this.#sessionId,
    };
  }

  /** A turn that began and has no result may have used what nothing tells. */
  #costOf({ isUnfinished }: RunFacts): number | undefined {
    return isUnfinished ? undefined : this.#usage.exactCostUsd;
  }

  #text({ kind, message }: Outcome): string {
    return kind === 'completed' || kind === 'deferred' ? message : this.#texts.join('');
  }

  #keep(pieces: readonly string[]): void {
    const id = this.#pieces.messageId;
    if (id !== this.#textId) this.#texts = [];
    this.#textId = id;
    this.#texts.push(...pieces);
  }

  #noteResult(result: JsonObject): void {
    const { num_turns: turns, permission_denials: denials } = result;
    if (typeof turns === 'number' && Number.isFinite(turns)) this.#numTurns += turns;
    for (const denial of Array.isArray(denials) ? denials : []) {
      if (!isJsonObject(denial)) continue;
      this.#denials.set(denial.tool_use_id, denial as unknown as SDKPermissionDenial);
    }
  }
}

function outcomeAt(facts: RunFacts, { error, isClosed }: TallyEnd): Outcome {
  if (!isClosed || (facts.result !== undefined && !facts.isUnfinished)) {
    return outcomeOfRun(facts, error);
  }
  const { result } = facts;
  return plainOutcome('interrupted', {
    message: 'The run was closed before it ended',
    ...(result === undefined ? {} : { result }),
  });
}
