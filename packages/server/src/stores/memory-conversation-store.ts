import { HostError, notFound, tooManyConversations } from '../errors.js';
import { assertKey, assertTenant, type ConversationKey, keyText } from './conversation-key.js';
import type { ConversationChanges, ConversationRecord, ConversationStore, TenantUsage } from './conversation-store.js';
import { assertLeaseToken, leasePassed } from './lease-token.js';
import { assertListOptions, type ListOptions } from './list-options.js';
import { entryOf, TenantIndex } from './tenant-index.js';

interface Entry {
  record: ConversationRecord;
  token: number;
  expiresAt: number;
}

/** A {@link ConversationStore} that ends with the program: for tests, and for one host without a past. */
export class InMemoryConversationStore implements ConversationStore {
  readonly #entries = new Map<string, Entry>();
  readonly #indexes = new Map<string, TenantIndex>();

  async create(record: ConversationRecord, most = Number.POSITIVE_INFINITY): Promise<void> {
    assertKey(record);
    const name = keyText(record);
    if (this.#entries.has(name)) throw new HostError('conflict', 'A conversation with this id exists.');
    const index = this.#indexes.get(record.tenant) ?? new TenantIndex();
    if (index.size >= most) throw tooManyConversations(index.size, most);
    this.#entries.set(name, { record: { ...record }, token: 0, expiresAt: 0 });
    this.#indexes.set(record.tenant, index);
    index.set(entryOf(record));
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
    this.#indexes.get(key.tenant)?.set(entryOf(entry.record));
  }

  async list(tenant: string, options: ListOptions): Promise<readonly ConversationRecord[]> {
    assertListOptions(tenant, options);
    const page = this.#indexes.get(tenant)?.page(options) ?? [];
    return page.flatMap(({ id }) => this.#entry({ tenant, id })?.record ?? []);
  }

  async usage(tenant: string): Promise<TenantUsage> {
    assertTenant(tenant);
    const { size = 0, bytes = 0 } = this.#indexes.get(tenant) ?? {};
    return { conversations: size, bytes };
  }

  async remove(key: ConversationKey): Promise<void> {
    assertKey(key);
    this.#entries.delete(keyText(key));
    const index = this.#indexes.get(key.tenant);
    index?.delete(key.id);
    if (index?.size === 0) this.#indexes.delete(key.tenant);
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
