import { assertNever } from '../../util/assert-never.js';
import type { JsonObject } from '../../util/json.js';
import type { BlocksTurn, ContentBlock, MessageShape, TextTurn, ToolUseBlock } from './turn.js';

/** A content block with everything the wire needs filled in. */
type FilledBlock =
  | Exclude<ContentBlock, ToolUseBlock | { readonly type: 'thinking' }>
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | (ToolUseBlock & { readonly id: string });

/** The answer of one model call, in the API's names. */
export interface ApiMessage {
  readonly id: string;
  readonly model: string;
  readonly content: readonly FilledBlock[];
  readonly stopReason: string;
  readonly usage: JsonObject & { readonly output_tokens: unknown };
}

/** Any base64 will do: nobody on this side checks it. */
const SIGNATURE = 'c2lnbmF0dXJl';

/** Builds the answer that a turn describes. `nextToolId` is asked for every call without an id. */
export function buildMessage(
  turn: TextTurn | BlocksTurn,
  context: { readonly id: string; readonly requestedModel: string | undefined; readonly nextToolId: () => string },
): ApiMessage {
  const blocks: readonly ContentBlock[] = 'blocks' in turn ? turn.blocks : [{ type: 'text', text: turn.text }];
  const content = blocks.map((block) => fill(block, context.nextToolId));
  const callsTool = content.some((block) => block.type === 'tool_use');
  return {
    id: context.id,
    model: turn.model ?? context.requestedModel ?? 'scripted-model',
    content,
    stopReason: turn.stopReason ?? (callsTool ? 'tool_use' : 'end_turn'),
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      service_tier: 'standard',
      output_tokens: Math.max(1, Math.ceil(JSON.stringify(content).length / 4)),
      ...turn.usage,
    },
  };
}

/** The body of an answer that is not streamed. */
export function toMessageBody(message: ApiMessage): JsonObject {
  const { content, stopReason, usage } = message;
  return { ...startOf(message), content: content.map(toWireBlock), stop_reason: stopReason, usage };
}

function toWireBlock(block: FilledBlock): JsonObject {
  if (block.type !== 'tool_use') return { ...block };
  const { type, id, name, input } = block;
  return { type, id, name, input };
}

function fill(block: ContentBlock, nextToolId: () => string): FilledBlock {
  switch (block.type) {
    case 'thinking':
      return { ...block, signature: block.signature ?? SIGNATURE };
    case 'tool_use':
      return { ...block, id: block.id ?? nextToolId() };
    default:
      return block;
  }
}

/** One server-sent event and the pause that follows it, in milliseconds. */
interface SseStep {
  readonly type: string;
  readonly data: JsonObject;
  readonly pauseMs: number;
}

const DEFAULT_CHUNK_SIZE = 20;

/** Encodes one event as the API writes it: its type twice, in the event line and in the data. */
export function encodeEvent(type: string, data: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

/** The events of one streamed answer, in order. A turn that is cut short ends without `message_stop`. */
export function* messageSteps(message: ApiMessage, shape: MessageShape): Generator<SseStep> {
  const pings = shape.pings ?? 1;
  const beforeFirstBlock = shape.firstTokenMs ?? 0;
  yield sse('message_start', { message: startOf(message) }, pings > 0 ? 0 : beforeFirstBlock);
  for (let ping = 1; ping <= pings; ping += 1) yield sse('ping', {}, ping === pings ? beforeFirstBlock : 0);
  const last = message.content.length - 1;
  for (const [index, block] of message.content.entries()) {
    yield sse('content_block_start', { index, content_block: emptyBlock(block) });
    for (const delta of deltas(block, shape.chunkSize ?? DEFAULT_CHUNK_SIZE)) {
      yield sse('content_block_delta', { index, delta }, shape.chunkMs ?? 0);
    }
    if (shape.truncate === true && index === last) return;
    yield sse('content_block_stop', { index }, index === last ? (shape.holdMs ?? 0) : 0);
  }
  if (shape.truncate === true) return;
  if (shape.sseError !== undefined) {
    yield sse('error', { error: shape.sseError });
    return;
  }
  yield sse('message_delta', { delta: { stop_reason: message.stopReason, stop_sequence: null }, usage: message.usage });
  yield sse('message_stop', {});
}

function sse(type: string, data: JsonObject, pauseMs = 0): SseStep {
  return { type, data, pauseMs };
}

function startOf({ id, model, usage }: ApiMessage): JsonObject {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    // Never more than at the end: a turn may be given a usage of nothing.
    usage: { ...usage, output_tokens: usage.output_tokens === 0 ? 0 : 1 },
  };
}

function emptyBlock(block: FilledBlock): JsonObject {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'redacted_thinking':
      return { ...block };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} };
    default:
      return assertNever(block);
  }
}

function* deltas(block: FilledBlock, chunkSize: number): Generator<JsonObject> {
  switch (block.type) {
    case 'text':
      for (const text of pieces(block.text, chunkSize)) yield { type: 'text_delta', text };
      return;
    case 'thinking':
      for (const thinking of pieces(block.thinking, chunkSize)) yield { type: 'thinking_delta', thinking };
      yield { type: 'signature_delta', signature: block.signature };
      return;
    case 'tool_use':
      // The API opens every call with an empty piece.
      yield { type: 'input_json_delta', partial_json: '' };
      for (const json of pieces(block.rawInput ?? JSON.stringify(block.input), chunkSize)) {
        yield { type: 'input_json_delta', partial_json: json };
      }
      return;
    case 'redacted_thinking':
      return;
    default:
      assertNever(block);
  }
}

/**
 * Cuts a text without splitting a surrogate pair, which no real tokenizer does either. An empty text is one empty
 * piece.
 */
function* pieces(text: string, size: number): Generator<string> {
  let start = 0;
  do {
    let end = start + Math.max(1, size);
    if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end += 1;
    yield text.slice(start, end);
    start = end;
  } while (start < text.length);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Ids as they look in recordings: `req_fake_0001`. */
export function countedId(prefix: 'req' | 'msg' | 'toolu', number: number): string {
  return `${prefix}_fake_${String(number).padStart(4, '0')}`;
}

/** Counts one kind of id, from 1. */
export function idCounter(prefix: 'req' | 'msg' | 'toolu'): () => string {
  let count = 0;
  return () => {
    count += 1;
    return countedId(prefix, count);
  };
}
