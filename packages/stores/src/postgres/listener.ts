import type { Notification, Pool, PoolClient } from 'pg';

/**
 * One connection of the pool that listens to a channel, for as long as anybody wants to hear of something. It is taken
 * again when it is cut, and then everybody is told, since something may have been missed.
 */
export class Listener {
  readonly #pool: Pool;
  readonly #channel: string;
  readonly #retryMs: number;
  readonly #listeners = new Map<string, Set<() => void>>();
  #client: PoolClient | undefined;
  #isConnecting = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(pool: Pool, channel: string, retryMs: number) {
    this.#pool = pool;
    this.#channel = channel;
    this.#retryMs = retryMs;
  }

  /** @param payload - What is listened for. @returns a function that ends it. */
  add(payload: string, listener: () => void): () => void {
    // Each call is one listener, also of the same function twice.
    const own = (): void => listener();
    const listeners = this.#listeners.get(payload) ?? new Set();
    this.#listeners.set(payload, listeners.add(own));
    if (this.#client === undefined) void this.#connect();
    return () => {
      if (!listeners.delete(own) || listeners.size > 0) return;
      this.#listeners.delete(payload);
      if (this.#listeners.size === 0) this.#disconnect();
    };
  }

  async #connect(): Promise<void> {
    if (this.#isConnecting || this.#listeners.size === 0) return;
    this.#isConnecting = true;
    clearTimeout(this.#retry);
    let client: PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      const own = client;
      own.on('error', () => this.#lost(own));
      own.on('end', () => this.#lost(own));
      own.on('notification', ({ payload = '' }: Notification) => this.#tell(payload));
      await own.query(`LISTEN ${this.#channel}`);
      this.#client = own;
      this.#isConnecting = false;
      // Who listens was not told of what came before.
      for (const payload of [...this.#listeners.keys()]) this.#tell(payload);
      if (this.#listeners.size === 0) this.#disconnect();
    } catch {
      // Until it works there is the poll.
      this.#isConnecting = false;
      client?.release(true);
      this.#later();
    }
  }

  #lost(client: PoolClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.release(true);
    void this.#connect();
  }

  /** A connection that has listened is not given back: another user of the pool would be told. */
  #disconnect(): void {
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    client?.release(true);
  }

  #later(): void {
    if (this.#listeners.size === 0) return;
    this.#retry = setTimeout(() => void this.#connect(), this.#retryMs);
    this.#retry.unref();
  }

  #tell(payload: string): void {
    for (const listener of [...(this.#listeners.get(payload) ?? [])]) listener();
  }
}
