import { randomUUID } from 'node:crypto';
import type {
  ConversationChanges,
  ConversationKey,
  ConversationRecord,
  ConversationStore,
  ListOptions,
  ListPlace,
  TenantUsage,
} from 'claudewire-server';
import { hostError, leasePassed, notFound, tooManyConversations } from '../shared/host-errors.js';
import { damaged } from '../shared/lines.js';
import { requireOptions } from '../shared/options.js';
import { checkList, checkTenant, serverEntry } from '../shared/server-entry.js';
import { REDIS_OPTIONS, RedisCalls, type RedisOptions } from './client.js';
import { ACQUIRE, CREATE, LIST, RELEASE, REMOVE, RENEW, UPDATE } from './conversation-scripts.js';

const FIELDS = ['createdAt', 'updatedAt', 'title', 'sessionId', 'bytes'] as const;
const NUMBERS: readonly string[] = ['createdAt', 'updatedAt', 'bytes'];
const PAGE = 200;

/**
 * Keeps conversations in Redis, for any number of hosts. Leases run by the clock of Redis, so the clocks of hosts do
 * not matter. All conversations of a tenant are in one slot of a cluster.
 *
 * Methods reject with a {@link StoreError}, and with `HostError` `invalid`, `conflict` and `not_found` as the contract
 * says.
 */
export class RedisConversationStore implements ConversationStore {
  readonly #calls: RedisCalls;

  /** @throws StoreError `invalid`. */
  constructor(options: RedisOptions) {
    requireOptions('new RedisConversationStore()', options, REDIS_OPTIONS);
    this.#calls = new RedisCalls(options);
  }

  async create(record: ConversationRecord, most = 0): Promise<void> {
    const keys = await this.#keys(record);
    const { id, updatedAt, bytes = 0 } = record;
    const args = [id, updatedAt, bytes, randomUUID(), most, ...fieldsOf(record)];
    const answer = await this.#calls.attempt('Creating a conversation', () => this.#calls.run(CREATE, keys, args));
    if (answer === 0) throw await hostError('conflict', 'A conversation with this id exists.');
    if (answer !== 1) throw await tooManyConversations(-Number(answer), most);
  }

  async get(key: ConversationKey): Promise<ConversationRecord | undefined> {
    const [record] = await this.#keys(key);
    return await this.#calls.attempt('Reading a conversation', async () =>
      recordOf(key, await this.#calls.client.hmget(record, ...FIELDS)),
    );
  }

  async update(key: ConversationKey, changes: ConversationChanges, token?: number): Promise<void> {
    const keys = await this.#keys(key);
    (await serverEntry()).assertLeaseToken(token);
    const args = [key.id, changes.updatedAt ?? '', changes.bytes ?? '', token ?? '', ...fieldsOf(changes)];
    const answer = await this.#calls.attempt('Changing a conversation', () => this.#calls.run(UPDATE, keys, args));
    if (answer === -1) throw await leasePassed();
    if (answer !== 1) throw await notFound();
  }

  async list(tenant: string, options: ListOptions): Promise<readonly ConversationRecord[]> {
    await checkList(tenant, options);
    const found: ConversationRecord[] = [];
    for (let { after } = options; found.length < options.limit; ) {
      const page = await this.#page(tenant, Math.min(PAGE, options.limit - found.length), after);
      found.push(...page.records);
      after = page.last;
      if (after === undefined) break;
    }
    return found;
  }

  async usage(tenant: string): Promise<TenantUsage> {
    await checkTenant(tenant);
    const [index, total] = this.#keysOf(tenant);
    return await this.#calls.attempt('Counting conversations', async () => {
      const [conversations, bytes] = await Promise.all([
        this.#calls.client.zcard(index),
        this.#calls.client.get(total),
      ]);
      return { conversations, bytes: Number(bytes ?? 0) };
    });
  }

  async remove(key: ConversationKey): Promise<void> {
    const keys = await this.#keys(key);
    await this.#calls.attempt('Removing a conversation', () => this.#calls.run(REMOVE, keys, [key.id]));
  }

  async acquire(key: ConversationKey, ttlMs: number): Promise<number | undefined> {
    const [record] = await this.#keys(key);
    const args = [ttlMs, randomUUID()];
    const lease = await this.#calls.attempt('Taking a lease', () => this.#calls.run(ACQUIRE, [record], args));
    return lease === 0 ? undefined : Number(lease);
  }

  async renew(key: ConversationKey, token: number, ttlMs: number): Promise<boolean> {
    const [record] = await this.#keys(key);
    return (
      (await this.#calls.attempt('Renewing a lease', () => this.#calls.run(RENEW, [record], [token, ttlMs]))) === 1
    );
  }

  async release(key: ConversationKey, token: number): Promise<void> {
    const [record] = await this.#keys(key);
    await this.#calls.attempt('Releasing a lease', () => this.#calls.run(RELEASE, [record], [token]));
  }

  /**
   * A record that cannot be read says so when it is asked for, and does not hide the others.
   * @returns also the place of the last of them, `undefined` at the end of the list.
   */
  async #page(tenant: string, count: number, after: ListPlace | undefined) {
    return await this.#calls.attempt('Listing conversations', async () => {
      const args = [count, ...(after === undefined ? [] : [after.updatedAt, after.id])];
      const answer = (await this.#calls.run(LIST, [this.#keysOf(tenant)[0]], args)) as string[];
      const places = answer.flatMap((id, index) =>
        index % 2 === 0 ? { id, updatedAt: Number(answer[index + 1]) } : [],
      );
      const pipeline = this.#calls.client.pipeline();
      for (const { id } of places) pipeline.hmget(this.#record({ tenant, id }), ...FIELDS);
      const answers = places.length === 0 ? [] : ((await pipeline.exec()) ?? []);
      const records = answers.flatMap(([error, values], index) => {
        if (error && !error.message.startsWith('WRONGTYPE')) throw error;
        try {
          const key = { tenant, id: places[index]?.id ?? '' };
          return error ? [] : (recordOf(key, values as (string | null)[]) ?? []);
        } catch {
          return [];
        }
      });
      return { records, last: places.length < count ? undefined : places.at(-1) };
    });
  }

  async #keys(key: ConversationKey): Promise<readonly [string, string, string]> {
    (await serverEntry()).assertConversationKey(key);
    return [this.#record(key), ...this.#keysOf(key.tenant)];
  }

  /** The index of a tenant, and the bytes of all its conversations. */
  #keysOf(tenant: string): readonly [string, string] {
    const keys = ['conversations', 'conversation-bytes'].map((name) => this.#calls.key([tenant], name));
    return keys as [string, string];
  }

  #record({ tenant, id }: ConversationKey): string {
    return this.#calls.key([tenant], 'conversation', id);
  }
}

/** Values are JSON, so that every text comes back as it was. */
function fieldsOf(values: ConversationChanges & Partial<ConversationRecord>): readonly string[] {
  return FIELDS.flatMap((name) => (values[name] === undefined ? [] : [name, JSON.stringify(values[name])]));
}

function recordOf(key: ConversationKey, values: readonly (string | null)[]): ConversationRecord | undefined {
  if (values.every((value) => value === null)) return undefined;
  const name = `the record of conversation ${key.id}`;
  const fields = FIELDS.flatMap((field, index) => {
    const value = values[index];
    if (value === null || value === undefined) return [];
    try {
      const parsed: unknown = JSON.parse(value);
      if (typeof parsed === (NUMBERS.includes(field) ? 'number' : 'string')) return [[field, parsed]];
    } catch (cause) {
      throw damaged(name, `has a \`${field}\` that is not JSON`, cause);
    }
    throw damaged(name, `has a \`${field}\` of a wrong type`);
  });
  const record: Partial<ConversationRecord> = { tenant: key.tenant, id: key.id, ...Object.fromEntries(fields) };
  if (record.createdAt === undefined || record.updatedAt === undefined) throw damaged(name, 'has no times');
  return record as ConversationRecord;
}
