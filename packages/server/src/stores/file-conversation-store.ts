import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { assertDirectory } from '../checks.js';
import { HostError, notFound, storeFailure, tooManyConversations } from '../errors.js';
import { assertTenant, type ConversationKey, conversationFolder, tenantFolder } from './conversation-key.js';
import type { ConversationChanges, ConversationRecord, ConversationStore, TenantUsage } from './conversation-store.js';
import { hasCode, inParallel, unlessMissing } from './file-errors.js';
import { draftName, FileLease } from './file-lease.js';
import { FileTenantIndex } from './file-tenant-index.js';
import { assertLeaseToken, leasePassed } from './lease-token.js';
import { assertListOptions, type ListOptions, newestFirst } from './list-options.js';
import { REMOVED } from './tenant-folder.js';
import { entryOf } from './tenant-index.js';

/** Many small files take a third of the time that they take with `fs/promises`. */
const readText = promisify(readFile);
/** Tenants whose lists are kept in memory. */
const MAX_INDEXES = 1_000;
/** A page shows what is there in any case, so it has only leftovers to look for. */
const LIST_REST_MS = 60_000;
/** A tenant may be refused by these figures. */
const USAGE_REST_MS = 10;
/** A page is read again when the index was not right about it. */
const MOST_ROUNDS = 10;

/**
 * A {@link ConversationStore} in a directory, for several hosts on one machine: a folder for each tenant, named by a
 * digest, and in it one for each conversation, and an index of them, which is made again when it is missing. Files have
 * mode 0600, folders 0700. Not for network file systems.
 */
export class FileConversationStore implements ConversationStore {
  readonly #root: string;
  /** By tenant. */
  readonly #indexes = new Map<string, FileTenantIndex>();

  /** @param directory - Made when the first conversation is created. */
  constructor(directory: string) {
    assertDirectory('new FileConversationStore()', directory);
    this.#root = resolve(directory);
  }

  async create(record: ConversationRecord, most = Number.POSITIVE_INFINITY): Promise<void> {
    const folder = conversationFolder(this.#root, record);
    await attempt('Creating a conversation', async () => {
      await mkdir(tenantFolder(this.#root, record.tenant), { recursive: true, mode: 0o700 });
      try {
        await mkdir(folder, { mode: 0o700 });
      } catch (error) {
        if (hasCode(error, 'EEXIST')) throw new HostError('conflict', 'A conversation with this id exists.');
        throw error;
      }
      try {
        await this.#write(folder, record);
        await this.#announce(record, most);
      } catch (error) {
        // First the record: as long as it is there, it is found by whoever makes the index again.
        await rm(folder, { recursive: true, force: true });
        await this.#indexOf(record.tenant).remove(record.id);
        throw error;
      }
    });
  }

  async get(key: ConversationKey): Promise<ConversationRecord | undefined> {
    const path = this.#recordPath(key);
    return await attempt('Reading a conversation', async () => {
      const record = await readRecord(path);
      if (record === 'damaged') throw new Error(`${path} is no record of a conversation`);
      return record?.tenant === key.tenant && record.id === key.id ? record : undefined;
    });
  }

  async update(key: ConversationKey, changes: ConversationChanges, token?: number): Promise<void> {
    assertLeaseToken(token);
    const record = await this.get(key);
    if (record === undefined) throw notFound();
    const changed = { ...record, ...changes };
    await attempt('Changing a conversation', async () => {
      await this.#write(conversationFolder(this.#root, key), changed, token);
      const isMoved = changed.updatedAt !== record.updatedAt || changed.bytes !== record.bytes;
      if (isMoved) await this.#indexOf(key.tenant).change(entryOf(changed));
    });
  }

  async list(tenant: string, options: ListOptions): Promise<readonly ConversationRecord[]> {
    assertListOptions(tenant, options);
    const index = this.#indexOf(tenant);
    return await attempt('Listing conversations', async () => {
      for (let round = 1; ; round += 1) {
        const current = round === 1 ? await index.checked(LIST_REST_MS) : await index.current();
        const entries = current.page(options);
        const records = await inParallel(entries, async ({ id }) => await this.#readable({ tenant, id }));
        const wrong = entries.filter((entry, at) => !isDeepStrictEqual(entry, records[at] && entryOf(records[at])));
        const found = records.filter((record) => record !== undefined);
        if (wrong.length === 0) return found;
        // Without an end others may change what is read here.
        if (round === MOST_ROUNDS) return inPlace(found, options);
        for (const { id } of wrong) {
          const record = found.find((each) => each.id === id);
          index.correct(id, record && entryOf(record));
        }
      }
    });
  }

  async usage(tenant: string): Promise<TenantUsage> {
    assertTenant(tenant);
    return await attempt('Counting conversations', async () => {
      const { size, bytes } = await this.#indexOf(tenant).checked(USAGE_REST_MS);
      return { conversations: size, bytes };
    });
  }

  async remove(key: ConversationKey): Promise<void> {
    const folder = conversationFolder(this.#root, key);
    const gone = join(tenantFolder(this.#root, key.tenant), `${REMOVED}${randomUUID()}`);
    await attempt('Removing a conversation', async () => {
      // In one step, so that nobody finds half of it.
      const wasThere = await unlessMissing(rename(folder, gone).then(() => true));
      await rm(gone, { recursive: true, force: true });
      if (wasThere) await this.#indexOf(key.tenant).remove(key.id);
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

  /** Puts a new record into the index. Its place among others that come at the same time says whether it may stay. */
  async #announce(record: ConversationRecord, most: number): Promise<void> {
    const index = this.#indexOf(record.tenant);
    if (most === Number.POSITIVE_INFINITY) return await index.change(entryOf(record));
    const count = await index.add(entryOf(record), most);
    if (count > most) throw tooManyConversations(count - 1, most);
  }

  #recordPath(key: ConversationKey): string {
    return join(conversationFolder(this.#root, key), 'record.json');
  }

  /** One that cannot be read says so when it is asked for, and does not hide the others. */
  async #readable(key: ConversationKey): Promise<ConversationRecord | undefined> {
    const record = await readRecord(this.#recordPath(key));
    return record !== 'damaged' && record?.tenant === key.tenant && record.id === key.id ? record : undefined;
  }

  #indexOf(tenant: string): FileTenantIndex {
    const index =
      this.#indexes.get(tenant) ??
      new FileTenantIndex(tenantFolder(this.#root, tenant), async (id) => {
        const record = await this.#readable({ tenant, id });
        return record && entryOf(record);
      });
    // The one that was used last is the last to go.
    this.#indexes.delete(tenant);
    this.#indexes.set(tenant, index);
    const [oldest] = this.#indexes.keys();
    if (this.#indexes.size > MAX_INDEXES && oldest !== undefined) this.#indexes.delete(oldest);
    return index;
  }

  /** Whoever takes the lease removes drafts with older tokens, so one that was looked at too early is never put in place. */
  async #write(folder: string, record: ConversationRecord, token?: number): Promise<void> {
    const draft = join(folder, draftName(token));
    const lease = new FileLease(folder);
    try {
      await writeFile(draft, JSON.stringify(record), { mode: 0o600, flag: 'wx' });
      if (token !== undefined && (await lease.isPassed(token))) throw leasePassed();
      await rename(draft, join(folder, 'record.json'));
    } catch (error) {
      await rm(draft, { force: true });
      if (!hasCode(error, 'ENOENT')) throw error;
      throw token !== undefined && (await lease.isPassed(token)) ? leasePassed() : notFound();
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

/** Those that belong behind the place, in order. */
function inPlace(records: readonly ConversationRecord[], { after }: ListOptions): readonly ConversationRecord[] {
  return records.filter((each) => after === undefined || newestFirst(each, after) > 0).sort(newestFirst);
}

/** `undefined`: there is none. `#write` writes it whole, by a rename, so it is `damaged` by what others did to it. */
async function readRecord(path: string): Promise<ConversationRecord | 'damaged' | undefined> {
  const text = await unlessMissing(readText(path, 'utf8'));
  if (text === undefined) return undefined;
  const record = parsed(text);
  if (typeof record !== 'object' || record === null) return 'damaged';
  const { tenant, id, createdAt, updatedAt, title, sessionId, bytes } = record as Partial<Record<string, unknown>>;
  const hasKey = typeof tenant === 'string' && typeof id === 'string';
  const hasTimes = typeof createdAt === 'number' && typeof updatedAt === 'number';
  return hasKey && hasTimes && isTextOrAbsent(title) && isTextOrAbsent(sessionId) && isCountOrAbsent(bytes)
    ? (record as ConversationRecord)
    : 'damaged';
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

function isCountOrAbsent(value: unknown): boolean {
  return value === undefined || Number.isSafeInteger(value);
}
