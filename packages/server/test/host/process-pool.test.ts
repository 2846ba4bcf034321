import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { draining } from '../../src/errors.js';
import { ProcessPool } from '../../src/host/process-pool.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const fullPool = async () => {
  const pool = new ProcessPool({ processes: 1, queue: 1, queueMs: 5_000, evict: () => undefined });
  return { pool, slot: await pool.acquire() };
};

test('a wait fails as busy after exactly `queueMs`, and leaves no timer', async () => {
  const { pool } = await fullPool();
  const failure = expect(pool.acquire()).rejects.toMatchObject({ code: 'busy', retryAfterMs: 5_000 });
  await vi.advanceTimersByTimeAsync(4_999);
  expect(pool.waiting).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  await failure;
  expect([pool.waiting, vi.getTimerCount()]).toEqual([0, 0]);
});

test('a wait that is granted, and one that a close refuses, leave no timer', async () => {
  const { pool, slot } = await fullPool();
  const granted = pool.acquire();
  slot.release();
  await granted;
  expect([pool.used, pool.waiting, vi.getTimerCount()]).toEqual([1, 0, 0]);
  const refused = expect(pool.acquire()).rejects.toMatchObject({ code: 'draining' });
  pool.close(draining());
  await refused;
  expect([pool.waiting, vi.getTimerCount()]).toEqual([0, 0]);
});
