import type { ConversationKey, WakeUp, WakeUpStore } from 'claudewire-server';
import { leasePassed } from '../shared/host-errors.js';
import { damaged } from '../shared/lines.js';
import { requireOptions } from '../shared/options.js';
import { serverEntry } from '../shared/server-entry.js';
import { firstOf, readableKeys, wakeUpsOf } from '../shared/wake-ups.js';
import { POSTGRES_OPTIONS, PostgresCalls, type PostgresOptions } from './calls.js';
import { columnOf, hashOf, nameIn } from './keys.js';

const GET = 'SELECT body FROM claudewire_wake_ups WHERE key_hash = $1';

const SET = `
INSERT INTO claudewire_wake_ups AS w (key_hash, tenant, conversation, first_at, body, token)
VALUES ($1, $2, $3, $4, $5, coalesce($6::bigint, 0))
ON CONFLICT (key_hash) DO UPDATE SET first_at = excluded.first_at, body = excluded.body,
  token = greatest(w.token, excluded.token)
WHERE $6::bigint IS NULL OR w.token <= $6::bigint`;

const REMOVE = 'DELETE FROM claudewire_wake_ups WHERE key_hash = $1';

/** A page, after a time and a conversation. */
const DUE = `
SELECT key_hash, tenant, conversation, first_at, body FROM claudewire_wake_ups
WHERE first_at <= $1 AND (first_at, key_hash) > ($2, $3)
ORDER BY first_at, key_hash LIMIT $4`;

const PAGE = 200;

interface Due {
  readonly key_hash: Buffer;
  readonly tenant: string;
  readonly conversation: string;
  readonly first_at: number;
  readonly body: string;
}

/**
 * Keeps scheduled prompts in PostgreSQL 14 or newer, for any number of hosts. What is due is found by an index. Needs
 * {@link migrate}.
 *
 * Methods reject with a {@link StoreError}, and with `HostError` `invalid` as the contract says.
 */
export class PostgresWakeUpStore implements WakeUpStore {
  readonly #calls: PostgresCalls;

  /** @throws StoreError `invalid`. */
  constructor(options: PostgresOptions) {
    requireOptions('new PostgresWakeUpStore()', options, POSTGRES_OPTIONS);
    this.#calls = new PostgresCalls(options);
  }

  async get(key: ConversationKey): Promise<readonly WakeUp[]> {
    (await serverEntry()).assertConversationKey(key);
    const values = [hashOf(key.tenant, key.id)];
    const { rows } = await this.#calls.query<{ body: string }>('Reading wake-ups', GET, values);
    return rows[0] === undefined ? [] : wakeUpsOf(rows[0].body, key);
  }

  async set(key: ConversationKey, wakeUps: readonly WakeUp[], token?: number): Promise<void> {
    const { assertConversationKey, assertWakeUps, assertLeaseToken } = await serverEntry();
    assertConversationKey(key);
    assertWakeUps(wakeUps);
    assertLeaseToken(token);
    const { tenant, id } = key;
    const hash = hashOf(tenant, id);
    const isEmpty = wakeUps.length === 0;
    if (isEmpty && token === undefined) {
      await this.#calls.query('Forgetting wake-ups', REMOVE, [hash]);
      return;
    }
    // JSON has neither NUL nor half surrogate pairs, which text cannot hold.
    const body = JSON.stringify(wakeUps);
    const values = [hash, columnOf(tenant), id, isEmpty ? null : firstOf(wakeUps), body, token ?? null];
    const { rowCount } = await this.#calls.query('Storing wake-ups', SET, values);
    if (rowCount === 0) throw await leasePassed();
  }

  async due(at: number, limit: number): Promise<readonly ConversationKey[]> {
    const found: ConversationKey[] = [];
    let after: readonly [number, Buffer] = [Number.NEGATIVE_INFINITY, Buffer.alloc(0)];
    while (found.length < limit) {
      const values = [at, ...after, PAGE];
      const { rows } = await this.#calls.query<Due>('Looking for wake-ups', DUE, values);
      found.push(...(await readableKeys(rows.map((row) => ({ keyOf: () => keyIn(row), text: row.body })))));
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) break;
      after = [last.first_at, last.key_hash];
    }
    return found.slice(0, limit);
  }
}

/** @throws StoreError `damaged`. */
function keyIn({ key_hash, tenant: column, conversation: id }: Due): ConversationKey {
  const tenant = nameIn(column, 'the tenant of wake-ups');
  if (hashOf(tenant, id).equals(key_hash)) return { tenant, id };
  throw damaged('the key of wake-ups', 'is not that of its conversation');
}
