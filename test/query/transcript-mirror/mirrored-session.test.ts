import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Options } from '../../../src/index.js';
import type { QuerySession } from '../../../src/query/query-session.js';
import { createDeferred } from '../../../src/util/deferred.js';
import type { JsonObject } from '../../../src/util/json.js';
import { assistantFrame, initFrame, resultFrame } from '../../helpers/cli-frames.js';
import { CLOCKS, MEMORY_CONFIG_FOLDER, memorySession, readAll, settled } from '../memory-session.js';

const ID = '11111111-1111-4111-8111-111111111111';
const MAIN = `${MEMORY_CONFIG_FOLDER}/projects/-w/${ID}.jsonl`;
const DOWN = () => Promise.reject(new Error('down'));
const NEVER = () => new Promise<void>(() => {});

function mirrorFrame(...numbers: readonly number[]): JsonObject {
  return { type: 'transcript_mirror', filePath: MAIN, entries: numbers.map((n) => ({ type: 'user', n })) };
}

function setUp(append: () => Promise<void> = () => Promise.resolve(), options: Options = {}) {
  const stored: unknown[] = [];
  const session = memorySession({
    // The end of the input after a result is not the end of these scripts.
    exitsOnEndOfInput: false,
    options: {
      ...options,
      sessionStore: {
        load: () => Promise.resolve(null),
        append: async (_, entries) => {
          await append();
          stored.push(...entries.map((entry) => entry.n));
        },
      },
    },
  });
  return { ...session, stored };
}

/** Reads on, noting each message's type (and subtype for `system`); the log can be read meanwhile. */
function follow(session: QuerySession): { readonly seen: string[]; readonly end: Promise<void> } {
  const seen: string[] = [];
  const run = async (): Promise<void> => {
    for (;;) {
      const step = await session.messages.next();
      if (step.done === true) break;
      const { type } = step.value;
      seen.push(type === 'system' ? String(Reflect.get(step.value, 'subtype')) : type);
    }
    seen.push('end');
  };
  return { seen, end: run() };
}

describe('a result and the transcript before it', () => {
  test('entries reach the store, and the frames are not delivered (PY-150, TS-178)', async () => {
    const { session, peer, stored } = setUp();
    peer.emit(initFrame());
    peer.emit(mirrorFrame(1, 2));
    peer.emit(resultFrame());
    peer.exit();
    expect(await readAll(session)).toEqual(['system', 'result', 'end']);
    expect(stored).toEqual([1, 2]);
  });

  test('without a store the frames are dropped, without a word (PY-151)', async () => {
    const { session, peer, diagnostics } = memorySession();
    peer.emit(mirrorFrame(1));
    peer.emit({ type: 'transcript_mirror' });
    peer.emit(resultFrame());
    peer.exit();
    expect(await readAll(session)).toEqual(['result', 'end']);
    expect(diagnostics).toEqual([]);
  });

  test('a result waits for the store; what is behind it waits too, what is before it does not (PY-152, TS-178)', async () => {
    const gate = createDeferred<void>();
    const { session, peer, stored } = setUp(() => gate.promise);
    const { seen, end } = follow(session);
    peer.emit(mirrorFrame(1));
    peer.emit(assistantFrame('a'));
    peer.emit(resultFrame());
    peer.emit(mirrorFrame(2));
    peer.emit(initFrame());
    peer.emit(resultFrame());
    peer.emit(assistantFrame('b'));
    await settled();
    expect(seen).toEqual(['assistant']);
    expect(stored).toEqual([]);
    gate.resolve();
    await settled();
    expect(seen).toEqual(['assistant', 'result', 'init', 'result', 'assistant']);
    expect(stored).toEqual([1, 2]);
    peer.exit();
    await end;
  });

  test('a result waits for nothing when the store has everything', async () => {
    const { session, peer } = setUp(NEVER);
    const { seen, end } = follow(session);
    peer.emit(resultFrame());
    await settled();
    expect(seen).toEqual(['result']);
    peer.exit();
    await end;
  });

  test('entries after the last result are stored by the time the loop ends (PY-153)', async () => {
    const gate = createDeferred<void>();
    const { session, peer, stored } = setUp(() => gate.promise);
    const { seen, end } = follow(session);
    peer.emit(resultFrame());
    peer.emit(mirrorFrame(1));
    peer.exit();
    await settled();
    expect(seen).toEqual(['result']);
    gate.resolve();
    await end;
    expect(stored).toEqual([1]);
  });

  test('requests and questions of the CLI do not wait behind a result that does', async () => {
    const gate = createDeferred<void>();
    const canUseTool = vi.fn(async () => ({ behavior: 'allow' as const }));
    const { session, peer } = setUp(() => gate.promise, { canUseTool });
    peer.emit(mirrorFrame(1));
    peer.emit(resultFrame());
    peer.emit({
      type: 'control_request',
      request_id: 'r1',
      request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't' },
    });
    await settled();
    expect(canUseTool).toHaveBeenCalledTimes(1);
    gate.resolve();
    peer.exit();
    expect(await readAll(session)).toEqual(['result', 'end']);
  });

  test('messages that wait count for `maxQueuedBytes`', async () => {
    const { session, peer } = setUp(NEVER, { maxQueuedBytes: 2000 });
    const all = readAll(session);
    peer.emit(mirrorFrame(1));
    peer.emit(resultFrame());
    for (let n = 0; n < 4; n += 1) peer.emit(assistantFrame('x'.repeat(500)));
    vi.useFakeTimers({ toFake: [...CLOCKS] });
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    expect((await all).at(-1)).toBe('queue_limit_exceeded');
  });

  test('a result of 20 MiB that waits, and 20 MiB behind it, do not keep entries from the store (C-1)', async () => {
    const gate = createDeferred<void>();
    const { session, peer, diagnostics, stored } = setUp(() => gate.promise);
    const { seen, end } = follow(session);
    await settled();
    peer.emit(mirrorFrame(1));
    peer.emit(resultFrame({ result: 'x'.repeat(20 * 1024 * 1024) }));
    peer.emit(assistantFrame('x'.repeat(20 * 1024 * 1024)));
    peer.emit(mirrorFrame(2));
    gate.resolve();
    await expect.poll(() => stored).toEqual([1]);
    await expect.poll(() => seen).toEqual(['result', 'assistant']);
    peer.emit(resultFrame());
    await expect.poll(() => stored).toEqual([1, 2]);
    peer.exit();
    await end;
    expect(seen).toEqual(['result', 'assistant', 'result', 'end']);
    expect(diagnostics).toEqual([]);
  });

  test('a loop that waits for its own store, with 20 MiB before the entry, is not locked up (C-1)', async () => {
    const { session, peer, stored } = setUp();
    await settled();
    peer.emit(assistantFrame('first'));
    await session.messages.next();
    for (let n = 0; n < 5; n += 1) peer.emit(assistantFrame('x'.repeat(4 * 1024 * 1024)));
    peer.emit(mirrorFrame(1));
    peer.emit(resultFrame());
    await expect.poll(() => stored).toEqual([1]);
    peer.exit();
    expect(await readAll(session)).toHaveLength(7);
  });
});

describe('with clocks', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: [...CLOCKS] }));
  afterEach(() => vi.useRealTimers());

  test('a store that fails three times is a `mirror_error` before the result, and the run goes on (PY-156, TS-179)', async () => {
    const { session, peer, diagnostics } = setUp(DOWN);
    const messages: unknown[] = [];
    const done = (async () => {
      for (;;) {
        const step = await session.messages.next();
        if (step.done === true) return;
        messages.push(step.value);
      }
    })();
    peer.emit(mirrorFrame(1));
    peer.emit(assistantFrame('a'));
    peer.emit(resultFrame());
    peer.emit(assistantFrame('b'));
    await settled();
    await vi.advanceTimersByTimeAsync(1000);
    await settled();
    expect(messages).toMatchObject([
      { type: 'assistant' },
      {
        type: 'system',
        subtype: 'mirror_error',
        error: 'down',
        key: { projectKey: '-w', sessionId: ID },
        uuid: expect.stringMatching(/^[\da-f-]{36}$/),
        session_id: ID,
      },
      { type: 'result' },
      { type: 'assistant' },
    ]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['mirror_failed']);
    peer.exit();
    await done;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a result waits two minutes at most, however many transcripts a silent store has to take', async () => {
    const { session, peer } = setUp(NEVER);
    const { seen, end } = follow(session);
    for (let n = 0; n < 5; n += 1) {
      peer.emit({
        ...mirrorFrame(n),
        filePath: `${MEMORY_CONFIG_FOLDER}/projects/-w/${ID}/subagents/agent-${n}.jsonl`,
      });
    }
    peer.emit(resultFrame());
    await settled();
    await vi.advanceTimersByTimeAsync(119_999);
    expect(seen).toEqual(['mirror_error']);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toContain('result');
    peer.exit();
    await settled();
    await vi.advanceTimersByTimeAsync(180_000);
    await end;
    expect(vi.getTimerCount()).toBe(0);
  });

  const ends: readonly {
    readonly name: string;
    readonly end: (session: QuerySession, abort: AbortController) => void;
    readonly sees: string;
  }[] = [
    { name: '`close()`', end: (session) => session.close(), sees: 'end' },
    { name: 'an abort', end: (_, abort) => abort.abort(), sees: 'aborted' },
  ];

  test.each(ends)('$name ends a run whose store is silent, in bounded time', async (row) => {
    const abortController = new AbortController();
    const { session, peer } = setUp(NEVER, { abortController });
    const all = readAll(session);
    peer.emit(mirrorFrame(1));
    peer.emit(resultFrame());
    await settled();
    row.end(session, abortController);
    await settled();
    // SIGTERM after two seconds, then five for the store.
    await vi.advanceTimersByTimeAsync(7000);
    await settled();
    expect(await all).toEqual(['system', 'result', row.sees]);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(abortController.signal, 'abort')).toEqual([]);
  });

  test.each(ends)('$name ends the wait of a run that has ended by itself', async ({ end }) => {
    const abortController = new AbortController();
    const { session, peer } = setUp(NEVER, { abortController });
    const all = readAll(session);
    peer.emit(mirrorFrame(1));
    peer.emit(resultFrame());
    peer.exit();
    await settled();
    end(session, abortController);
    await vi.advanceTimersByTimeAsync(5000);
    await settled();
    expect(await all).toEqual(['system', 'result', 'end']);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(abortController.signal, 'abort')).toEqual([]);
  });

  test.each([
    { name: 'never answers', append: NEVER, sees: ['system', 'result', 'deadline_exceeded'] },
    {
      name: 'answers after it',
      append: () => new Promise<void>((resolve) => setTimeout(resolve, 3000)),
      sees: ['result', 'deadline_exceeded'],
    },
  ])('`deadline` bounds the wait for a store that $name, of a run that has ended by itself', async (row) => {
    const { session, peer } = setUp(row.append, { deadlineMs: 1000 });
    const all = readAll(session);
    peer.emit(mirrorFrame(1));
    peer.emit(resultFrame());
    peer.exit();
    await settled();
    await vi.advanceTimersByTimeAsync(1000 + 5000);
    await settled();
    expect(await all).toEqual(row.sees);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a store that is done before `deadline` leaves no timer of it', async () => {
    const { session, peer } = setUp(undefined, { deadlineMs: 1000 });
    const all = readAll(session);
    peer.emit(mirrorFrame(1));
    peer.emit(resultFrame());
    peer.exit();
    await settled();
    expect(await all).toEqual(['result', 'end']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('what the CLI writes to the transcript after `close()` is stored; its messages are not delivered (PY-153)', async () => {
    const { session, peer, stored } = setUp();
    peer.onEndOfInput = () => {
      peer.emit(assistantFrame('too late'));
      peer.emit(mirrorFrame(2));
      peer.exit();
    };
    const all = readAll(session);
    peer.emit(mirrorFrame(1));
    await settled();
    session.close();
    await settled();
    expect(await all).toEqual(['end']);
    expect(stored).toEqual([1, 2]);
  });

  test('leaving the loop waits for the store', async () => {
    const gate = createDeferred<void>();
    const { session, peer, stored } = setUp(() => gate.promise);
    peer.emit(mirrorFrame(1));
    await settled();
    session.messages.abandon();
    session.close();
    const left = session.left();
    peer.exit();
    await settled();
    expect(stored).toEqual([]);
    gate.resolve();
    await left;
    expect(stored).toEqual([1]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
