import type {
  APIContentBlock,
  APIStreamEvent,
  SDKAssistantMessage,
  SDKPartialAssistantMessage,
  SDKStatusMessage,
  SDKThinkingTokensMessage,
} from '../../index.js';
import { type MessageFrames, openMessage, usage } from './messages.js';
import type { FrameSession } from './session.js';

/** What the CLI sends of a streamed answer. */
export type StreamedMessage =
  | SDKStatusMessage
  | SDKPartialAssistantMessage
  | SDKThinkingTokensMessage
  | SDKAssistantMessage;

/** Answers of the model as they come with `includePartialMessages`. */
export interface StreamedFrames {
  /**
   * The stream events of one text block. The whole message is not among them: an `assistantText` of the same text
   * behind them belongs to the same answer.
   * @param pieces - The text, or its pieces: one delta each.
   */
  partialText(pieces: string | readonly string[]): SDKPartialAssistantMessage[];
  /**
   * One whole answer: stream events, and the message of each block, with one message id and in the CLI's order.
   * @param blocks - A text, a text in pieces (one delta each), or what `assistantText`, `assistantThinking` and
   *   `toolUse` made.
   *
   * @example
   * streamed(['I will ', 'look.'], toolUse('Bash', { command: 'ls' }))
   */
  streamed(...blocks: readonly (string | readonly string[] | SDKAssistantMessage)[]): StreamedMessage[];
}

interface StreamedBlock {
  /** The message that the block is from. */
  readonly whole: SDKAssistantMessage;
  readonly block: APIContentBlock;
  /** The deltas of a text block. `undefined`: it is no text, or one delta. */
  readonly pieces: readonly string[] | undefined;
}

export function streamedFrames(session: FrameSession, { assistantText }: MessageFrames): StreamedFrames {
  const sent = (message: SDKAssistantMessage['message'], event: APIStreamEvent): SDKPartialAssistantMessage => ({
    type: 'stream_event',
    event,
    parent_tool_use_id: null,
    ...session.ids(),
    api_message_id: message.id,
    ...(event.type === 'message_start' && { ttft_ms: 5 }),
  });
  return {
    partialText: (given) => {
      const pieces = typeof given === 'string' ? [given] : given;
      const text = pieces.join('');
      const message = openMessage(session, []);
      session.lastText = text;
      session.lastStreamed = { id: message.id, text };
      const block = { type: 'text' as const, text, citations: null };
      return [...[start(message), ...blockEvents(block, 0, pieces), blockStop(0)], ...end('end_turn')].map((event) =>
        sent(message, event),
      );
    },
    streamed: (...given) => {
      const message = openMessage(session, []);
      const request_id = session.id('req_');
      const tokens = thinkingTokens(session);
      const blocks = given.flatMap((part): readonly StreamedBlock[] => {
        const isText = typeof part === 'string' || !('message' in part);
        const pieces = isText ? [part].flat() : undefined;
        const whole = isText ? assistantText([part].flat().join('')) : part;
        return whole.message.content.map((block) => ({ whole, block, pieces }));
      });
      const isCall = blocks.some(({ block }) => block.type === 'tool_use');
      return [
        { type: 'system', subtype: 'status', status: 'requesting', ...session.ids() },
        sent(message, start(message)),
        ...blocks.flatMap(({ whole, block, pieces }, index): StreamedMessage[] => [
          ...blockEvents(block, index, pieces).flatMap((event) => [...tokens(event), sent(message, event)]),
          { ...whole, request_id, message: { ...whole.message, id: message.id, content: [block] } },
          sent(message, blockStop(index)),
        ]),
        ...end(isCall ? 'tool_use' : 'end_turn').map((event) => sent(message, event)),
      ];
    },
  };
}

const start = (message: SDKAssistantMessage['message']): APIStreamEvent => ({ type: 'message_start', message });
const blockStop = (index: number): APIStreamEvent => ({ type: 'content_block_stop', index });

/** The block without its content, and then its content. @param pieces - Of a text. @defaultValue one */
function blockEvents(block: APIContentBlock, index: number, pieces?: readonly string[]): APIStreamEvent[] {
  const begin = (content_block: APIContentBlock): APIStreamEvent => ({
    type: 'content_block_start',
    index,
    content_block,
  });
  type Delta = Extract<APIStreamEvent, { type: 'content_block_delta' }>['delta'];
  const deltas = (...all: Delta[]) =>
    all.map((delta): APIStreamEvent => ({ type: 'content_block_delta', index, delta }));
  switch (block.type) {
    case 'text':
      return [
        begin({ ...block, text: '' }),
        ...deltas(...(pieces ?? [block.text]).map((text) => ({ type: 'text_delta' as const, text }))),
      ];
    case 'thinking':
      return [
        begin({ ...block, thinking: '', signature: '' }),
        ...deltas(
          { type: 'thinking_delta', thinking: block.thinking, estimated_tokens: null },
          { type: 'signature_delta', signature: block.signature },
        ),
      ];
    case 'tool_use':
      return [
        begin({ ...block, input: {} }),
        ...deltas(
          { type: 'input_json_delta', partial_json: '' },
          { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
        ),
      ];
    default:
      return [begin(block)];
  }
}

function end(stop_reason: 'end_turn' | 'tool_use'): APIStreamEvent[] {
  const details = { input_tokens: 10, output_tokens: 5 };
  return [
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null, stop_details: null, container: null },
      usage: { ...usage(details.input_tokens, details.output_tokens), ...details },
      context_management: null,
    },
    { type: 'message_stop' },
  ];
}

/** The CLI's estimate of the thinking so far, before each piece of it: four characters are a token. */
function thinkingTokens(session: FrameSession): (event: APIStreamEvent) => SDKThinkingTokensMessage[] {
  let units = 0;
  return (event) => {
    if (event.type !== 'content_block_delta' || event.delta.type !== 'thinking_delta') return [];
    const before = Math.ceil(units / 4);
    units += event.delta.thinking.length;
    const estimated_tokens = Math.ceil(units / 4);
    return [
      {
        type: 'system',
        subtype: 'thinking_tokens',
        estimated_tokens,
        estimated_tokens_delta: estimated_tokens - before,
        ...session.ids(),
      },
    ];
  };
}
