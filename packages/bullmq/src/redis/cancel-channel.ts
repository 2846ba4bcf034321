import type { Redis } from 'ioredis';

/**
 * Hears of cancels while jobs run. It may miss one, while its connection is down: the durable key is also looked at when
 * a job starts, after a reconnect, and with each renewal of a lease.
 */
export class CancelChannel {
  readonly #subscriber: Redis;
  readonly #listeners = new Map<string, () => void>();
  #isClosed = false;

  constructor(redis: Redis, channel: string, onError: (error: unknown) => void) {
    // Not subscribed again by the client itself: nobody could handle its rejection when all is closed meanwhile.
    this.#subscriber = redis.duplicate({ maxRetriesPerRequest: null, lazyConnect: true, autoResubscribe: false });
    this.#subscriber.on('error', onError);
    this.#subscriber.on('message', (_, jobId: string) => this.#listeners.get(jobId)?.());
    this.#subscriber.on('ready', () => {
      this.#subscriber.subscribe(channel).then(
        // What was said before is looked up.
        () => {
          for (const listener of [...this.#listeners.values()]) listener();
        },
        (error) => {
          if (!this.#isClosed) onError(error);
        },
      );
    });
    // It connects again by itself.
    this.#subscriber.connect().catch(() => {});
  }

  /** @param listener - Told that the durable key should be looked at. @returns what ends it. */
  listen(jobId: string, listener: () => void): () => void {
    this.#listeners.set(jobId, listener);
    return () => {
      if (this.#listeners.get(jobId) === listener) this.#listeners.delete(jobId);
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#subscriber.disconnect();
  }
}
