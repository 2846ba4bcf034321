import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freeMemoryMb, MemoryWatch, memoryOf } from '../../src/host/memory.js';
import { ProcessPool } from '../../src/host/process-pool.js';

describe('what is measured', () => {
  test('is the resident memory of a process, and nothing of one that is gone', async () => {
    const gone = 2 ** 22 + 1;
    const measured = await memoryOf([process.pid, gone]);
    expect([...measured.keys()]).toEqual([process.pid]);
    const own = process.memoryUsage.rss() / 1024 / 1024;
    expect(measured.get(process.pid)).toBeGreaterThan(own / 3);
    expect(measured.get(process.pid)).toBeLessThan(own * 3);
    expect(freeMemoryMb()).toBeGreaterThan(0);
  });
});

describe('the watch', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const watchOf = (measured: readonly (readonly [number, number])[], owners: ReadonlyMap<number, string>) => {
    const over: string[] = [];
    const watch = new MemoryWatch({
      ...{ limitMb: 300, everyMs: 5_000, processes: () => owners, onOver: (owner: string) => over.push(owner) },
      measure: async () => new Map(measured),
    });
    return { watch, over };
  };

  test('names the owners of processes above the limit, and of no others', async () => {
    const owners = new Map([...[[1, 'below'] as const, [2, 'at'] as const], ...[[3, 'above'] as const]]);
    const measured = [[1, 100] as const, [2, 300] as const, [3, 300.1] as const, [4, 9_000] as const];
    const { watch, over } = watchOf(measured, owners);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(over).toEqual(['above']);
    watch.close();
    await vi.advanceTimersByTimeAsync(50_000);
    expect([over, vi.getTimerCount()]).toEqual([['above'], 0]);
  });

  test('spares the process that got the pid while it was measured', async () => {
    const owners = new Map([[1, 'old']]);
    const over: string[] = [];
    const watch = new MemoryWatch({
      ...{ limitMb: 1, everyMs: 10, onOver: (owner: string) => over.push(owner), processes: () => new Map(owners) },
      measure: async () => {
        owners.set(1, 'new');
        return new Map([[1, 99]]);
      },
    });
    await vi.advanceTimersByTimeAsync(10);
    expect(over).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(over).toEqual(['new']);
    watch.close();
  });

  test('has no timer without a limit, looks once at a time, and again after a failure', async () => {
    const calls: (() => void)[] = [];
    const params = { everyMs: 10, processes: () => new Map([[1, 'a']]), onOver: () => {} };
    new MemoryWatch({ ...params, limitMb: 0 });
    expect(vi.getTimerCount()).toBe(0);
    const watch = new MemoryWatch({
      ...{ ...params, limitMb: 1 },
      measure: () => new Promise((_, reject) => calls.push(() => reject(new Error('no ps')))),
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(calls).toHaveLength(1);
    calls[0]?.();
    await vi.advanceTimersByTimeAsync(10);
    expect(calls).toHaveLength(2);
    watch.close();
  });
});

test('with less memory than is to be left free, one process runs, and the next waits for room', async () => {
  let free = 100;
  const evicted: (string | undefined)[] = [];
  const pool = new ProcessPool({
    ...{
      processes: 8,
      processesPerTenant: 8,
      queue: 1,
      queuedPerTenant: 1,
      queueMs: 60_000,
      freeMemoryMb: 500,
      measureFree: () => free,
    },
    evict: (tenant) => void evicted.push(tenant),
  });
  const first = await pool.acquire('ada');
  expect(pool.tryAcquire('bob')).toBeUndefined();
  const second = pool.acquire('bob');
  await expect(pool.acquire('eve')).rejects.toMatchObject({ code: 'busy', message: expect.stringMatching('500 MiB') });
  expect(evicted).toEqual([undefined, undefined]);
  first.release();
  (await second).release();
  free = 500;
  await Promise.all([pool.acquire('ada'), pool.acquire('bob'), pool.acquire('eve')]);
  expect([pool.used, pool.waiting]).toEqual([3, 0]);
});
