import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { attempt, type CallOptions } from '../shared/attempt.js';
import { type Known, requireClient, timeoutOf } from '../shared/options.js';
import { postgresError } from './postgres-error.js';

export interface PostgresOptions extends CallOptions {
  /**
   * A pool of `pg`. It stays yours: a store does not end it. Its `search_path` decides where the tables are. Give it
   * `connectionTimeoutMillis`, so that connections to a server that never answers do not fill it.
   */
  readonly pool: Pool;
}

export const POSTGRES_OPTIONS: Known<PostgresOptions> = { pool: true, timeoutMs: true };

/** What the stores for PostgreSQL share: connections, transactions, time limits and errors. */
export class PostgresCalls {
  readonly pool: Pool;
  readonly timeoutMs: number;

  constructor({ pool, timeoutMs }: PostgresOptions) {
    requireClient(pool, 'connect', 'a Pool of pg');
    this.pool = pool;
    this.timeoutMs = timeoutOf(timeoutMs);
  }

  /** One statement. It is repeated when the server is away, so it must be one that may be. @throws StoreError. */
  async query<Row extends QueryResultRow>(
    what: string,
    text: string,
    values: readonly unknown[],
  ): Promise<QueryResult<Row>> {
    return await this.attempt(what, (client) => client.query<Row>(text, [...values]));
  }

  /** Epoch milliseconds by the clock of PostgreSQL. */
  async now(): Promise<number> {
    const text = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at';
    return Number((await this.query<{ at: string }>('Asking for the time', text, [])).rows[0]?.at);
  }

  /** Several statements that are repeated when one of them fails for want of a server. @throws StoreError. */
  async attempt<T>(what: string, task: (client: PoolClient) => Promise<T>): Promise<T> {
    return await attempt({ what, timeoutMs: this.timeoutMs, translate: postgresError }, (leftMs) =>
      withClient(this.pool, leftMs, task),
    );
  }

  /** A transaction. The server ends it, too, when its time is over, so that it holds no lock for longer. */
  async transaction<T>(what: string, task: (client: PoolClient) => Promise<T>): Promise<T> {
    const ms = Math.ceil(this.timeoutMs);
    const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const begin = ['BEGIN', ...limits.map((name) => `SET LOCAL ${name} = ${ms}`)].join('; ');
    return await this.attempt(what, async (client) => {
      await client.query(begin);
      const result = await task(client);
      await client.query('COMMIT');
      return result;
    });
  }
}

/** Gives back what it took: a connection whose task failed or is late is closed, since nobody knows its state. */
async function withClient<T>(pool: Pool, leftMs: number, task: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await connected(pool, leftMs);
  // Without a listener the end of a connection would end the program.
  const ignore = (): void => {};
  client.on('error', ignore);
  let isOver = false;
  const giveBack = (isUsable: boolean): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    if (isUsable) client.off('error', ignore);
    client.release(!isUsable);
  };
  const timer = setTimeout(() => giveBack(false), leftMs);
  try {
    const result = await task(client);
    giveBack(true);
    return result;
  } catch (error) {
    giveBack(false);
    throw error;
  }
}

/** Nobody waits for a connection that comes late: it goes back into the pool. */
async function connected(pool: Pool, leftMs: number): Promise<PoolClient> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
  }, leftMs);
  const client = await pool.connect().finally(() => clearTimeout(timer));
  if (!isLate) return client;
  client.release();
  throw new Error('Connection terminated: it came too late');
}
