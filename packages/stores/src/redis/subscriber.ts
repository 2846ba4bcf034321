import type { RedisClient } from './client.js';

/**
 * One connection that hears of channels, for as long as anybody listens to one. It is made again when it is cut, and
 * then everybody is told, since something may have been missed.
 */
export class Subscriber {
  readonly #client: RedisClient;
  readonly #listeners = new Map<string, Set<() => void>>();
  #connection: RedisClient | undefined;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  /** @returns a function that ends it. */
  add(channel: string, listener: () => void): () => void {
    // Each call is one listener, also of the same function twice.
    const own = (): void => listener();
    const listeners = this.#listeners.get(channel) ?? new Set();
    const isFirst = listeners.size === 0;
    this.#listeners.set(channel, listeners.add(own));
    const connection = this.#connect();
    if (isFirst) {
      // Who listens was not told of what came before this was done. What fails here is made up for by polling.
      connection.subscribe(channel).then(
        () => this.#tell(channel),
        () => {},
      );
    } else {
      // For the first of a channel the subscription may be under way.
      own();
    }
    return () => this.#remove(channel, own);
  }

  #remove(channel: string, listener: () => void): void {
    const listeners = this.#listeners.get(channel);
    if (listeners?.delete(listener) !== true || listeners.size > 0) return;
    this.#listeners.delete(channel);
    if (this.#listeners.size === 0) {
      this.#connection?.disconnect();
      this.#connection = undefined;
    } else {
      this.#connection?.unsubscribe(channel).catch(() => {});
    }
  }

  #connect(): RedisClient {
    if (this.#connection !== undefined) return this.#connection;
    const connection = duplicateOf(this.#client);
    this.#connection = connection;
    connection.on('message', (channel: string) => this.#tell(channel));
    let isAgain = false;
    connection.on('ready', () => {
      if (isAgain) for (const channel of [...this.#listeners.keys()]) this.#tell(channel);
      isAgain = true;
    });
    // It connects again by itself, and until then there is the poll.
    connection.on('error', () => {});
    return connection;
  }

  #tell(channel: string): void {
    for (const listener of [...(this.#listeners.get(channel) ?? [])]) listener();
  }
}

/** Subscriptions wait for the connection, and are made again after it was cut, whatever the client's own options are. */
function duplicateOf(client: RedisClient): RedisClient {
  const options = { lazyConnect: false, enableOfflineQueue: true, autoResubscribe: true };
  if ('nodes' in client) return client.duplicate([], options);
  return client.duplicate({ ...options, maxRetriesPerRequest: null });
}
