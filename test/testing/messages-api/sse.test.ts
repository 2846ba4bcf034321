import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildMessage, encodeEvent, messageSteps } from '../../../src/testing/messages-api/message.js';
import type { BlocksTurn } from '../../../src/testing/messages-api/turn.js';

function steps(turn: BlocksTurn) {
  const message = buildMessage(turn, { id: 'msg_1', requestedModel: 'm-1', nextToolId: () => 'toolu_1' });
  return [...messageSteps(message, turn)];
}

/** The pieces of one block, with `index` left out. */
function deltas(turn: BlocksTurn): Record<string, unknown>[] {
  return steps(turn)
    .filter((step) => step.type === 'content_block_delta')
    .map((step) => step.data.delta as Record<string, unknown>);
}

describe('the stream of one answer', () => {
  test('opens, pings, plays every block with its index, and closes', () => {
    const played = steps({ blocks: [text('a'), text('b')] });
    expect(played.map((step) => [step.type, step.data.index])).toEqual([
      ['message_start', undefined],
      ['ping', undefined],
      ['content_block_start', 0],
      ['content_block_delta', 0],
      ['content_block_stop', 0],
      ['content_block_start', 1],
      ['content_block_delta', 1],
      ['content_block_stop', 1],
      ['message_delta', undefined],
      ['message_stop', undefined],
    ]);
  });

  const blocks = [
    {
      name: 'text',
      block: text('hello'),
      start: { type: 'text', text: '' },
      pieces: [{ type: 'text_delta', text: 'hello' }],
    },
    {
      name: 'an empty text is one empty delta',
      block: text(''),
      start: { type: 'text', text: '' },
      pieces: [{ type: 'text_delta', text: '' }],
    },
    {
      name: 'thinking ends with its signature',
      block: { type: 'thinking', thinking: 'hm', signature: 's' },
      start: { type: 'thinking', thinking: '', signature: '' },
      pieces: [
        { type: 'thinking_delta', thinking: 'hm' },
        { type: 'signature_delta', signature: 's' },
      ],
    },
    {
      name: 'redacted thinking has no delta',
      block: { type: 'redacted_thinking', data: 'xyz' },
      start: { type: 'redacted_thinking', data: 'xyz' },
      pieces: [],
    },
    {
      name: 'a tool call opens with an empty piece and streams its JSON',
      block: { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
      start: { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
      pieces: [
        { type: 'input_json_delta', partial_json: '' },
        { type: 'input_json_delta', partial_json: '{"command":"ls"}' },
      ],
    },
    {
      name: 'a raw input replaces the JSON',
      block: { type: 'tool_use', id: 'own', name: 'Bash', input: {}, rawInput: '{"a":' },
      start: { type: 'tool_use', id: 'own', name: 'Bash', input: {} },
      pieces: [
        { type: 'input_json_delta', partial_json: '' },
        { type: 'input_json_delta', partial_json: '{"a":' },
      ],
    },
  ] as const;
  for (const { name, block, start, pieces } of blocks) {
    test(`block: ${name}`, () => {
      const turn: BlocksTurn = { blocks: [block] };
      const opened = steps(turn).find((step) => step.type === 'content_block_start');
      expect(opened?.data.content_block).toEqual(start);
      expect(deltas(turn)).toEqual(pieces);
    });
  }

  test('however a text is cut, the pieces join to it and no surrogate pair is split', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\u2028', '\n') });
    fc.assert(
      fc.property(texts, fc.integer({ min: -1, max: 7 }), (value, chunkSize) => {
        const pieces = deltas({ blocks: [text(value)], chunkSize }).map((d) => String(d.text));
        expect(pieces.join('')).toBe(value);
        // A lone surrogate does not survive UTF-8.
        for (const piece of pieces) expect(Buffer.from(piece).toString()).toBe(piece);
      }),
    );
  });

  test('pauses stand where the turn asks for them', () => {
    const paced = steps({ blocks: [text('abcd')], pings: 2, firstTokenMs: 5, chunkMs: 7, chunkSize: 2, holdMs: 9 });
    expect(paced.map((step) => [step.type, step.pauseMs])).toEqual([
      ['message_start', 0],
      ['ping', 0],
      ['ping', 5],
      ['content_block_start', 0],
      ['content_block_delta', 7],
      ['content_block_delta', 7],
      ['content_block_stop', 9],
      ['message_delta', 0],
      ['message_stop', 0],
    ]);
    expect(steps({ blocks: [], pings: 0, firstTokenMs: 5 })[0]).toMatchObject({ type: 'message_start', pauseMs: 5 });
  });

  const ends = [
    { name: 'truncated inside the last block', extra: { truncate: true }, last: 'content_block_delta' },
    { name: 'ended by an error event', extra: { sseError: { type: 'overloaded_error', message: 'x' } }, last: 'error' },
  ] as const;
  for (const { name, extra, last } of ends) {
    test(`a stream ${name} has no regular end`, () => {
      const types = steps({ blocks: [text('a')], ...extra }).map((step) => step.type);
      expect(types.at(-1)).toBe(last);
      expect(types).not.toContain('message_stop');
    });
  }

  test('the stop reason and usage come with message_delta', () => {
    const [delta] = steps({
      blocks: [{ type: 'tool_use', name: 'Read', input: {} }],
      usage: { output_tokens: 77 },
    }).filter((step) => step.type === 'message_delta');
    expect(delta?.data).toMatchObject({
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { input_tokens: 10, output_tokens: 77 },
    });
  });
});

test('an event names its type in the event line and in the data', () => {
  expect(encodeEvent('ping', { a: '\n' })).toBe('event: ping\ndata: {"type":"ping","a":"\\n"}\n\n');
});

function text(value: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: value };
}
