import { HostError, notFound } from '../errors.js';
import { assertKey, assertTenant, type ConversationKey, keyText } from './conversation-key.js';
import type { ConversationChanges, ConversationRecord, ConversationStore } from './conversation-store.js';
import { assertLeaseToken, leasePassed } from './lease-token.js';

interface Entry {
  record: ConversationRecord;
  token: number;
  expiresAt: number;
}

/** A {@link ConversationStore} that ends with the program: for tests, and for one host without a past. */
export class InMemoryConversationStore implements ConversationStore {
  readonly #entries = new Map<string, Entry>();

  async create(record: ConversationRecord): Promise<void> {
    assertKey(record);
    const name = keyText(record);
    if (this.#entries.has(name)) throw new HostError('conflict', 'A conversation with this id exists.');
    this.#entries.set(name, { record: { ...record }, token: 0, expiresAt: 0 });
  }

  async get(key: ConversationKey): Promise<ConversationRecord | undefined> {
    return this.#entry(key)?.record;
  }

  async update(key: ConversationKey, changes: ConversationChanges, token?: number): Promise<void> {
    assertLeaseToken(token);
    const entry = this.#entry(key);
    if (entry === undefined) throw notFound();
    if (token !== undefined && entry.token > token) throw leasePassed();
    entry.record = { ...entry.record, ...changes };
  }

  async list(tenant: string, limit: number): Promise<readonly ConversationRecord[]> {
    assertTenant(tenant);
    const records = [...this.#entries.values()].map(({ record }) => record);
    return newestFirst(
      records.filter((record) => record.tenant === tenant),
      limit,
    );
  }

  async remove(key: ConversationKey): Promise<void> {
    assertKey(key);
    this.#entries.delete(keyText(key));
  }

  async acquire(key: ConversationKey, ttlMs: number): Promise<number | undefined> {
    const entry = this.#entry(key);
    if (entry === undefined || entry.expiresAt > Date.now()) return undefined;
    entry.token += 1;
    entry.expiresAt = Date.now() + ttlMs;
    return entry.token;
  }

  async renew(key: ConversationKey, token: number, ttlMs: number): Promise<boolean> {
    const entry = this.#entry(key);
    if (entry === undefined || entry.token !== token || entry.expiresAt <= Date.now()) return false;
    entry.expiresAt = Date.now() + ttlMs;
    return true;
  }

  async release(key: ConversationKey, token: number): Promise<void> {
    const entry = this.#entry(key);
    if (entry?.token === token) entry.expiresAt = 0;
  }

  #entry(key: ConversationKey): Entry | undefined {
    assertKey(key);
    return this.#entries.get(keyText(key));
  }
}

export function newestFirst(records: readonly ConversationRecord[], limit: number): readonly ConversationRecord[] {
  return [...records].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1)).slice(0, limit);
}
