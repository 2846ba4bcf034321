/** `deltas=live` of a stream of events (V-15). */
import { expect, test } from 'vitest';
import type { LoggedEvent } from '../../src/events/conversation-event.js';
import { wholeMessages } from '../../src/http/whole-messages.js';

const NOW = 1_000;

/** `s`: a message begins, `b`: a block, `d`: a delta, `e`: the end of a message, `A`: a whole one, `T`: a turn ends. `x`, `y`, `X`: of an agent. What follows `|` is live. */
function logOf(text: string): LoggedEvent[] {
  const [past = '', live = ''] = text.split('|');
  return [...past, ...live].map((letter, index) => {
    const at = index < past.length ? 1 : NOW;
    const parent = /[xyX]/.test(letter) ? 'toolu_1' : null;
    const types = { s: 'message_start', b: 'content_block_start', d: 'content_block_delta', e: 'message_stop' };
    const streamed = { ...types, x: 'content_block_start', y: 'content_block_delta' }[letter];
    const message =
      streamed === undefined
        ? { type: letter === 'U' ? 'user' : 'assistant', parent_tool_use_id: parent }
        : { type: 'stream_event', parent_tool_use_id: parent, event: { type: streamed } };
    const event = letter === 'T' ? { type: 'turn_ended', outcome: 'completed' } : { type: 'message', message };
    return { id: index + 1, at, event } as LoggedEvent;
  });
}

async function* iterate(log: readonly LoggedEvent[]): AsyncGenerator<LoggedEvent, void> {
  yield* log;
}

test.each([
  ['one message', 'sbdddAeT', 'AT'],
  ['two blocks of a message', 'sbddAbddAeT', 'AAT'],
  ['a message that was cut off', 'sbddAesbdT', 'AsbdT'],
  ['a message that is not whole yet', 'sbddAesbd|dAe', 'AsbddAe'],
  ['a message of an agent in between', 'sbdxydyXdAeT', 'sbddXAT'],
  ['a live message', '|sbddAeT', 'sbddAeT'],
  ['no deltas', 'AUAT', 'AUAT'],
])('%s: ids keep their order', async (_, text, kept) => {
  const events = wholeMessages(iterate(logOf(text)), NOW);
  const letters = text.replace('|', '');
  const ids: number[] = [];
  for (let result = await events.next(); result.done !== true; result = await events.next()) ids.push(result.value.id);
  expect(ids.map((id) => letters[id - 1]).join('')).toBe(kept);
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
});

test('deltas of a message that is not whole yet are passed on when nothing follows', async () => {
  const log = logOf('sbd');
  async function* waiting(): AsyncGenerator<LoggedEvent, void> {
    yield* log;
    await new Promise(() => {});
  }
  const events = wholeMessages(waiting(), NOW);
  const ids = [];
  for (const _ of log) ids.push((await events.next()).value?.id);
  expect(ids).toEqual([1, 2, 3]);
});
