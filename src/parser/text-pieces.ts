import { isJsonObject } from '../util/json.js';
import { isAssistantMessage, isStreamEvent } from './guards.js';
import type { SDKAssistantMessage } from './message.js';
import { blocksOf, fieldsOf, isOfSubagent } from './read-message.js';

/** Deltas came without the event that names their API message. */
const UNNAMED = Symbol('unnamed');

/**
 * The text of the main thread, piece by piece: deltas where the CLI streams them, else whole blocks. Without thinking,
 * tool calls, sub-agents, and the texts that stand for a failed API call.
 */
export class TextPieces {
  /** The API message whose stream events come. */
  #streaming: unknown;
  /** The API message whose text came as deltas: its complete blocks repeat it. */
  #streamed: unknown;
  #messageId: unknown;

  /** The pieces in one message, at most one as a rule. Never throws. */
  in(message: unknown): readonly string[] {
    const isStreaming = isStreamEvent(message);
    if (!isStreaming && !isAssistantMessage(message)) return [];
    if (isOfSubagent(message)) return [];
    return isStreaming ? this.#inEvent(fieldsOf(message).event) : this.#inAssistant(message);
  }

  /** The API message that the last piece is from. */
  get messageId(): unknown {
    return this.#messageId;
  }

  #inEvent(event: unknown): readonly string[] {
    if (!isJsonObject(event)) return [];
    const { type, message, delta } = event;
    if (type === 'message_start') {
      this.#streaming = isJsonObject(message) ? message.id : undefined;
      return [];
    }
    if (type !== 'content_block_delta' || !isJsonObject(delta)) return [];
    const { type: kind, text } = delta;
    if (kind !== 'text_delta' || typeof text !== 'string' || text === '') return [];
    this.#streamed = this.#streaming ?? UNNAMED;
    this.#messageId = this.#streamed;
    return [text];
  }

  #inAssistant(assistant: SDKAssistantMessage): readonly string[] {
    const { message, error } = fieldsOf(assistant);
    if (!isJsonObject(message) || typeof error === 'string') return [];
    const { id } = message;
    if (this.#streamed === UNNAMED) this.#streamed = id;
    if (id !== undefined && id === this.#streamed) return [];
    const texts = blocksOf(assistant).flatMap(({ type, text }) =>
      type === 'text' && typeof text === 'string' && text !== '' ? [text] : [],
    );
    if (texts.length > 0) this.#messageId = id;
    return texts;
  }
}
