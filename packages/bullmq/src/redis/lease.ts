import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { ACQUIRE, RELEASE, RENEW } from './scripts.js';
import { settled } from './time-limit.js';

export interface LeaseParams {
  readonly redis: Redis;
  /** All are taken, or none. */
  readonly keys: readonly string[];
  /** Looked at with each renewal, so that a lost pub/sub message delays a cancel and does not lose it. */
  readonly cancelKey: string;
  /** Of this run alone. */
  readonly owner: string;
  readonly ttlMs: number;
  readonly redisMs: number;
  readonly onLost: () => void;
  readonly onCancel: (reason: string) => void;
}

/**
 * The right to write to a session, for as long as it is renewed. If Redis does not answer, it is given up before the
 * server's own time is over, so there are never two that think they have it.
 */
export class Lease {
  readonly #params: LeaseParams;
  readonly #over = new AbortController();
  /** On this machine's monotonic clock. */
  #validUntil: number;

  private constructor(params: LeaseParams, validUntil: number) {
    this.#params = params;
    this.#validUntil = validUntil;
    void this.#keep();
  }

  /** @returns the lease, or how many milliseconds the other's lease lasts. @throws what Redis throws. */
  static async acquire(params: LeaseParams): Promise<Lease | number> {
    const { redis, keys, owner, ttlMs, redisMs } = params;
    const startedAt = performance.now();
    const wait = await settled(redisMs, 'redis_failed', 'Taking the lease of a session', () =>
      redis.eval(ACQUIRE, keys.length, ...keys, owner, ttlMs),
    );
    return wait === 0 ? new Lease(params, startedAt + ttlMs) : Number(wait);
  }

  /** Never rejects: what is not released ends by itself. */
  async release(): Promise<void> {
    this.#over.abort();
    const { redis, keys, owner, redisMs } = this.#params;
    await settled(redisMs, 'redis_failed', 'Releasing the lease of a session', () =>
      redis.eval(RELEASE, keys.length, ...keys, owner),
    ).catch(() => {});
  }

  async #keep(): Promise<void> {
    const { ttlMs, onLost } = this.#params;
    const { signal } = this.#over;
    while (!signal.aborted) {
      await delay(ttlMs / 3, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      if (await this.#renew(ttlMs / 3)) continue;
      // A third of the time is left to stop what is running.
      if (!signal.aborted && performance.now() >= this.#validUntil - ttlMs / 3 - 1) {
        this.#over.abort();
        onLost();
      }
    }
  }

  async #renew(limitMs: number): Promise<boolean> {
    const { redis, keys, cancelKey, owner, ttlMs, onCancel } = this.#params;
    const startedAt = performance.now();
    try {
      const answer = await settled(limitMs, 'redis_failed', 'Renewing the lease of a session', () =>
        redis.eval(RENEW, keys.length + 1, cancelKey, ...keys, owner, ttlMs),
      );
      const [isOurs, reason] = Array.isArray(answer) ? answer : [0];
      if (isOurs === 1) this.#validUntil = startedAt + ttlMs;
      else this.#validUntil = 0;
      if (typeof reason === 'string' && !this.#over.signal.aborted) onCancel(reason);
      return isOurs === 1;
    } catch {
      return false;
    }
  }
}
