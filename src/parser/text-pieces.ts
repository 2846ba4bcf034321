import { isJsonObject } from '../util/json.js';
import { isAssistantMessage, isStreamEvent } from './guards.js';
import type { SDKAssistantMessage, SDKPartialAssistantMessage } from './message.js';
import { blocksOf, fieldsOf, isOfSubagent } from './read-message.js';

/** An API message whose stream events come. */
interface Streamed {
  /** `undefined` when deltas came without the event that names their API message. */
  readonly id: unknown;
  /** Of text whose deltas came and whose complete block did not. */
  readonly blocks: StreamedBlock[];
}

interface StreamedBlock {
  readonly index: unknown;
  /** How it began, and how long it is by now, in UTF-16 units. Not the whole: it may be long, and deltas are many. */
  head: string;
  length: number;
}

const NONE: readonly string[] = Object.freeze([]);

const HEAD_UNITS = 64;
/** The CLI completes a block before it streams the next but one. */
const MAX_OPEN_BLOCKS = 8;

/**
 * The text of the main thread, piece by piece: deltas where the CLI streams them, else whole blocks. Of a block that was
 * streamed in part, the rest. Leaves out thinking, tool calls, sub-agents, and what the CLI writes about a failed API call.
 */
export class TextPieces {
  /** `undefined` while a message is streamed that came whole before. */
  #streamed: Streamed | undefined = { id: undefined, blocks: [] };
  #messageId: unknown;

  /** The pieces in one message, at most one as a rule. Never throws. */
  in(message: unknown): readonly string[] {
    if (isStreamEvent(message)) return this.inStreamEvent(message);
    return isAssistantMessage(message) && !isOfSubagent(message) ? this.#inAssistant(message) : NONE;
  }

  /** As {@link in}. */
  inStreamEvent(message: SDKPartialAssistantMessage): readonly string[] {
    return isOfSubagent(message) ? NONE : this.#inEvent(fieldsOf(message).event);
  }

  /** Tells the API message that the last piece is from: compare it, it need not be an id. */
  get messageId(): unknown {
    return this.#messageId;
  }

  #inEvent(event: unknown): readonly string[] {
    if (!isJsonObject(event)) return NONE;
    if (event.type === 'message_start') {
      this.#begin(event.message);
      return NONE;
    }
    // A block begins without text today.
    const part = event.delta ?? event.content_block;
    if (this.#streamed === undefined || !isJsonObject(part)) return NONE;
    const { type, text } = part;
    if ((type !== 'text_delta' && type !== 'text') || typeof text !== 'string' || text === '') return NONE;
    addTo(this.#streamed.blocks, event.index, text);
    this.#messageId = this.#streamed;
    return [text];
  }

  #begin(message: unknown): void {
    const id = isJsonObject(message) ? message.id : undefined;
    const isRepeat = id !== undefined && id === this.#messageId;
    this.#streamed = isRepeat ? undefined : { id, blocks: [] };
  }

  #inAssistant(assistant: SDKAssistantMessage): readonly string[] {
    const { message, error } = fieldsOf(assistant);
    if (!isJsonObject(message) || typeof error === 'string') return NONE;
    const { id } = message;
    const streamed = this.#streamedAs(id);
    const texts: string[] = [];
    for (const { type, text } of blocksOf(assistant)) {
      if (type !== 'text' || typeof text !== 'string' || text === '') continue;
      const missing = streamed === undefined ? text : takeMissing(streamed.blocks, text);
      if (missing !== '') texts.push(missing);
    }
    if (texts.length > 0) this.#messageId = streamed ?? id;
    return texts;
  }

  /** The deltas of the API message with this id. */
  #streamedAs(id: unknown): Streamed | undefined {
    const streamed = this.#streamed;
    if (streamed === undefined || id === undefined) return undefined;
    const isOwn = streamed.id === undefined ? streamed.blocks.length > 0 : streamed.id === id;
    return isOwn ? streamed : undefined;
  }
}

function addTo(blocks: StreamedBlock[], index: unknown, text: string): void {
  const last = blocks.at(-1);
  const block = last?.index === index ? last : blocks.find((each) => each.index === index);
  if (block === undefined) {
    blocks.push({ index, head: text.slice(0, HEAD_UNITS), length: text.length });
    if (blocks.length > MAX_OPEN_BLOCKS) blocks.shift();
    return;
  }
  if (block.head.length < HEAD_UNITS) block.head = (block.head + text).slice(0, HEAD_UNITS);
  block.length += text.length;
}

/** What of a complete block did not come as deltas. Found by its beginning, because a complete block has no index. */
function takeMissing(blocks: StreamedBlock[], text: string): string {
  const begun = blocks.filter(({ head }) => text.startsWith(head) || head.startsWith(text));
  const found = begun.find(({ length }) => length === text.length) ?? begun[0];
  if (found === undefined) return text;
  blocks.splice(blocks.indexOf(found), 1);
  return text.slice(found.length);
}
