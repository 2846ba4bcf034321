import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDeferred } from '../../src/util/deferred.js';
import { firstOf, untilAborted, within } from '../../src/util/race.js';

const never = new Promise<never>(() => {});
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  unhandled.length = 0;
  process.on('unhandledRejection', onUnhandled);
});

afterEach(async () => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  // Node reports unhandled rejections after the microtasks of a turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', onUnhandled);
  expect(unhandled).toEqual([]);
});

describe('firstOf', () => {
  test('settles as the work does, and releases the watch first', async () => {
    const released = vi.fn();
    expect(
      await firstOf(
        () => 'done',
        () => released,
      ),
    ).toBe('done');
    expect(released).toHaveBeenCalledTimes(1);
  });

  test.each(['resolve', 'reject'] as const)('ends when the watch %ss', async (how) => {
    const released = vi.fn();
    const wait = firstOf<never, string>(
      () => never,
      (end) => {
        end[how]('early');
        return released;
      },
    );
    await (how === 'resolve' ? expect(wait).resolves.toBe('early') : expect(wait).rejects.toBe('early'));
    expect(released).toHaveBeenCalledTimes(1);
  });

  test('work that throws at once releases the watch', async () => {
    const released = vi.fn();
    const thrown = new Error('at once');
    const wait = firstOf(
      () => {
        throw thrown;
      },
      () => released,
    );
    await expect(wait).rejects.toBe(thrown);
    expect(released).toHaveBeenCalledTimes(1);
  });

  test('work that rejects after it has lost is not an unhandled rejection', async () => {
    const work = createDeferred<string>();
    const wait = firstOf<string, string>(
      () => work.promise,
      ({ resolve }) => {
        resolve('early');
        return () => {};
      },
    );
    expect(await wait).toBe('early');
    work.reject(new Error('late'));
  });
});

describe('within', () => {
  test('work in time, and the timer is gone', async () => {
    expect(await within(1_000, Promise.resolve('done'))).toBe('done');
    await expect(within(1_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  });

  test('late work: nothing, what `onLate` returns, or what it throws', async () => {
    const waits = [
      within(1_000, never),
      within(1_000, never, () => 'late'),
      within(1_000, never, () => Promise.resolve('later')),
      within<never, never>(1_000, never, () => {
        throw new Error('too late');
      }),
    ];
    const settled = Promise.allSettled(waits);
    vi.advanceTimersByTime(999);
    expect(vi.getTimerCount()).toBe(waits.length);
    vi.advanceTimersByTime(1);
    expect(await settled).toEqual([
      { status: 'fulfilled', value: undefined },
      { status: 'fulfilled', value: 'late' },
      { status: 'fulfilled', value: 'later' },
      { status: 'rejected', reason: new Error('too late') },
    ]);
  });

  test('Infinity is no limit', async () => {
    const work = createDeferred<string>();
    const wait = within(Number.POSITIVE_INFINITY, work.promise);
    expect(vi.getTimerCount()).toBe(0);
    work.resolve('done');
    expect(await wait).toBe('done');
  });
});

describe('untilAborted', () => {
  const aborted = (): never => {
    throw new Error('aborted');
  };
  const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

  test('work in time, and the listeners are gone', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const work = createDeferred<string>();
    const wait = untilAborted([one.signal, two.signal], () => work.promise, aborted);
    expect([listenersOf(one.signal), listenersOf(two.signal)]).toEqual([1, 1]);
    work.resolve('done');
    expect(await wait).toBe('done');
    expect([listenersOf(one.signal), listenersOf(two.signal)]).toEqual([0, 0]);
  });

  test('an abort ends the wait at once, is told once, and work that fails later is dropped', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const work = createDeferred<string>();
    const onAborted = vi.fn(() => 'given up');
    const wait = untilAborted([one.signal, two.signal], () => work.promise, onAborted);
    one.abort();
    expect(onAborted).toHaveBeenCalledTimes(1);
    two.abort();
    expect(await wait).toBe('given up');
    expect(onAborted).toHaveBeenCalledTimes(1);
    expect(listenersOf(two.signal)).toBe(0);
    work.reject(new Error('late'));
  });

  test('an abort while the work starts counts', async () => {
    const controller = new AbortController();
    const start = (): Promise<never> => {
      controller.abort();
      return never;
    };
    await expect(untilAborted(controller.signal, start, aborted)).rejects.toThrow('aborted');
  });

  test('starts nothing after an abort', async () => {
    const start = vi.fn(() => 'done');
    await expect(untilAborted(AbortSignal.abort(), start, aborted)).rejects.toThrow('aborted');
    expect(start).not.toHaveBeenCalled();
  });
});
