import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TurnFacts } from '../../src/parser/turn-facts.js';
import { TurnReader } from '../../src/parser/turn-reader.js';
import { UnaskedTurns } from '../../src/util/unasked-turns.js';

const RESULT = { type: 'result', subtype: 'success', is_error: true };
const RETRY = { type: 'system', subtype: 'api_retry', attempt: 4, retry_delay_ms: 9 };

/** The facts of a turn of these messages. */
function turnOf(...messages: readonly object[]): TurnFacts {
  const reader = new TurnReader();
  for (const message of [...messages, RESULT]) reader.add(message);
  return reader.facts.turn;
}

describe('what the messages of a turn say', () => {
  test('the tries of the request that failed, and the wait before the last', () => {
    expect(turnOf(RETRY)).toMatchObject({ attempts: 5, lastRetryDelayMs: 9 });
  });

  test('neither retries nor failures of a request that then went well', () => {
    const failed = { type: 'assistant', error: 'server_error', message: {} };
    const { attempts, lastRetryDelayMs, assistantError } = turnOf(RETRY, failed, { type: 'assistant', message: {} });
    expect({ attempts, lastRetryDelayMs, assistantError }).toEqual({ attempts: 1 });
  });

  test('not what a sub-agent failed with', () => {
    const failed = { type: 'assistant', error: 'rate_limit', parent_tool_use_id: 't' };
    expect(turnOf(failed).assistantError).toBeUndefined();
  });

  test('nothing of the turn before', () => {
    const reader = new TurnReader();
    for (const message of [RETRY, RESULT, RESULT]) reader.add(message);
    expect(reader.facts.turn).toMatchObject({ attempts: 1 });
  });
});

describe('the text of a turn', () => {
  const assistant = (id: string | undefined, content: unknown, parent: string | null = null) => ({
    type: 'assistant',
    parent_tool_use_id: parent,
    session_id: 's',
    message: { id, content },
  });
  const text = (value: string) => [{ type: 'text', text: value }];

  test('the blocks of one message are one text; sub-agents are not listened to', () => {
    const reader = new TurnReader();
    reader.add(assistant('m1', text('Old.')));
    reader.add(assistant('m2', text('New ')));
    reader.add(assistant('m2', [{ type: 'tool_use', name: 'Bash' }]));
    reader.add(assistant('m2', text('text.')));
    reader.add(assistant('m3', text('No.'), 'toolu_1'));
    expect(reader.text).toBe('New text.');
    expect(reader.sessionId).toBe('s');
  });

  test('messages without an id are messages of their own, and what is kept of one is bounded', () => {
    const reader = new TurnReader();
    reader.add(assistant(undefined, text('Old.')));
    reader.add(assistant(undefined, text('New.')));
    expect(reader.text).toBe('New.');
    const block = 'x'.repeat(1024 * 1024);
    for (let count = 0; count < 10; count += 1) reader.add(assistant('m1', text(block)));
    expect(reader.text.length).toBe(4 * block.length);
    reader.add(assistant('m2', text('Next.')));
    expect(reader.text).toBe('Next.');
    reader.add(assistant('m3', text(`${'x'.repeat(4 * block.length)}cut off`)));
    expect(reader.text).toBe('x'.repeat(4 * block.length));
    reader.add({ type: 'system', subtype: 'init', session_id: 's' });
    reader.add(assistant('m3', text('Anew.')));
    expect(reader.text).toBe('Anew.');
  });

  test('a content that is no list is a text', () => {
    const reader = new TurnReader();
    expect(reader.add(assistant('m1', 'Said.'))).toEqual(['Said.']);
    expect(reader.text).toBe('Said.');
  });

  test('a turn that writes nothing leaves the answer of the one before it', () => {
    const reader = new TurnReader();
    reader.add({ type: 'result', subtype: 'success', is_error: false, result: 'An answer.' });
    reader.add({ type: 'system', subtype: 'init' });
    expect(reader.text).toBe('An answer.');
    reader.add(assistant('m1', text('Part of')));
    expect(reader.text).toBe('Part of');
  });

  test('another turn begins without a text', () => {
    const reader = new TurnReader();
    reader.add(assistant('m1', text('Old.')));
    reader.add({ type: 'system', subtype: 'init' });
    expect(reader.text).toBe('');
  });
});

describe('results of turns that the CLI began by itself', () => {
  const note = (...messages: readonly unknown[]) => {
    const turns = new UnaskedTurns();
    return messages.map((message) => turns.note(message));
  };
  const wakeUp = (state: string) => ({ type: 'command_lifecycle', state, wakeup_source: 'loop_wakeup' });

  test('about a background task', () => {
    expect(note({ ...RESULT, origin: { kind: 'task-notification' } })).toEqual([true]);
    expect(note({ ...RESULT, origin: { kind: 'human' } })).toEqual([false]);
    expect(note({ ...RESULT, origin: 'task-notification' })).toEqual([false]);
    expect(note({ type: 'user', origin: { kind: 'task-notification' } })).toEqual([false]);
  });

  // Claude Code 2.1.330 with ScheduleWakeup and CronCreate: the result has no origin.
  test('at a wake-up, and only the one result after it', () => {
    expect(note(wakeUp('started'), RESULT, wakeUp('completed'), RESULT)).toEqual([false, true, false, false]);
    expect(note(wakeUp('started'), wakeUp('cancelled'), RESULT)).toEqual([false, false, false]);
    expect(note({ type: 'command_lifecycle', state: 'started' }, RESULT)).toEqual([false, false]);
  });
});

test('no message of an odd shape is an exception', () => {
  const field = fc.oneof(fc.jsonValue(), fc.constantFrom('assistant', 'user', 'result', 'system'));
  const message = fc.record(
    {
      type: fc.constantFrom('assistant', 'user', 'result', 'system', 'stream_event', 'x', 7),
      subtype: fc.constantFrom('init', 'api_retry', 'informational', 5),
      message: fc.oneof(field, fc.record({ content: field, id: field })),
      event: fc.oneof(field, fc.record({ type: field, delta: field, message: field })),
      ...{ error: field, origin: field, tools: field, user_message_uuids: field },
      ...{ session_id: field, parent_tool_use_id: field, rate_limit_info: field, attempt: field },
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(message, fc.jsonValue())), (messages) => {
      const reader = new TurnReader();
      for (const each of messages) reader.add(each);
      expect(reader.text).toBeTypeOf('string');
      expect(reader.facts.turn.attempts).toBeGreaterThan(0);
    }),
  );
});
