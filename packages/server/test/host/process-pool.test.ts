import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { draining } from '../../src/errors.js';
import { ProcessPool } from '../../src/host/process-pool.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const fullPool = async () => {
  const pool = new ProcessPool({
    processes: 1,
    processesPerTenant: 1,
    queue: 1,
    queueMs: 5_000,
    freeMemoryMb: 0,
    evict: () => undefined,
  });
  return { pool, slot: await pool.acquire('ada') };
};

test('a wait fails as busy after exactly `queueMs`, and leaves no timer', async () => {
  const { pool } = await fullPool();
  const failure = expect(pool.acquire('ada')).rejects.toMatchObject({ code: 'busy', retryAfterMs: 5_000 });
  await vi.advanceTimersByTimeAsync(4_999);
  expect(pool.waiting).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  await failure;
  expect([pool.waiting, vi.getTimerCount()]).toEqual([0, 0]);
});

test('a wait that is granted, and one that a close refuses, leave no timer', async () => {
  const { pool, slot } = await fullPool();
  const granted = pool.acquire('ada');
  slot.release();
  await granted;
  expect([pool.used, pool.waiting, vi.getTimerCount()]).toEqual([1, 0, 0]);
  const refused = expect(pool.acquire('ada')).rejects.toMatchObject({ code: 'draining' });
  pool.close(draining());
  await refused;
  expect([pool.waiting, vi.getTimerCount()]).toEqual([0, 0]);
});

test('a tenant at its limit waits for its own processes, and holds up nobody else', async () => {
  const evicted: (string | undefined)[] = [];
  const evict = (tenant?: string) => void evicted.push(tenant);
  const pool = new ProcessPool({
    processes: 3,
    processesPerTenant: 1,
    queue: 5,
    queueMs: 5_000,
    freeMemoryMb: 0,
    evict,
  });
  const first = await pool.acquire('ada');
  const order: string[] = [];
  const wait = (name: string) => pool.acquire('ada').then((slot) => [order.push(name), slot] as const);
  const waiting = [wait('second'), wait('third')];
  expect(pool.tryAcquire('ada')).toBeUndefined();
  await pool.acquire('bob');
  await pool.acquire('eve');
  const full = expect(pool.acquire('zoe')).rejects.toMatchObject({ message: expect.stringContaining('All 3') });
  await vi.advanceTimersByTimeAsync(0);
  expect(evicted).toContain('ada');
  expect(evicted.at(-1)).toBeUndefined();
  first.release();
  const [, second] = await waiting[0]!;
  second.release();
  await waiting[1];
  expect(order).toEqual(['second', 'third']);
  const own = expect(pool.acquire('ada')).rejects.toMatchObject({
    message: expect.stringContaining('processesPerTenant'),
  });
  await vi.advanceTimersByTimeAsync(5_000);
  await Promise.all([full, own]);
  expect([pool.used, pool.waiting, vi.getTimerCount()]).toEqual([3, 0, 0]);
});
