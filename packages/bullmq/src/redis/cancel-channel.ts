import type { Redis } from 'ioredis';

/**
 * Hears of cancels while jobs run. It may miss one, while its connection is down: the durable key is also looked at when
 * a job starts, after a reconnect, and with each renewal of a lease.
 */
export class CancelChannel {
  readonly #subscriber: Redis;
  readonly #listeners = new Map<string, () => void>();

  constructor(redis: Redis, channel: string, onError: (error: unknown) => void) {
    this.#subscriber = redis.duplicate({ lazyConnect: true, maxRetriesPerRequest: null });
    this.#subscriber.on('error', onError);
    this.#subscriber.on('message', (_, jobId: string) => this.#listeners.get(jobId)?.());
    // Subscribed again by the client itself; what was said meanwhile is looked up.
    this.#subscriber.on('ready', () => {
      for (const listener of [...this.#listeners.values()]) listener();
    });
    this.#subscriber.subscribe(channel).catch(onError);
  }

  /** @param listener - Told that the durable key should be looked at. @returns what ends it. */
  listen(jobId: string, listener: () => void): () => void {
    this.#listeners.set(jobId, listener);
    return () => {
      if (this.#listeners.get(jobId) === listener) this.#listeners.delete(jobId);
    };
  }

  close(): void {
    this.#listeners.clear();
    this.#subscriber.disconnect();
  }
}
