import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { havePostgres, type PostgresServer, startPostgres } from '../../../../scripts/servers/postgres.mjs';

/** A PostgreSQL server for the tests of a file. */
export function usePostgres(): { readonly server: PostgresServer } {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    if (!(await havePostgres())) throw new Error('there is no PostgreSQL server');
    server = await startPostgres();
  });
  afterAll(async () => {
    await server?.stop();
  });
  return {
    get server() {
      if (server === undefined) throw new Error('only in a test');
      return server;
    },
  };
}

/** A pool that ends with the test. @param schema - Where its tables are. */
export function postgresPool(port: number, schema: string, max = 4, database = 'postgres', user = 'postgres'): pg.Pool {
  const pool = new pg.Pool({
    ...{ host: '127.0.0.1', port, user, database, max },
    ...{ connectionTimeoutMillis: 5_000, options: `-c search_path=${schema}`, allowExitOnIdle: true },
  });
  // A test that cuts connections wants to see what the stores say of it.
  pool.on('error', () => {});
  onTestFinished(() => pool.end());
  return pool;
}

/** A schema that nothing else in the server has. */
export async function newSchema(port: number): Promise<string> {
  const schema = `t${randomUUID().slice(0, 8)}`;
  await postgresPool(port, 'public').query(`CREATE SCHEMA ${schema}`);
  return schema;
}
