import {
  isAPIRetryMessage,
  isAssistantMessage,
  isInitMessage,
  isRateLimitEvent,
  isResultMessage,
  isUserMessage,
} from '../../parser/guards.js';
import type {
  SDKAssistantMessageError,
  SDKResultMessage,
  SDKUserMessage,
} from '../../parser/message.js';
import { isJsonObject } from '../../util/json.js';
import { unansweredAfter } from './unanswered.js';

/** What the messages around a result say that the result itself does not. */
export interface TurnFacts {
  /** The `error` of the turn's synthetic assistant message. */
  readonly assistantError?: SDKAssistantMessageError;
  /** The turn's `init` lists the tool that a schema adds. */
  readonly expectsStructuredOutput: boolean;
  /** A hook blocked the prompt, or ended the turn. */
  readonly isStoppedByHook: boolean;
  /** The CLI told the model that the user stopped the turn. */
  readonly isInterrupted: boolean;
  /** The model refused and no other model took over. */
  readonly isRefused: boolean;
  /** The last wait the CLI announced. */
  readonly lastRetryDelayMs?: number;
  /** From the last rejected `rate_limit_event`; seconds since the epoch. */
  readonly limitResetsAt?: number;
}

export const NO_FACTS: TurnFacts = {
  expectsStructuredOutput: false,
  isStoppedByHook: false,
  isInterrupted: false,
  isRefused: false,
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

/** Folds messages into facts. Facts belong to a turn: a result ends one and the next starts empty. */
export class RunFactsFold {
  #isEmpty = true;
  #turn = NO_FACTS;
  #ended: { result: SDKResultMessage; turn: TurnFacts } | undefined;
  #hasBegun = false;
  readonly #unanswered = new Set<unknown>();

  /** Never throws, however odd a message. */
  add(message: unknown): void {
    this.#isEmpty = false;
    // Hot path: the messages of which there are many, and whose text alone can matter.
    if (isUserMessage(message)) {
      this.#turn = addUserFact(this.#turn, message);
    } else if (isResultMessage(message)) {
      this.#ended = { result: message, turn: this.#turn };
      this.#turn = NO_FACTS;
      this.#hasBegun = false;
      for (const uuid of listIn(message, 'user_message_uuids')) this.#unanswered.delete(uuid);
    } else {
      if (isInitMessage(message)) this.#hasBegun = true;
      noteLifecycle(message, this.#unanswered);
      this.#turn = addFact(this.#turn, message);
    }
  }

  /** Of the messages so far. */
  get facts(): RunFacts {
    const ended = this.#ended;
    const isUnfinished =
      this.#hasBegun ||
      this.#unanswered.size > 0 ||
      (ended !== undefined && unansweredAfter(ended.result) > 0);
    return { isEmpty: this.#isEmpty, turn: NO_FACTS, ...ended, isUnfinished };
  }
}

/** The facts of a whole list. */
export function runFactsOf(messages: Iterable<unknown>): RunFacts {
  const fold = new RunFactsFold();
  for (const message of messages) fold.add(message);
  return fold.facts;
}

/**
 * Messages with a `uuid` are reported: queued, started, and in the end completed or cancelled. One that is only queued says
 * nothing about the turn before it, whose outcome may be asked for alone.
 */
function noteLifecycle(message: unknown, unanswered: Set<unknown>): void {
  if (!isJsonObject(message) || message.type !== 'command_lifecycle') return;
  const { command_uuid: uuid, state } = message;
  if (state === 'started') unanswered.add(uuid);
  else if (state !== 'queued') unanswered.delete(uuid);
}

function listIn(message: object, key: string): readonly unknown[] {
  const list: unknown = Reflect.get(message, key);
  return Array.isArray(list) ? list : [];
}

function addFact(turn: TurnFacts, message: unknown): TurnFacts {
  if (isAssistantMessage(message)) {
    // A subagent's failure is a tool result to the turn, not the turn's own.
    if (typeof message.error !== 'string' || message.parent_tool_use_id) return turn;
    return { ...turn, assistantError: message.error };
  }
  if (isInitMessage(message)) {
    const { tools } = message;
    return {
      ...turn,
      expectsStructuredOutput: Array.isArray(tools) && tools.includes('StructuredOutput'),
    };
  }
  if (isAPIRetryMessage(message)) {
    return typeof message.retry_delay_ms === 'number'
      ? { ...turn, lastRetryDelayMs: message.retry_delay_ms }
      : turn;
  }
  if (isRateLimitEvent(message)) return withLimit(turn, message.rate_limit_info);
  if (!isJsonObject(message) || message.type !== 'system') return turn;
  if (message.subtype === 'informational' && message.prevent_continuation === true) {
    return { ...turn, isStoppedByHook: true };
  }
  if (message.subtype === 'model_refusal_no_fallback') return { ...turn, isRefused: true };
  return turn;
}

function addUserFact(turn: TurnFacts, message: SDKUserMessage): TurnFacts {
  const isOwn = !message.parent_tool_use_id && saysInterrupted(message.message?.content);
  return isOwn ? { ...turn, isInterrupted: true } : turn;
}

/** The text an interrupted turn ends with, also in releases whose results do not say so. */
function saysInterrupted(content: unknown): boolean {
  const blocks: unknown[] = Array.isArray(content) ? content : [{ text: content }];
  return blocks.some(
    (block) =>
      isJsonObject(block) &&
      typeof block.text === 'string' &&
      block.text.startsWith('[Request interrupted by user'),
  );
}

function withLimit(turn: TurnFacts, info: unknown): TurnFacts {
  if (!isJsonObject(info) || info.status !== 'rejected') return turn;
  const { resetsAt } = info;
  return typeof resetsAt === 'number' ? { ...turn, limitResetsAt: resetsAt } : turn;
}
