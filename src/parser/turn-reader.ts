import { isJsonObject, type JsonObject } from '../util/json.js';
import { UnaskedTurns } from '../util/unasked-turns.js';
import {
  isAPIRetryMessage,
  isAssistantMessage,
  isInitMessage,
  isRateLimitEvent,
  isResultMessage,
  isStreamEvent,
  isToolProgressMessage,
  isUserMessage,
} from './guards.js';
import type {
  SDKAssistantMessage,
  SDKAssistantMessageError,
  SDKCommandLifecycleMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SDKUserMessage,
} from './message.js';
import { blocksOf, fieldsOf, isMessage, isOfSubagent, isSystemMessage } from './read-message.js';
import { isFailedResult, outcomeOfResult } from './result-outcome.js';
import { TextPieces } from './text-pieces.js';
import { tokenCount } from './token-usage.js';
import { NO_FACTS, type TurnFacts } from './turn-facts.js';
import { furthest, progressAt, type TurnProgress } from './turn-progress.js';

/** UTF-16 units of a message: more than a model writes. */
const MAX_TEXT_UNITS = 4 * 1024 * 1024;

/** What a list of messages comes down to. */
export interface RunFacts {
  /** No message at all. */
  readonly isEmpty: boolean;
  /**
   * The result that counts: the last one. That of an unasked turn counts only if the turn that was asked for went well,
   * and this one failed, or gave as much: a text, and a structured value if there was one.
   */
  readonly result?: SDKResultMessage;
  /** The facts of the turn that `result` ended. */
  readonly turn: TurnFacts;
  /** After `result` another turn began and has no result, or a message is unanswered. */
  readonly isUnfinished: boolean;
  /** How far any turn came, also one without a result. */
  readonly progress: TurnProgress;
}

/**
 * Reads the messages of a run, turn by turn: a result ends one turn, and the next starts without facts. Keeps the
 * result that counts only. Never throws, whatever the shape of a message.
 */
export class TurnReader {
  readonly #pieces = new TextPieces();
  #isEmpty = true;
  #turn = NO_FACTS;
  #ended: { readonly result: SDKResultMessage; readonly turn: TurnFacts } | undefined;
  /** A turn that was asked for has failed, or is deferred, and no later one that was asked for has ended. */
  #hasFailed = false;
  #lastResult: SDKResultMessage | undefined;
  readonly #unasked = new UnaskedTurns();
  #hasBegun = false;
  readonly #unanswered = new Set<unknown>();
  #sessionId: string | undefined;
  /** Of the last API message with text. One without an id is a message of its own. */
  #text = '';
  #textId: unknown;
  /** The text of the last turn that went well and had one. */
  #answer = '';
  /** {@link text} when the turn began. */
  #textBefore = '';

  /** @returns the text in the message, piece by piece: deltas where the CLI streams them, else whole blocks. */
  add(message: unknown): readonly string[] {
    if (isStreamEvent(message)) return this.addStreamEvent(message);
    this.#isEmpty = false;
    const pieces = this.#pieces.in(message);
    if (pieces.length > 0) this.#keepText(pieces);
    if (!isJsonObject(message)) return pieces;
    const { session_id: sessionId } = message;
    if (typeof sessionId === 'string') this.#sessionId = sessionId;
    if (isResultMessage(message)) this.#endTurn(message);
    else if (isInitMessage(message)) this.#beginTurn();
    else if (isMessage(message, 'command_lifecycle')) this.#noteLifecycle(message);
    this.#turn = isResultMessage(message) ? turnAfter(this.#turn, message) : withFact(this.#turn, message);
    return pieces;
  }

  /** As {@link add}, for the messages that come by the thousand: they have nothing but text. */
  addStreamEvent(message: SDKPartialAssistantMessage): readonly string[] {
    this.#isEmpty = false;
    if (this.#turn.progress === 'none') this.#turn = { ...this.#turn, progress: 'answered' };
    const pieces = this.#pieces.inStreamEvent(message);
    if (pieces.length > 0) this.#keepText(pieces);
    return pieces;
  }

  /** Of the messages so far. */
  get facts(): RunFacts {
    const ended = this.#ended;
    const isUnfinished = this.#hasBegun || this.#unanswered.size > 0 || unansweredAfter(this.#lastResult) > 0;
    return { isEmpty: this.#isEmpty, turn: NO_FACTS, ...ended, isUnfinished, progress: this.#turn.progress };
  }

  /** The last one that a message named. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /**
   * What the model wrote in the last message of the turn with text, to {@link MAX_TEXT_UNITS}. Without one, the answer
   * of an earlier turn; empty when there is none either.
   */
  get text(): string {
    return this.#text.slice(0, MAX_TEXT_UNITS) || this.#answer;
  }

  #keepText(pieces: readonly string[]): void {
    const id = this.#pieces.messageId;
    if (id === undefined || id !== this.#textId) this.#text = '';
    this.#textId = id;
    for (const piece of pieces) if (this.#text.length < MAX_TEXT_UNITS) this.#text += piece;
  }

  #beginTurn(): void {
    this.#hasBegun = true;
    this.#textBefore = this.text;
    this.#text = '';
  }

  #endTurn(result: SDKResultMessage): void {
    this.#hasBegun = false;
    this.#lastResult = result;
    const { user_message_uuids: answered, result: text } = fieldsOf(result);
    const isGood = !isFailedResult(result);
    const isUnasked = this.#unasked.note(result);
    if (isUnasked && this.#hasFailed) {
      this.#text = this.#textBefore;
    } else {
      if (isGood && typeof text === 'string' && text !== '') this.#answer = text;
      if (!(isUnasked && this.#hasGivenMoreThan(result))) this.#ended = { result, turn: this.#turn };
      if (isUnasked && !isGood) this.#text = '';
    }
    if (!isUnasked) this.#hasFailed = outcomeOfResult(result, this.#turn).kind !== 'completed';
    for (const uuid of Array.isArray(answered) ? answered : []) this.#unanswered.delete(uuid);
  }

  /** The result that counts so far has what this one of an unasked turn lacks, although the turn did not fail. */
  #hasGivenMoreThan(result: SDKResultMessage): boolean {
    if (this.#ended === undefined) return false;
    const { kind } = outcomeOfResult(result, this.#turn);
    if (kind !== 'completed' && kind !== 'structured_output_failed') return false;
    const before = fieldsOf(this.#ended.result);
    const { structured_output: value, result: text } = fieldsOf(result);
    if (value !== undefined) return false;
    return before.structured_output !== undefined || text === '' || typeof text !== 'string';
  }

  /**
   * The CLI reports messages with a `uuid` as queued, started, then completed or cancelled. A queued one says nothing
   * about the turn before it.
   */
  #noteLifecycle(message: SDKCommandLifecycleMessage): void {
    this.#unasked.note(message);
    const { command_uuid: uuid, state } = fieldsOf(message);
    if (state === 'started') this.#unanswered.add(uuid);
    else if (state !== 'queued') this.#unanswered.delete(uuid);
  }
}

/** The facts of a whole list. */
export function runFactsOf(messages: Iterable<unknown>): RunFacts {
  const reader = new TurnReader();
  for (const message of messages) reader.add(message);
  return reader.facts;
}

/** By the last result of a run: how many messages the CLI left without an answer when it ended. */
const unansweredCounts = new WeakMap<object, number>();

/** For `outcomeOf`, which sees messages only. */
export function leftUnanswered(lastResult: object, count: number): void {
  unansweredCounts.set(lastResult, count);
}

function unansweredAfter(lastResult: object | undefined): number {
  return (lastResult && unansweredCounts.get(lastResult)) ?? 0;
}

/** The next turn starts without facts, but what has run has run. */
function turnAfter(turn: TurnFacts, result: SDKResultMessage): TurnFacts {
  return withProgress(NO_FACTS, progressAt(result, turn.progress));
}

function withProgress(turn: TurnFacts, seen: TurnProgress): TurnFacts {
  const progress = furthest(turn.progress, seen);
  return progress === turn.progress ? turn : { ...turn, progress };
}

function withFact(turn: TurnFacts, message: object): TurnFacts {
  if (isUserMessage(message)) {
    const ran = hasBlock(message, 'tool_result') ? withProgress(turn, 'tools') : turn;
    return saysInterrupted(message) ? { ...ran, isInterrupted: true } : ran;
  }
  if (isToolProgressMessage(message)) return withProgress(turn, 'tools');
  if (isAssistantMessage(message)) {
    // A sub-agent is a tool that runs.
    const isTool = isOfSubagent(message) || hasBlock(message, 'tool_use');
    const ran = withProgress(turn, isTool ? 'tools' : 'answered');
    // To the turn, the failure of a sub-agent is a tool result.
    return isOfSubagent(message) ? ran : withAnswer(ran, message);
  }
  if (isInitMessage(message)) {
    const { tools } = fieldsOf(message);
    const expectsStructuredOutput = Array.isArray(tools) && tools.includes('StructuredOutput');
    return { ...turn, expectsStructuredOutput };
  }
  if (isAPIRetryMessage(message)) {
    const { attempt, retry_delay_ms: delay } = fieldsOf(message);
    const attempts = (tokenCount(attempt) ?? turn.attempts) + 1;
    return { ...turn, attempts, lastRetryDelayMs: tokenCount(delay) };
  }
  if (isRateLimitEvent(message)) return withLimit(turn, fieldsOf(message).rate_limit_info);
  if (isSystemMessage(message, 'informational')) {
    const isEnd = fieldsOf(message).prevent_continuation === true;
    return isEnd ? { ...turn, isStoppedByHook: true } : turn;
  }
  const isRefusal = isSystemMessage(message, 'model_refusal_no_fallback');
  return isRefusal ? { ...turn, isRefused: true } : turn;
}

function withAnswer(turn: TurnFacts, message: SDKAssistantMessage): TurnFacts {
  const { error } = fieldsOf(message);
  if (typeof error === 'string') {
    const { api_error_params: params } = message as JsonObject;
    const cutBy = isJsonObject(params) ? params.cut : undefined;
    return { ...turn, assistantError: error as SDKAssistantMessageError, cutBy };
  }
  if (turn.assistantError === undefined && turn.attempts === 1) return turn;
  // An answer came: earlier tries were for a request that went well.
  return { ...turn, assistantError: undefined, cutBy: undefined, attempts: 1, lastRetryDelayMs: undefined };
}

function hasBlock(message: SDKAssistantMessage | SDKUserMessage, kind: 'tool_use' | 'tool_result'): boolean {
  return blocksOf(message).some(({ type }) => type === kind);
}

/** The text an interrupted turn ends with, also in releases whose results do not say so. */
function saysInterrupted(message: SDKUserMessage): boolean {
  if (isOfSubagent(message)) return false;
  return blocksOf(message).some(
    ({ text }) => typeof text === 'string' && text.startsWith('[Request interrupted by user'),
  );
}

function withLimit(turn: TurnFacts, info: unknown): TurnFacts {
  if (!isJsonObject(info) || info.status !== 'rejected') return turn;
  const limitResetsAt = tokenCount(info.resetsAt);
  return limitResetsAt === undefined ? turn : { ...turn, limitResetsAt };
}
