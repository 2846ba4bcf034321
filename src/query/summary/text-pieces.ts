import { isJsonObject, type JsonObject } from '../../util/json.js';

/** Deltas came, and no event said of which API message. */
const UNNAMED = Symbol('unnamed');

/**
 * The text of the main thread, piece by piece: deltas where the CLI streams them, else whole blocks. Without
 * thinking, tool
 * calls, sub-agents, and the texts that stand for a failed API call.
 */
export class TextPieces {
  /** The API message whose stream events come. */
  #streaming: unknown;
  /** The API message whose text came as deltas: its complete blocks say the same again. */
  #streamed: unknown;
  #messageId: unknown;

  /** The pieces in one message: none, as a rule one. Never throws, however odd the message. */
  in(message: JsonObject): readonly string[] {
    const { type, event, parent_tool_use_id: parent } = message;
    if (typeof parent === 'string') return [];
    if (type === 'stream_event') return isJsonObject(event) ? this.#inEvent(event) : [];
    return type === 'assistant' ? this.#inAssistant(message) : [];
  }

  /** The API message that the last piece is from. */
  get messageId(): unknown {
    return this.#messageId;
  }

  #inEvent({ type, message, delta }: JsonObject): readonly string[] {
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

  #inAssistant({ message, error }: JsonObject): readonly string[] {
    if (!isJsonObject(message) || typeof error === 'string') return [];
    const { id, content } = message;
    if (this.#streamed === UNNAMED) this.#streamed = id;
    if (id !== undefined && id === this.#streamed) return [];
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
    const texts = blocks.flatMap((block) => {
      const isText = isJsonObject(block) && block.type === 'text';
      return isText && typeof block.text === 'string' && block.text !== '' ? [block.text] : [];
    });
    if (texts.length > 0) this.#messageId = id;
    return texts;
  }
}
