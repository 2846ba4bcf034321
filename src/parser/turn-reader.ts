import { isJsonObject } from '../util/json.js';
import {
  isAPIRetryMessage,
  isAssistantMessage,
  isInitMessage,
  isRateLimitEvent,
  isResultMessage,
  isStreamEvent,
  isUserMessage,
} from './guards.js';
import type {
  SDKAssistantMessage,
  SDKAssistantMessageError,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SDKUserMessage,
} from './message.js';
import { blocksOf, fieldsOf, isMessage, isOfSubagent, isSystemMessage } from './read-message.js';
import { TextPieces } from './text-pieces.js';
import { tokenCount } from './token-usage.js';

/** What the messages around a result say that the result itself does not. */
export interface TurnFacts {
  /** The `error` of the last assistant message: what the CLI calls the API's refusal. */
  readonly assistantError?: SDKAssistantMessageError | undefined;
  /** The turn's `init` lists the tool that a schema adds. */
  readonly expectsStructuredOutput: boolean;
  /** A hook blocked the prompt, or ended the turn. */
  readonly isStoppedByHook: boolean;
  /** The CLI told the model that the user stopped the turn. */
  readonly isInterrupted: boolean;
  /** The model refused and no other model took over. */
  readonly isRefused: boolean;
  /** How often the last request to the API was sent. */
  readonly attempts: number;
  /** The wait that the CLI announced before the last try. */
  readonly lastRetryDelayMs?: number | undefined;
  /** From the last rejected `rate_limit_event`; seconds since the epoch. */
  readonly limitResetsAt?: number;
}

/** UTF-16 units of a message: more than a model writes. */
const MAX_TEXT_UNITS = 4 * 1024 * 1024;

export const NO_FACTS: TurnFacts = {
  expectsStructuredOutput: false,
  isStoppedByHook: false,
  isInterrupted: false,
  isRefused: false,
  attempts: 1,
};

/** What a list of messages comes down to. */
export interface RunFacts {
  /** No message at all. */
  readonly isEmpty: boolean;
  /** The last result: the one that counts. */
  readonly result?: SDKResultMessage;
  /** The facts of the turn that `result` ended. */
  readonly turn: TurnFacts;
  /** After `result` another turn began and has no result, or a message is unanswered. */
  readonly isUnfinished: boolean;
}

/**
 * Reads the messages of a run, turn by turn: a result ends one turn, and the next starts without facts. Keeps the last
 * result only. Never throws, whatever the shape of a message.
 */
export class TurnReader {
  readonly #pieces = new TextPieces();
  #isEmpty = true;
  #turn = NO_FACTS;
  #ended: { readonly result: SDKResultMessage; readonly turn: TurnFacts } | undefined;
  #hasBegun = false;
  readonly #unanswered = new Set<unknown>();
  #sessionId: string | undefined;
  /** Of the last API message with text. One without an id is a message of its own. */
  #text = '';
  #textId: unknown;

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
    else if (isMessage(message, 'command_lifecycle')) this.#noteLifecycle(fieldsOf(message));
    this.#turn = isResultMessage(message) ? NO_FACTS : withFact(this.#turn, message);
    return pieces;
  }

  /** As {@link add}, for the messages that come by the thousand: they have nothing but text. */
  addStreamEvent(message: SDKPartialAssistantMessage): readonly string[] {
    this.#isEmpty = false;
    const pieces = this.#pieces.inStreamEvent(message);
    if (pieces.length > 0) this.#keepText(pieces);
    return pieces;
  }

  /** Of the messages so far. */
  get facts(): RunFacts {
    const ended = this.#ended;
    const isUnfinished =
      this.#hasBegun || this.#unanswered.size > 0 || (ended !== undefined && unansweredAfter(ended.result) > 0);
    return { isEmpty: this.#isEmpty, turn: NO_FACTS, ...ended, isUnfinished };
  }

  /** The last one that a message named. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** What the model wrote in the last message of the turn with text, to {@link MAX_TEXT_UNITS}; empty when nothing. */
  get text(): string {
    return this.#text.slice(0, MAX_TEXT_UNITS);
  }

  #keepText(pieces: readonly string[]): void {
    const id = this.#pieces.messageId;
    if (id === undefined || id !== this.#textId) this.#text = '';
    this.#textId = id;
    for (const piece of pieces) if (this.#text.length < MAX_TEXT_UNITS) this.#text += piece;
  }

  #beginTurn(): void {
    this.#hasBegun = true;
    this.#text = '';
  }

  #endTurn(result: SDKResultMessage): void {
    this.#ended = { result, turn: this.#turn };
    this.#hasBegun = false;
    const { user_message_uuids: answered } = fieldsOf(result);
    for (const uuid of Array.isArray(answered) ? answered : []) this.#unanswered.delete(uuid);
  }

  /**
   * The CLI reports messages with a `uuid` as queued, started, then completed or cancelled. A queued one says nothing
   * about the turn before it.
   */
  #noteLifecycle(fields: { readonly command_uuid?: unknown; readonly state?: unknown }): void {
    const { command_uuid: uuid, state } = fields;
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

/** True for the end of a turn that the CLI began by itself after a task. It answers no user message. */
export function isResultOfTask(message: unknown): boolean {
  if (!isResultMessage(message)) return false;
  const { origin } = fieldsOf(message);
  return isJsonObject(origin) && origin.kind === 'task-notification';
}

/** By the last result of a run: how many messages the CLI left without an answer when it ended. */
const unansweredCounts = new WeakMap<object, number>();

/** For `outcomeOf`, which sees messages only. */
export function leftUnanswered(lastResult: object, count: number): void {
  unansweredCounts.set(lastResult, count);
}

function unansweredAfter(lastResult: object): number {
  return unansweredCounts.get(lastResult) ?? 0;
}

function withFact(turn: TurnFacts, message: object): TurnFacts {
  if (isUserMessage(message)) return saysInterrupted(message) ? { ...turn, isInterrupted: true } : turn;
  // To the turn, the failure of a sub-agent is a tool result.
  if (isAssistantMessage(message)) return isOfSubagent(message) ? turn : withAnswer(turn, message);
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
  if (typeof error === 'string') return { ...turn, assistantError: error as SDKAssistantMessageError };
  if (turn.assistantError === undefined && turn.attempts === 1) return turn;
  // An answer came: earlier tries were for a request that went well.
  return { ...turn, assistantError: undefined, attempts: 1, lastRetryDelayMs: undefined };
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
