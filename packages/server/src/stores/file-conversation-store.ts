import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HostError, notFound, storeFailure } from '../errors.js';
import { type ConversationKey, conversationFolder, isConversationId, tenantFolder } from './conversation-key.js';
import type { ConversationChanges, ConversationRecord, ConversationStore } from './conversation-store.js';
import { hasCode, unlessMissing } from './file-errors.js';
import { FileLease } from './file-lease.js';
import { assertListOptions, type ListOptions } from './list-options.js';
import { TenantIndex } from './tenant-index.js';

/**
 * A {@link ConversationStore} in a directory, for several hosts on one machine: a folder for each tenant, named by a
 * digest, and in it one for each conversation. Files have mode 0600, folders 0700. Not for network file systems.
 */
export class FileConversationStore implements ConversationStore {
  readonly #root: string;

  /** @param directory - Made when the first conversation is created. */
  constructor(directory: string) {
    this.#root = resolve(directory);
  }

  async create(record: ConversationRecord): Promise<void> {
    const folder = conversationFolder(this.#root, record);
    await attempt('Creating a conversation', async () => {
      await mkdir(tenantFolder(this.#root, record.tenant), { recursive: true, mode: 0o700 });
      try {
        await mkdir(folder, { mode: 0o700 });
      } catch (error) {
        if (hasCode(error, 'EEXIST')) throw new HostError('conflict', 'A conversation with this id exists.');
        throw error;
      }
      await this.#write(folder, record);
    });
  }

  async get(key: ConversationKey): Promise<ConversationRecord | undefined> {
    const folder = conversationFolder(this.#root, key);
    return await attempt('Reading a conversation', async () => {
      const text = await unlessMissing(readFile(join(folder, 'record.json'), 'utf8'));
      if (text === undefined) return undefined;
      const record = readRecord(text);
      if (record === undefined) throw new Error(`${join(folder, 'record.json')} is no record of a conversation`);
      return record.tenant === key.tenant && record.id === key.id ? record : undefined;
    });
  }

  async update(key: ConversationKey, changes: ConversationChanges): Promise<void> {
    const record = await this.get(key);
    if (record === undefined) throw notFound();
    await attempt('Changing a conversation', () =>
      this.#write(conversationFolder(this.#root, key), { ...record, ...changes }),
    );
  }

  async list(tenant: string, options: ListOptions): Promise<readonly ConversationRecord[]> {
    assertListOptions(tenant, options);
    const folder = tenantFolder(this.#root, tenant);
    const names = await attempt('Listing conversations', () => unlessMissing(readdir(folder)));
    const records = new Map<string, ConversationRecord>();
    const index = new TenantIndex();
    for (const id of (names ?? []).filter(isConversationId)) {
      // One that cannot be read says so when it is asked for, and does not hide the others.
      const record = await this.get({ tenant, id }).catch(() => undefined);
      if (record === undefined) continue;
      records.set(id, record);
      index.set({ ...record, bytes: 0 });
    }
    return index.page(options).flatMap(({ id }) => records.get(id) ?? []);
  }

  async remove(key: ConversationKey): Promise<void> {
    const folder = conversationFolder(this.#root, key);
    const gone = join(tenantFolder(this.#root, key.tenant), `removed.${randomUUID()}`);
    await attempt('Removing a conversation', async () => {
      // In one step, so that nobody finds half of it.
      await unlessMissing(rename(folder, gone));
      await rm(gone, { recursive: true, force: true });
    });
  }

  async acquire(key: ConversationKey, ttlMs: number): Promise<number | undefined> {
    return await attempt('Taking a lease', () => this.#lease(key).acquire(ttlMs));
  }

  async renew(key: ConversationKey, token: number, ttlMs: number): Promise<boolean> {
    return await attempt('Renewing a lease', () => this.#lease(key).renew(token, ttlMs));
  }

  async release(key: ConversationKey, token: number): Promise<void> {
    await attempt('Releasing a lease', () => this.#lease(key).release(token));
  }

  #lease(key: ConversationKey): FileLease {
    return new FileLease(conversationFolder(this.#root, key));
  }

  async #write(folder: string, record: ConversationRecord): Promise<void> {
    const draft = join(folder, `draft.${randomUUID()}`);
    try {
      await writeFile(draft, JSON.stringify(record), { mode: 0o600, flag: 'wx' });
      await rename(draft, join(folder, 'record.json'));
    } catch (error) {
      await rm(draft, { force: true });
      throw hasCode(error, 'ENOENT') ? notFound() : error;
    }
  }
}

async function attempt<T>(what: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw storeFailure(what, error);
  }
}

/** `#write` writes it whole, by a rename. What others did to it shows here. */
function readRecord(text: string): ConversationRecord | undefined {
  const record = parsed(text);
  if (typeof record !== 'object' || record === null) return undefined;
  const { tenant, id, createdAt, updatedAt, title, sessionId } = record as Partial<Record<string, unknown>>;
  const hasKey = typeof tenant === 'string' && typeof id === 'string';
  const hasTimes = typeof createdAt === 'number' && typeof updatedAt === 'number';
  return hasKey && hasTimes && isTextOrAbsent(title) && isTextOrAbsent(sessionId)
    ? (record as ConversationRecord)
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
