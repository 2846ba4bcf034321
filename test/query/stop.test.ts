import { describe, expect, test, vi } from 'vitest';
import { AbortError, ClaudeClient, outcomeOf } from '../../src/index.js';
import { AFTER_STOP_BYTES } from '../../src/query/after-stop.js';
import { SessionQuery } from '../../src/query/query.js';
import type { QuerySession } from '../../src/query/query-session.js';
import type { TransportLike } from '../../src/transport/pull-adapter.js';
import type { JsonObject } from '../../src/util/json.js';
import { assistantFrame, initFrame, resultFrame } from '../helpers/cli-frames.js';
import { answerTo, memorySession, readAll, settled, subtypeOf } from './memory-session.js';

const ABORTED = resultFrame({
  subtype: 'error_during_execution',
  is_error: true,
  terminal_reason: 'aborted_streaming',
  total_cost_usd: 0.25,
});

const ways: readonly { readonly name: string; readonly stop: (session: QuerySession) => void }[] = [
  { name: 'close()', stop: (session) => session.close() },
  { name: 'an error', stop: (session) => session.close(new AbortError('Enough')) },
];

/** Requests that were written, without `initialize`. */
function requestsIn(frames: readonly JsonObject[]): readonly unknown[] {
  return frames
    .filter((frame) => subtypeOf(frame) !== undefined && subtypeOf(frame) !== 'initialize')
    .map((frame) => frame.request);
}

describe('a stop while a turn is open (C-6)', () => {
  test.each(ways)('by $name: an interrupt before the end of input', async ({ stop }) => {
    const { session, peer } = memorySession();
    await settled();
    peer.emit(initFrame());
    await settled();
    stop(session);
    await settled();
    expect(requestsIn(peer.received)).toEqual([{ subtype: 'interrupt', cancel_queued: true }]);
    expect(peer.hasInputEnded).toBe(true);
    expect(peer.signals).toEqual([]);
  });

  test('between turns: nothing is written', async () => {
    const { session, peer } = memorySession({
      prompt: (async function* () {
        yield { type: 'user', message: { role: 'user', content: 'Hi' }, parent_tool_use_id: null };
        await new Promise(() => {});
      })() as never,
    });
    await settled();
    peer.emit(initFrame());
    peer.emit(resultFrame());
    await settled();
    session.close();
    await settled();
    expect(requestsIn(peer.received)).toEqual([]);
    expect(peer.hasInputEnded).toBe(true);
  });

  test('each live background task is stopped by name, between turns too', async () => {
    const { session, peer } = memorySession({ options: { onElicitation: async () => null } });
    await settled();
    peer.emit(initFrame());
    for (const task_id of ['a', 'b', 'c']) {
      peer.emit({ type: 'system', subtype: 'task_started', task_id, is_backgrounded: true });
    }
    peer.emit({ type: 'system', subtype: 'task_notification', task_id: 'b', status: 'stopped' });
    peer.emit(resultFrame());
    await settled();
    session.close();
    await settled();
    expect(requestsIn(peer.received)).toEqual([
      { subtype: 'interrupt', cancel_queued: true },
      { subtype: 'stop_task', task_id: 'a' },
      { subtype: 'stop_task', task_id: 'c' },
    ]);
  });

  test('where the input is over, the first signal comes at once', async () => {
    const { session, peer } = memorySession({
      exitsOnEndOfInput: false,
      prompt: [{ type: 'user', message: { role: 'user', content: 'Hi' }, parent_tool_use_id: null }] as never,
    });
    await settled();
    peer.emit(initFrame());
    await settled();
    expect(peer.hasInputEnded).toBe(true);
    session.close();
    await settled();
    expect(requestsIn(peer.received)).toEqual([]);
    expect(peer.signals).toEqual(['SIGTERM']);
  });

  test('a CLI that begins another turn after it gets the first signal', async () => {
    const { session, peer } = memorySession({ exitsOnEndOfInput: false });
    await settled();
    peer.emit(initFrame());
    await settled();
    session.close();
    await settled();
    peer.emit(initFrame());
    await settled();
    expect(peer.signals, 'the init of the turn that is stopped').toEqual([]);
    peer.emit(ABORTED);
    peer.emit(initFrame());
    await settled();
    expect(peer.signals).toEqual(['SIGTERM']);
  });

  test('a deadline drops the queued messages too', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { peer } = memorySession({ options: { deadlineMs: 1000 } });
      await settled();
      peer.emit(initFrame());
      await settled();
      vi.advanceTimersByTime(1000);
      await settled();
      expect(requestsIn(peer.received)).toEqual([{ subtype: 'interrupt', cancel_queued: true }]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a disconnected client and a custom transport: the interrupt is written before the input ends', async () => {
    const done: string[] = [];
    const transport = scriptedTransport(done);
    const client = new ClaudeClient({ transport });
    await client.connect('Go.');
    await client.disconnect();
    expect(done).toEqual(['initialize', 'user', 'interrupt', 'endInput', 'close']);
  });
});

describe('the result of a stopped turn (C-6)', () => {
  test('is in the error, and not among the messages', async () => {
    const { session, peer, diagnostics } = memorySession({
      exitsOnEndOfInput: false,
      onFrame: (frame) => {
        if (subtypeOf(frame) === 'interrupt') {
          peer.emit(answerTo(frame, { still_queued: [] }));
          peer.emit(assistantFrame('cut'));
          peer.emit(ABORTED);
          peer.exit({ exitCode: 1 });
        }
      },
    });
    await settled();
    peer.emit(initFrame());
    await settled();
    const error = new AbortError('Enough');
    session.close(error);
    expect(await readAll(session)).toEqual(['system', 'aborted']);
    expect(error.result).toMatchObject({ total_cost_usd: 0.25 });
    expect(outcomeOf(error)).toMatchObject({ kind: 'interrupted', result: { total_cost_usd: 0.25 } });
    expect(diagnostics).toEqual([]);
  });

  test('is known of a run that was left without an error, too', async () => {
    const { session, peer } = memorySession({
      exitsOnEndOfInput: false,
      onFrame: (frame) => {
        if (subtypeOf(frame) === 'interrupt') {
          peer.emit(ABORTED);
          peer.exit({ exitCode: 1 });
        }
      },
    });
    const run = new SessionQuery(session);
    await settled();
    peer.emit(initFrame());
    for await (const _ of run) break;
    await session.exited;
    expect(session.lastResult).toMatchObject({ total_cost_usd: 0.25 });
    expect(session.controller.messages.unansweredCount).toBe(0);
    expect(SessionQuery.sessionOf({})).toBeUndefined();
  });

  test('counts in place of an earlier turn’s', () => {
    const error = Object.assign(new AbortError('Enough'), { result: ABORTED });
    const before = resultFrame({ total_cost_usd: 0.125 });
    expect(outcomeOf([before] as never, error).result).toMatchObject({ total_cost_usd: 0.25 });
    expect(outcomeOf([before] as never, new AbortError('Enough')).result).toBe(before);
  });

  test('is absent when the CLI said nothing', async () => {
    const { session } = memorySession();
    await settled();
    const error = new AbortError('Enough');
    session.close(error);
    expect(await readAll(session)).toEqual(['aborted']);
    expect('result' in error).toBe(false);
  });

  test('a flood after the stop is thrown away', async () => {
    const { session, peer } = memorySession({ exitsOnEndOfInput: false });
    await settled();
    peer.emit(initFrame());
    await settled();
    const error = new AbortError('Enough');
    session.close(error);
    const text = 'x'.repeat(1024 * 1024);
    for (let bytes = 0; bytes <= AFTER_STOP_BYTES; bytes += text.length) {
      peer.emit(assistantFrame(text));
      await settled();
    }
    peer.emit(ABORTED);
    peer.exit({ exitCode: 1 });
    expect(await readAll(session)).toEqual(['system', 'aborted']);
    expect(error.result).toBeUndefined();
  });
});

/** Answers `initialize`, begins a turn, and notes what is done to it. */
function scriptedTransport(done: string[]): TransportLike {
  const frames: object[] = [];
  let wake = (): void => {};
  let isOver = false;
  const emit = (frame: object): void => {
    frames.push(frame);
    wake();
  };
  return {
    write: (data) => {
      const frame = JSON.parse(data) as JsonObject;
      done.push(String(subtypeOf(frame) ?? frame.type));
      if (subtypeOf(frame) === 'initialize') emit(answerTo(frame));
    },
    async *readMessages() {
      for (;;) {
        const frame = frames.shift();
        if (frame !== undefined) yield frame;
        else if (isOver) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
    isReady: () => !isOver,
    endInput: () => {
      done.push('endInput');
    },
    close: () => {
      done.push('close');
      isOver = true;
      wake();
    },
  };
}
