import type { Redis } from 'ioredis';
import { TAKE_RATE } from './scripts.js';
import { settled } from './time-limit.js';

/** At most `jobs` runs of a tenant are started in `perMs` milliseconds. */
export interface TenantRate {
  readonly jobs: number;
  readonly perMs: number;
}

/** @returns 0, or the milliseconds until the tenant may start one more. @throws what Redis throws. */
export async function takeRate(redis: Redis, key: string, rate: TenantRate, redisMs: number): Promise<number> {
  const wait = await settled(redisMs, 'redis_failed', 'Looking at the rate of a tenant', () =>
    redis.eval(TAKE_RATE, 1, key, rate.jobs, rate.perMs),
  );
  return Number(wait);
}
