import type { SDKMessage } from 'claudewire';
import { expect, test } from 'vitest';
import { assistantFrame, initFrame, resultFrame } from '../../../test/helpers/cli-frames.js';
import { MessageEvents } from '../src/demo/demo-events.js';

/** Frames as the wire has them; the types of the fields that the code does not read do not matter here. */
const eventsOf = (...frames: readonly unknown[]): unknown[] => {
  const events = new MessageEvents();
  return frames.flatMap((frame) => events.of(frame as SDKMessage));
};
const stream = (event: object, parent: string | null = null): object => ({
  type: 'stream_event',
  event,
  parent_tool_use_id: parent,
});
const delta = (text: string): object => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
});

const cases: readonly {
  readonly name: string;
  readonly frames: readonly unknown[];
  readonly events: readonly unknown[];
}[] = [
  {
    name: 'init tells model and number of tools',
    frames: [initFrame()],
    events: [{ type: 'session', model: 'claude-opus-5-5', tools: 2 }],
  },
  {
    name: 'text that did not stream is shown from its message',
    frames: [assistantFrame('Hi.')],
    events: [{ type: 'text', text: 'Hi.' }, { type: 'text_end' }],
  },
  {
    name: 'text that streamed is not shown twice',
    frames: [
      stream({ type: 'message_start', message: { id: 'msg_1' } }),
      stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      stream(delta('Hi')),
      stream(delta('.')),
      assistantFrame('Hi.'),
      stream({ type: 'content_block_stop', index: 0 }),
    ],
    events: [{ type: 'text', text: 'Hi' }, { type: 'text', text: '.' }, { type: 'text_end' }],
  },
  {
    name: 'the end of a tool block ends no text',
    frames: [
      stream({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't', name: 'B', input: {} },
      }),
      stream({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{' } }),
      stream({ type: 'content_block_stop', index: 0 }),
    ],
    events: [],
  },
  {
    name: 'a subagent’s frames are left out',
    frames: [stream(delta('x'), 'toolu_1'), assistantFrame('x', { parent_tool_use_id: 'toolu_1' })],
    events: [],
  },
  {
    name: 'tool results become text, whatever they are made of',
    frames: [
      {
        type: 'user',
        parent_tool_use_id: null,
        message: {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'plain', is_error: false },
            {
              type: 'tool_result',
              tool_use_id: 'b',
              content: [{ type: 'text', text: 'x' }, { type: 'image' }],
              is_error: true,
            },
            { type: 'tool_result', tool_use_id: 'c' },
            { type: 'text', text: 'ignored' },
          ],
        },
      },
    ],
    events: [
      { type: 'tool_result', id: 'a', text: 'plain', isError: false },
      { type: 'tool_result', id: 'b', text: 'x\n(image)', isError: true },
      { type: 'tool_result', id: 'c', text: '', isError: false },
    ],
  },
  {
    name: 'messages without anything to show are silent',
    frames: [resultFrame(), { type: 'system', subtype: 'status', status: 'requesting' }, { type: 'newer_than_we_are' }],
    events: [],
  },
];
for (const { name, frames, events } of cases) {
  test(name, () => expect(eventsOf(...frames)).toEqual(events));
}
