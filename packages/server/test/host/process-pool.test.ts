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
    queuedPerTenant: 1,
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
    queuedPerTenant: 5,
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
  const zoe = pool.acquire('zoe');
  await vi.advanceTimersByTimeAsync(0);
  expect(evicted).toContain('ada');
  // For zoe, who is at no limit of her own.
  expect(evicted).toContain(undefined);
  first.release();
  const [, second] = await waiting[0]!;
  second.release();
  // Her turn, before the next one of ada.
  (await zoe).release();
  await waiting[1];
  expect(order).toEqual(['second', 'third']);
  const full = expect(pool.acquire('zoe')).rejects.toMatchObject({ message: expect.stringContaining('All 3') });
  const own = expect(pool.acquire('ada')).rejects.toMatchObject({
    message: expect.stringContaining('processesPerTenant'),
  });
  await vi.advanceTimersByTimeAsync(5_000);
  await Promise.all([full, own]);
  expect([pool.used, pool.waiting, vi.getTimerCount()]).toEqual([3, 0, 0]);
});

test('a tenant that fills the queue loses its newest to another one, and tenants are served by turns', async () => {
  const pool = new ProcessPool({
    ...{ processes: 1, processesPerTenant: 1, queue: 3, queuedPerTenant: 3, queueMs: 5_000, freeMemoryMb: 0 },
    evict: () => undefined,
  });
  const slot = await pool.acquire('mallory');
  const order: string[] = [];
  const wait = (tenant: string, name: string) =>
    pool.acquire(tenant).then((granted) => {
      order.push(name);
      granted.release();
    });
  const kept = [wait('mallory', 'm1'), wait('mallory', 'm2')];
  const displaced = expect(pool.acquire('mallory')).rejects.toMatchObject({ code: 'busy', retryAfterMs: 5_000 });
  kept.push(wait('carol', 'c1'));
  await displaced;
  expect(pool.waiting).toBe(3);
  slot.release();
  await Promise.all(kept);
  expect(order).toEqual(['m1', 'c1', 'm2']);
  expect([pool.used, pool.waiting, vi.getTimerCount()]).toEqual([0, 0, 0]);
});

test('who is pushed out of a full queue is told of the queue, and of no limit that would not help', async () => {
  const pool = new ProcessPool({
    ...{ processes: 1, processesPerTenant: 1, queue: 4, queuedPerTenant: 4, queueMs: 5_000, freeMemoryMb: 0 },
    evict: () => undefined,
  });
  const slot = await pool.acquire('ada');
  const kept = [pool.acquire('ada'), pool.acquire('ada'), pool.acquire('ada')];
  const displaced = expect(pool.acquire('ada')).rejects.toMatchObject({
    message:
      'The queue is full: 4 messages wait for a process. All 1 processes are at work. ' +
      'Try again in 5 s, raise `limits.queue`, or raise `limits.processes`.',
    forClients: 'The server is busy, and this was not sent. Try again in 5 s.',
  });
  kept.push(pool.acquire('bob'));
  await displaced;
  slot.release();
  await Promise.all(kept.map(async (each) => (await each).release()));
});

test('who has as many messages waiting as `queuedPerTenant` is refused, and others are not', async () => {
  const pool = new ProcessPool({
    ...{ processes: 1, processesPerTenant: 1, queue: 5, queuedPerTenant: 1, queueMs: 5_000, freeMemoryMb: 0 },
    evict: () => undefined,
  });
  const slot = await pool.acquire('mallory');
  const waiting = [pool.acquire('mallory')];
  await expect(pool.acquire('mallory')).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringContaining('limits.queuedPerTenant'),
    forClients: '1 of your messages wait already, and this one was not sent. Try again in 5 s.',
  });
  waiting.push(pool.acquire('carol'));
  slot.release();
  for (const each of waiting) (await each).release();
  expect([pool.used, pool.waiting, vi.getTimerCount()]).toEqual([0, 0, 0]);
});

test('who waits for memory is served as soon as there is enough, and so is a newcomer behind them', async () => {
  let free = 0;
  const pool = new ProcessPool({
    ...{ processes: 8, processesPerTenant: 8, queue: 5, queuedPerTenant: 5, queueMs: 5_000, freeMemoryMb: 100 },
    ...{ measureFree: () => free, evict: () => undefined },
  });
  const first = await pool.acquire('ada');
  const waiting = [pool.acquire('ada'), pool.acquire('bob'), pool.acquire('ada')];
  expect(pool.waiting).toBe(3);
  free = 1_000;
  first.release();
  await Promise.all(waiting);
  expect([pool.used, pool.waiting]).toEqual([3, 0]);
  free = 0;
  waiting.push(pool.acquire('bob'));
  expect(pool.waiting).toBe(1);
  free = 1_000;
  waiting.push(pool.acquire('zoe'));
  for (const slot of await Promise.all(waiting)) slot.release();
  expect([pool.used, pool.waiting, vi.getTimerCount()]).toEqual([0, 0, 0]);
});

test('what a message costs that waits does not grow with those that wait', async () => {
  const evicted: (string | undefined)[] = [];
  const pool = new ProcessPool({
    ...{ processes: 2, processesPerTenant: 1, queue: 500, queuedPerTenant: 500, queueMs: 5_000, freeMemoryMb: 0 },
    evict: (tenant?: string) => void evicted.push(tenant),
  });
  const slots = [await pool.acquire('ada')];
  const waiting = Array.from({ length: 200 }, () => pool.acquire('ada'));
  expect(evicted).toEqual(waiting.map(() => 'ada'));
  slots.push(await pool.acquire('bob'));
  const zoe = pool.acquire('zoe');
  expect(evicted.slice(200)).toEqual(['ada', undefined]);
  for (const slot of slots) slot.release();
  (await zoe).release();
  for (const each of waiting) (await each).release();
  expect([pool.used, pool.waiting, vi.getTimerCount()]).toEqual([0, 0, 0]);
});
