import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Options, outcomeOf, type SDKMessage } from '../../src/index.js';
import type { QuerySession } from '../../src/query/query-session.js';
import { initFrame, resultFrame } from '../helpers/cli-frames.js';
import { CLOCKS, memorySession, settled } from './memory-session.js';

beforeEach(() => vi.useFakeTimers({ toFake: [...CLOCKS] }));
afterEach(() => vi.useRealTimers());

const items = (...uuids: (string | undefined)[]) =>
  uuids.map((uuid) => ({
    type: 'user',
    message: { role: 'user', content: 'Hi' },
    parent_tool_use_id: null,
    ...(uuid === undefined ? {} : { uuid }),
  }));

async function readTo(session: QuerySession): Promise<{ messages: SDKMessage[]; error: unknown }> {
  const messages: SDKMessage[] = [];
  try {
    for (;;) {
      const step = await session.messages.next();
      if (step.done === true) return { messages, error: undefined };
      messages.push(step.value);
    }
  } catch (error) {
    return { messages, error };
  }
}

/** Two messages, one result, and a clean exit: by itself, or because it ignored the end of its input. */
async function oneAnswer(
  options: Options,
  { ignoresEnd = false, result = resultFrame() } = {},
): Promise<Awaited<ReturnType<typeof readTo>> & { codes: string[] }> {
  const { session, peer, diagnostics } = memorySession({
    options,
    prompt: items('a', 'b') as never,
    exitsOnEndOfInput: false,
  });
  await settled();
  peer.emit(initFrame());
  peer.emit(result);
  await settled();
  if (ignoresEnd) await vi.advanceTimersByTimeAsync(120_000);
  else peer.exit();
  const end = await readTo(session);
  return { ...end, codes: diagnostics.map(({ code }) => code) };
}

describe('a CLI that leaves with a message unanswered (C-3)', () => {
  test.each([
    ['that exits', false],
    ['that ignores the end of its input', true],
  ])('%s: the outcome is not completed, and it is said', async (_name, ignoresEnd) => {
    const { messages, error, codes } = await oneAnswer({}, { ignoresEnd });
    expect(error).toBeUndefined();
    expect(outcomeOf(messages)).toMatchObject({ kind: 'incomplete', retryable: false, result: { type: 'result' } });
    expect(codes).toContain('messages_unanswered');
  });

  test("with incompleteStream 'throw' it is an error", async () => {
    const { error } = await oneAnswer({ incompleteStream: 'throw' });
    expect(error).toMatchObject({
      name: 'IncompleteStreamError',
      message: 'Claude Code exited cleanly and left 1 of your messages unanswered',
    });
  });

  test('an answer to both is one', async () => {
    const result = resultFrame({ user_message_uuids: ['a', 'b'] });
    const { messages, error, codes } = await oneAnswer({ incompleteStream: 'throw' }, { result });
    expect(error).toBeUndefined();
    expect(outcomeOf(messages).kind).toBe('completed');
    expect(codes).toEqual([]);
  });
});

describe('messages alone (C-3)', () => {
  const lifecycle = (command_uuid: string, state: string) => ({ type: 'command_lifecycle', command_uuid, state });
  const cases: readonly [string, readonly object[], string][] = [
    ['a turn that began after the last result', [initFrame(), resultFrame(), initFrame()], 'incomplete'],
    ['a message that was begun', [lifecycle('a', 'started'), resultFrame()], 'incomplete'],
    ['one that waits for a turn of its own', [lifecycle('a', 'queued'), resultFrame()], 'completed'],
    ['one that was completed', [lifecycle('a', 'started'), resultFrame(), lifecycle('a', 'completed')], 'completed'],
    ['one that the result lists', [lifecycle('a', 'started'), resultFrame({ user_message_uuids: ['a'] })], 'completed'],
    ['one that was cancelled', [lifecycle('a', 'started'), lifecycle('a', 'cancelled'), resultFrame()], 'completed'],
  ];
  test.each(cases)('%s', (_name, messages, kind) => {
    expect(outcomeOf(messages as never).kind).toBe(kind);
  });
});
