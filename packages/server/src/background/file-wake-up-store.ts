import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { storeFailure } from '../errors.js';
import { assertKey, type ConversationKey, keyDigest } from '../stores/conversation-key.js';
import { unlessMissing } from '../stores/file-errors.js';
import { assertLeaseToken, leasePassed } from '../stores/lease-token.js';
import { assertWakeUps, firstOf, type WakeUp } from './wake-up.js';
import type { WakeUpStore } from './wake-up-store.js';

/** Files of older versions have no token. */
const NAME = /^(\d{16})\.([\da-f]{64})(?:\.(\d+))?\.json$/;
/** Of an empty list, which is kept for its token. */
const NEVER = Number.MAX_SAFE_INTEGER;
/** A file may get another name while it is looked for. */
const LOOKS = 3;

interface Content extends ConversationKey {
  readonly wakeUps: readonly WakeUp[];
}

interface Found {
  readonly name: string;
  readonly at: number;
  readonly digest: string;
  readonly token: number;
}

/**
 * A {@link WakeUpStore} in a directory, for several hosts on one machine: a file for each conversation that has any, or has
 * changed its host, named by when a host has to look at it and by the token of the lease. Of several files of one
 * conversation the one with the highest token counts, so a host that stood still in the middle of a write changes nothing.
 * Not for network file systems.
 */
export class FileWakeUpStore implements WakeUpStore {
  readonly #folder: string;

  /** @param directory - Made when the first one is stored. */
  constructor(directory: string) {
    this.#folder = resolve(directory);
  }

  async get(key: ConversationKey): Promise<readonly WakeUp[]> {
    assertKey(key);
    return await attempt('Reading wake-ups', async () => {
      for (let look = 0; look < LOOKS; look += 1) {
        const [newest] = await this.#filesOf(key);
        const content = newest && (await this.#read(newest.name));
        if (newest === undefined || content !== undefined) return content?.wakeUps ?? [];
      }
      return [];
    });
  }

  async set({ tenant, id }: ConversationKey, wakeUps: readonly WakeUp[], token?: number): Promise<void> {
    const key = { tenant, id };
    assertKey(key);
    assertWakeUps(wakeUps);
    assertLeaseToken(token);
    await attempt('Storing wake-ups', async () => {
      const files = await this.#filesOf(key);
      const seen = files[0]?.token ?? 0;
      if (token !== undefined && seen > token) throw leasePassed();
      if (wakeUps.length === 0 && token === undefined) return await this.#remove(files);
      const name = nameOf(key, wakeUps, token ?? seen);
      // Of one token there is one file: only its host writes it.
      const [old, ...older] = seen === (token ?? seen) ? files : [undefined, ...files];
      // First the content, then the name: whatever a crash leaves is one file, which is looked at too early at worst.
      await this.#write(old?.name ?? name, { ...key, wakeUps });
      if (old !== undefined && old.name !== name) {
        // Whoever has removed it meanwhile has a higher token, or has forgotten the conversation.
        await unlessMissing(rename(join(this.#folder, old.name), join(this.#folder, name)));
      }
      await this.#remove(older.flatMap((file) => file ?? []));
      if (token === undefined || ((await this.#filesOf(key))[0]?.token ?? 0) <= token) return;
      // Nobody reads it, beside the one with the higher token.
      await rm(join(this.#folder, name), { force: true });
      throw leasePassed();
    });
  }

  async due(at: number, limit: number): Promise<readonly ConversationKey[]> {
    return await attempt('Looking for wake-ups', async () => {
      const newest = new Map<string, Found>();
      for (const file of await this.#files()) if (!newest.has(file.digest)) newest.set(file.digest, file);
      const due = [...newest.values()].filter((file) => file.at <= at).sort((a, b) => (a.name < b.name ? -1 : 1));
      const found: ConversationKey[] = [];
      while (found.length < limit && due.length > 0) {
        const keys = due.splice(0, limit - found.length).map((file) => this.#keyIn(file));
        found.push(...(await Promise.all(keys)).flatMap((key) => key ?? []));
      }
      return found;
    });
  }

  /** One that cannot be read says so when it is asked for, and neither holds up the others nor takes their place. */
  async #keyIn({ name, digest }: Found): Promise<ConversationKey | undefined> {
    try {
      const { tenant, id, wakeUps } = (await this.#read(name)) ?? {};
      if (tenant === undefined || id === undefined || wakeUps === undefined || wakeUps.length === 0) return undefined;
      return keyDigest({ tenant, id }) === digest ? { tenant, id } : undefined;
    } catch {
      return undefined;
    }
  }

  /** The highest token first. */
  async #filesOf(key: ConversationKey): Promise<readonly Found[]> {
    const digest = keyDigest(key);
    return (await this.#files()).filter((file) => file.digest === digest);
  }

  /** The highest token first. */
  async #files(): Promise<readonly Found[]> {
    const names = (await unlessMissing(readdir(this.#folder))) ?? [];
    const files = names.flatMap((name) => {
      const [, at, digest, token = 0] = NAME.exec(name) ?? [];
      return digest === undefined ? [] : [{ name, at: Number(at), digest, token: Number(token) }];
    });
    return files.sort((a, b) => b.token - a.token);
  }

  async #remove(files: readonly Found[]): Promise<void> {
    for (const { name } of files) await rm(join(this.#folder, name), { force: true });
  }

  async #read(name: string): Promise<Content | undefined> {
    const text = await unlessMissing(readFile(join(this.#folder, name), 'utf8'));
    return text === undefined ? undefined : (JSON.parse(text) as Content);
  }

  async #write(name: string, content: Content): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = join(this.#folder, `draft.${randomUUID()}`);
    try {
      await writeFile(draft, JSON.stringify(content), { mode: 0o600, flag: 'wx' });
      await rename(draft, join(this.#folder, name));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }
}

function nameOf(key: ConversationKey, wakeUps: readonly WakeUp[], token: number): string {
  const at = Math.min(NEVER, Math.max(0, Math.floor(firstOf(wakeUps))));
  return `${String(at).padStart(16, '0')}.${keyDigest(key)}.${token}.json`;
}

async function attempt<T>(what: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw storeFailure(what, error);
  }
}
