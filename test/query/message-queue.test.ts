import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageQueue, type MessageQueueOptions } from '../../src/query/message-queue.js';

function queueOf<T>(options: Partial<MessageQueueOptions> = {}): MessageQueue<T> {
  return new MessageQueue<T>({
    maxSpooledBytes: Number.POSITIVE_INFINITY,
    onTaken: () => {},
    onSpooled: () => {},
    onBusy: () => {},
    onFailed: (error) => {
      throw error;
    },
    ...options,
  });
}

describe('message queue', () => {
  test('hands out in order what was queued before and after the consumer asked', async () => {
    const queue = queueOf<number>();
    queue.push(1, 10);
    const first = queue.next();
    const second = queue.next();
    const third = queue.next();
    queue.push(2, 10);
    queue.push(3, 10);
    expect(await Promise.all([first, second, third])).toEqual([
      { value: 1, done: false },
      { value: 2, done: false },
      { value: 3, done: false },
    ]);
  });

  test('counts the bytes nobody has taken', async () => {
    const seen: number[] = [];
    const queue: MessageQueue<string> = queueOf({ onTaken: () => seen.push(queue.queuedBytes) });
    queue.push('a', 5);
    queue.push('b', 7);
    expect(queue.queuedBytes).toBe(12);
    await queue.next();
    await queue.next();
    expect(seen).toEqual([7, 0]);
  });

  test('a message that a consumer already waits for is never counted', async () => {
    const queue = queueOf<string>();
    const next = queue.next();
    queue.push('a', 5);
    expect(queue.queuedBytes).toBe(0);
    expect(await next).toEqual({ value: 'a', done: false });
  });

  test('an end with an error comes after what is queued, is thrown once, and then the queue is over', async () => {
    const queue = queueOf<number>();
    const error = new Error('exit');
    queue.push(1, 1);
    queue.end(error);
    expect(await queue.next()).toEqual({ value: 1, done: false });
    await expect(queue.next()).rejects.toBe(error);
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  test('every waiting call settles at the end, the first one with the error', async () => {
    const queue = queueOf<number>();
    const waiting = [queue.next(), queue.next()];
    const error = new Error('exit');
    queue.end(error);
    const settled = await Promise.allSettled(waiting);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  test('the first end wins and later messages are not taken in', async () => {
    const queue = queueOf<number>();
    queue.end();
    queue.end(new Error('late'));
    queue.push(1, 1);
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  test('knows whether anybody ever asked', () => {
    const queue = queueOf<number>();
    expect(queue.hasBeenPulled).toBe(false);
    void queue.next();
    expect(queue.hasBeenPulled).toBe(true);
  });

  test('any interleaving of pushes and pulls hands out every message once, in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 5000 }), async (steps) => {
        const queue = queueOf<number>();
        const pulled: Promise<IteratorResult<number, undefined>>[] = [];
        let pushed = 0;
        for (const isPush of steps) {
          if (isPush) queue.push(pushed++, 3);
          else pulled.push(queue.next());
        }
        const bytesLeft = Math.max(0, pushed - pulled.length) * 3;
        expect(queue.queuedBytes).toBe(bytesLeft);
        queue.end();
        const values = (await Promise.all(pulled)).filter((step) => !step.done);
        expect(values.map(({ value }) => value)).toEqual(
          Array.from({ length: Math.min(pushed, pulled.length) }, (_, index) => index),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('what is held, and all behind it, waits for its release; a message before it does not', async () => {
    const queue = queueOf<string>();
    queue.push('a', 1);
    const release = queue.hold();
    queue.push('held', 4);
    queue.push('behind', 6);
    const all = [queue.next(), queue.next(), queue.next(), queue.next()];
    queue.pushBeforeHeld('before', 6);
    expect(await Promise.all(all.slice(0, 2))).toMatchObject([{ value: 'a' }, { value: 'before' }]);
    expect(queue.queuedBytes).toBe(10);
    queue.end();
    release();
    expect(await Promise.all(all.slice(2))).toMatchObject([{ value: 'held' }, { value: 'behind' }]);
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  test('a waiter is not served with a held message, and gets it at the release', async () => {
    const queue = queueOf<string>();
    const first = queue.next();
    const release = queue.hold();
    queue.push('held', 4);
    const second = queue.next();
    queue.push('behind', 6);
    expect(queue.queuedBytes).toBe(10);
    release();
    expect(await Promise.all([first, second])).toMatchObject([{ value: 'held' }, { value: 'behind' }]);
  });

  test('`abandon` ends a queue that holds a message, and its release comes to nothing', async () => {
    const queue = queueOf<string>();
    const release = queue.hold();
    queue.push('held', 4);
    const next = queue.next();
    queue.abandon();
    release();
    expect(await next).toEqual({ value: undefined, done: true });
    expect(queue.queuedBytes).toBe(0);
  });
});
