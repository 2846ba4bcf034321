import { randomUUID } from 'node:crypto';
import type {
  ConversationChanges,
  ConversationKey,
  ConversationRecord,
  ConversationStore,
  HostError,
  ListOptions,
  TenantUsage,
} from 'claudewire-server';
import { hostError, leasePassed, notFound, tooManyConversations } from '../shared/host-errors.js';
import { requireOptions } from '../shared/options.js';
import { checkList, checkTenant, serverEntry } from '../shared/server-entry.js';
import { POSTGRES_OPTIONS, PostgresCalls, type PostgresOptions } from './calls.js';
import { columnOf, hashOf, nameIn } from './keys.js';

const FIELDS = 'id, created_at, updated_at, title, session_id, bytes';
const UNTIL = "clock_timestamp() + $2::double precision * interval '1 millisecond'";

const CREATE = `
INSERT INTO claudewire_conversations AS c
  (key_hash, tenant_hash, tenant, id, created_at, updated_at, title, session_id, bytes, creator)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
WHERE $11::bigint IS NULL
  OR coalesce((SELECT conversations FROM claudewire_tenants WHERE tenant_hash = $2), 0) < $11
  OR EXISTS (SELECT 1 FROM claudewire_conversations WHERE key_hash = $1)
ON CONFLICT (key_hash) DO UPDATE SET creator = c.creator WHERE c.creator = $10
RETURNING 1`;

/** A lease that is given at the same time is waited for, and counts. */
const UPDATE = `
WITH changed AS (
  UPDATE claudewire_conversations SET updated_at = coalesce($2, updated_at), title = coalesce($3, title),
    session_id = coalesce($4, session_id), bytes = coalesce($5, bytes)
  WHERE key_hash = $1 AND ($6::bigint IS NULL OR lease <= $6)
  RETURNING 1
)
SELECT EXISTS (SELECT 1 FROM changed) AS is_changed FROM claudewire_conversations WHERE key_hash = $1`;

/** The one that has taken it with the same token of the call gets it again: its answer was lost. */
const ACQUIRE = `
UPDATE claudewire_conversations SET holder = $3,
  lease = CASE WHEN lease_until > clock_timestamp() THEN lease ELSE lease + 1 END, lease_until = ${UNTIL}
WHERE key_hash = $1 AND (lease_until <= clock_timestamp() OR holder = $3)
RETURNING lease`;

const RENEW = `
UPDATE claudewire_conversations SET lease_until = ${UNTIL}
WHERE key_hash = $1 AND lease = $3 AND lease_until > clock_timestamp()`;

const RELEASE = `
UPDATE claudewire_conversations SET lease_until = '-infinity', holder = NULL WHERE key_hash = $1 AND lease = $2`;

interface Row {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly title: string | null;
  readonly session_id: string | null;
  readonly bytes: string;
}

/**
 * Keeps conversations in PostgreSQL 14 or newer, for any number of hosts. Leases run by the clock of PostgreSQL, so the
 * clocks of hosts do not matter. Needs {@link migrate}.
 *
 * Methods reject with a {@link StoreError}, and with `HostError` `invalid`, `conflict` and `not_found` as the contract
 * says.
 */
export class PostgresConversationStore implements ConversationStore {
  readonly #calls: PostgresCalls;

  /** @throws StoreError `invalid`. */
  constructor(options: PostgresOptions) {
    requireOptions('new PostgresConversationStore()', options, POSTGRES_OPTIONS);
    this.#calls = new PostgresCalls(options);
  }

  async create(record: ConversationRecord, most?: number): Promise<void> {
    const { tenant, id, createdAt, updatedAt, title, sessionId, bytes = 0 } = record;
    const owner = [await hashOfKey(record), hashOf(tenant), columnOf(tenant), id];
    const texts = [textOrNull(title), textOrNull(sessionId)];
    const values = [...owner, createdAt, updatedAt, ...texts, bytes, randomUUID(), most ?? null];
    const what = 'Creating a conversation';
    if (most === undefined) {
      const { rowCount } = await this.#calls.query(what, CREATE, values);
      if (rowCount === 0) throw await exists();
      return;
    }
    const isCreated = await this.#calls.transaction(what, async (client) => {
      // Counting and creating is one step for a tenant.
      await client.query('SELECT pg_advisory_xact_lock($1)', [hashOf('conversations', tenant).readBigInt64BE(0)]);
      return (await client.query(CREATE, values)).rowCount === 1;
    });
    if (isCreated) return;
    if ((await this.get(record)) !== undefined) throw await exists();
    throw await tooManyConversations((await this.usage(tenant)).conversations, most);
  }

  async get(key: ConversationKey): Promise<ConversationRecord | undefined> {
    const text = `SELECT ${FIELDS} FROM claudewire_conversations WHERE key_hash = $1`;
    const { rows } = await this.#calls.query<Row>('Reading a conversation', text, [await hashOfKey(key)]);
    return rows.map((row) => recordOf(key.tenant, row))[0];
  }

  async update(
    key: ConversationKey,
    { updatedAt, title, sessionId, bytes }: ConversationChanges,
    token?: number,
  ): Promise<void> {
    const hash = await hashOfKey(key);
    (await serverEntry()).assertLeaseToken(token);
    const texts = [textOrNull(title), textOrNull(sessionId)];
    const values = [hash, updatedAt ?? null, ...texts, bytes ?? null, token ?? null];
    const { rows } = await this.#calls.query<{ is_changed: boolean }>('Changing a conversation', UPDATE, values);
    if (rows[0] === undefined) throw await notFound();
    if (!rows[0].is_changed) throw await leasePassed();
  }

  async list(tenant: string, options: ListOptions): Promise<readonly ConversationRecord[]> {
    await checkList(tenant, options);
    const { limit, after } = options;
    const text = `SELECT ${FIELDS} FROM claudewire_conversations
      WHERE tenant_hash = $1 ${after === undefined ? '' : 'AND (updated_at, id) < ($3, $4)'}
      ORDER BY updated_at DESC, id DESC LIMIT $2`;
    const values = [hashOf(tenant), limit, ...(after === undefined ? [] : [after.updatedAt, after.id])];
    const { rows } = await this.#calls.query<Row>('Listing conversations', text, values);
    return rows.map((row) => recordOf(tenant, row));
  }

  async usage(tenant: string): Promise<TenantUsage> {
    await checkTenant(tenant);
    const text = 'SELECT conversations, bytes FROM claudewire_tenants WHERE tenant_hash = $1';
    const values = [hashOf(tenant)];
    const { rows } = await this.#calls.query<Record<keyof TenantUsage, string>>('Counting conversations', text, values);
    const { conversations = 0, bytes = 0 } = rows[0] ?? {};
    return { conversations: Number(conversations), bytes: Number(bytes) };
  }

  async remove(key: ConversationKey): Promise<void> {
    const text = 'DELETE FROM claudewire_conversations WHERE key_hash = $1';
    await this.#calls.query('Removing a conversation', text, [await hashOfKey(key)]);
  }

  async acquire(key: ConversationKey, ttlMs: number): Promise<number | undefined> {
    const values = [await hashOfKey(key), ttlMs, randomUUID()];
    const { rows } = await this.#calls.query<{ lease: string }>('Taking a lease', ACQUIRE, values);
    return rows[0] === undefined ? undefined : Number(rows[0].lease);
  }

  async renew(key: ConversationKey, token: number, ttlMs: number): Promise<boolean> {
    const values = [await hashOfKey(key), ttlMs, token];
    return (await this.#calls.query('Renewing a lease', RENEW, values)).rowCount === 1;
  }

  async release(key: ConversationKey, token: number): Promise<void> {
    await this.#calls.query('Releasing a lease', RELEASE, [await hashOfKey(key), token]);
  }
}

async function exists(): Promise<HostError> {
  return await hostError('conflict', 'A conversation with this id exists.');
}

async function hashOfKey(key: ConversationKey): Promise<Buffer> {
  (await serverEntry()).assertConversationKey(key);
  return hashOf(key.tenant, key.id);
}

function textOrNull(text: string | undefined): string | null {
  return text === undefined ? null : columnOf(text);
}

function recordOf(tenant: string, { id, created_at, updated_at, title, session_id, bytes }: Row): ConversationRecord {
  const name = `the record of conversation ${id}`;
  return {
    ...{ tenant, id, createdAt: Number(created_at), updatedAt: Number(updated_at) },
    ...(title === null ? {} : { title: nameIn(title, `the title in ${name}`) }),
    ...(session_id === null ? {} : { sessionId: nameIn(session_id, `the session in ${name}`) }),
    ...(bytes === '0' ? {} : { bytes: Number(bytes) }),
  };
}
