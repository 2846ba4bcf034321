import { readdir, readFile } from 'node:fs/promises';
import type { Pool } from 'pg';
import { StoreError } from '../errors.js';
import type { CallOptions } from '../shared/attempt.js';
import { requireOptions } from '../shared/options.js';
import { PostgresCalls } from './calls.js';

const FOLDER = new URL('../../sql/', import.meta.url);
const LOCK = 1_668_048_247;

/**
 * Makes the tables, or brings them up to date, in the first schema of the pool's `search_path`: the files of `sql/` that
 * were not run yet, in one transaction under an advisory lock. May be called by every host at every start.
 *
 * @param options - `timeoutMs`: default 60_000.
 * @returns the versions that were applied now.
 * @throws StoreError, `not_ready` for a database that is not in UTF-8.
 */
export async function migrate(pool: Pool, options: CallOptions = {}): Promise<readonly number[]> {
  requireOptions<CallOptions>('migrate()', options, { timeoutMs: true });
  const { timeoutMs = 60_000 } = options;
  const calls = new PostgresCalls({ pool, timeoutMs });
  const names = (await readdir(FOLDER)).filter((name) => /^\d{3}-.*\.sql$/.test(name)).sort();
  return await calls.transaction('Migrating', async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const encoding = (await client.query<{ server_encoding: string }>('SHOW server_encoding')).rows[0]?.server_encoding;
    if (encoding !== 'UTF8') {
      throw new StoreError('not_ready', `The database is in ${encoding}, and the stores need UTF8.`, {
        hint: "Make one with `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`.",
      });
    }
    await client.query(
      'CREATE TABLE IF NOT EXISTS claudewire_migrations ' +
        '(version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const found = await client.query<{ version: number }>('SELECT version FROM claudewire_migrations');
    const known = new Set(found.rows.map(({ version }) => version));
    const applied: number[] = [];
    for (const name of names) {
      const version = Number(name.slice(0, 3));
      if (known.has(version)) continue;
      await client.query(await readFile(new URL(name, FOLDER), 'utf8'));
      applied.push(version);
    }
    return applied;
  });
}
