import { describe, expect, test } from 'vitest';
import { OrderedWrites } from '../../src/transport/pull-adapter.js';
import { createDeferred } from '../../src/util/deferred.js';
import { startCpuClock } from '../helpers/cpu-time.js';

describe('ordered writes', () => {
  test('200 000 waiting texts are written in order and in linear time', async () => {
    const written: string[] = [];
    const writes = new OrderedWrites(
      (data) => void written.push(data),
      () => expect.unreachable(),
    );
    const texts = Array.from({ length: 200_000 }, (_, n) => String(n));
    for (const text of texts) writes.push(text);
    const spentMs = startCpuClock();
    writes.start();
    await writes.idle();
    expect(written).toEqual(texts);
    // It takes tens of milliseconds. Taking from the front of the list took seconds.
    expect(spentMs()).toBeLessThan(2_000);
  });

  test('what a write pushes, and what is pushed while it waits, comes after what waits already', async () => {
    const written: string[] = [];
    const first = createDeferred<void>();
    const writes = new OrderedWrites(
      (data) => {
        written.push(data);
        if (data !== 'a') return undefined;
        writes.push('c');
        return first.promise;
      },
      () => expect.unreachable(),
    );
    writes.push('a');
    writes.push('b');
    writes.start();
    writes.push('d');
    first.resolve();
    await writes.idle();
    expect(written).toEqual(['a', 'b', 'c', 'd']);
  });

  test('after a stop in the middle nothing more is written', async () => {
    const written: string[] = [];
    const first = createDeferred<void>();
    const writes = new OrderedWrites(
      (data) => {
        written.push(data);
        return first.promise;
      },
      () => expect.unreachable(),
    );
    for (const text of ['a', 'b', 'c']) writes.push(text);
    writes.start();
    writes.stop();
    first.resolve();
    await writes.idle();
    await first.promise;
    expect(written).toEqual(['a']);
  });

  test('a synchronous write goes out in the tick it was made in', () => {
    const written: string[] = [];
    const writes = new OrderedWrites(
      (data) => void written.push(data),
      () => expect.unreachable(),
    );
    writes.start();
    writes.push('a');
    writes.push('b');
    expect(written).toEqual(['a', 'b']);
  });
});
