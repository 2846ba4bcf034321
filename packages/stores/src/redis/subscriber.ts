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
    // Before it is ready, it subscribes to everything when it is.
    if (isFirst && connection.status === 'ready') this.#subscribe(connection, [channel]);
    // Else the subscription may be under way, or over.
    else if (!isFirst) own();
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
    // Every time that it is connected again, too.
    connection.on('ready', () => this.#subscribe(connection, [...this.#listeners.keys()]));
    // It connects again by itself, and until then there is the poll.
    connection.on('error', () => {});
    return connection;
  }

  /** Who listens was not told of what came before this was done. What fails here is made up for by polling. */
  #subscribe(connection: RedisClient, channels: readonly string[]): void {
    if (channels.length === 0) return;
    connection.subscribe(...channels).then(
      () => {
        for (const channel of channels) this.#tell(channel);
      },
      () => {},
    );
  }

  #tell(channel: string): void {
    for (const listener of [...(this.#listeners.get(channel) ?? [])]) listener();
  }
}

/** Without `autoResubscribe`, whose rejection nobody could handle when the connection is closed meanwhile. */
function duplicateOf(client: RedisClient): RedisClient {
  const options = { lazyConnect: false, enableOfflineQueue: true, autoResubscribe: false };
  if ('nodes' in client) return client.duplicate([], options);
  return client.duplicate({ ...options, maxRetriesPerRequest: null });
}
