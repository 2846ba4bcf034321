import type { JsonObject } from '../../util/json.js';
import type { BlocksTurn, ContentBlock, TextTurn, ToolUseBlock } from './turn.js';

/** A content block with everything the wire needs filled in. */
export type FilledBlock =
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
  context: {
    readonly id: string;
    readonly requestedModel: string | undefined;
    readonly nextToolId: () => string;
  },
): ApiMessage {
  const blocks: readonly ContentBlock[] =
    'blocks' in turn ? turn.blocks : [{ type: 'text', text: turn.text }];
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
  return {
    id: message.id,
    type: 'message',
    role: 'assistant',
    model: message.model,
    content: message.content.map(toWireBlock),
    stop_reason: message.stopReason,
    stop_sequence: null,
    usage: message.usage,
  };
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
