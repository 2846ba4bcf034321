import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { storeFailure } from '../errors.js';
import { assertKey, type ConversationKey, keyDigest } from '../stores/conversation-key.js';
import { unlessMissing } from '../stores/file-errors.js';
import { assertWakeUps, firstOf, type WakeUp } from './wake-up.js';
import type { WakeUpStore } from './wake-up-store.js';

const NAME = /^(\d{16})\.([\da-f]{64})\.json$/;

interface Content extends ConversationKey {
  readonly wakeUps: readonly WakeUp[];
}

/**
 * A {@link WakeUpStore} in a directory, for several hosts on one machine: a file for each conversation that has any, named
 * by when a host has to look at it. Not for network file systems.
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
      const name = await this.#nameOf(key);
      return name === undefined ? [] : ((await this.#read(name))?.wakeUps ?? []);
    });
  }

  async set({ tenant, id }: ConversationKey, wakeUps: readonly WakeUp[]): Promise<void> {
    const key = { tenant, id };
    assertKey(key);
    assertWakeUps(wakeUps);
    await attempt('Storing wake-ups', async () => {
      const name = nameOf(key, wakeUps);
      const old = await this.#nameOf(key);
      if (name === undefined) {
        if (old !== undefined) await rm(join(this.#folder, old), { force: true });
        return;
      }
      // First the content, then the name: whatever a crash leaves is one file, which is looked at too early at worst.
      await this.#write(old ?? name, { ...key, wakeUps });
      if (old !== undefined && old !== name) await rename(join(this.#folder, old), join(this.#folder, name));
    });
  }

  async due(at: number, limit: number): Promise<readonly ConversationKey[]> {
    return await attempt('Looking for wake-ups', async () => {
      const due = (await this.#names()).filter((name) => Number(NAME.exec(name)?.[1]) <= at);
      const found: ConversationKey[] = [];
      while (found.length < limit && due.length > 0) {
        const keys = due.splice(0, limit - found.length).map((name) => this.#keyIn(name));
        found.push(...(await Promise.all(keys)).flatMap((key) => key ?? []));
      }
      return found;
    });
  }

  /** One that cannot be read says so when it is asked for, and neither holds up the others nor takes their place. */
  async #keyIn(name: string): Promise<ConversationKey | undefined> {
    try {
      const { tenant, id } = (await this.#read(name)) ?? {};
      if (tenant === undefined || id === undefined) return undefined;
      assertKey({ tenant, id });
      return keyDigest({ tenant, id }) === NAME.exec(name)?.[2] ? { tenant, id } : undefined;
    } catch {
      return undefined;
    }
  }

  /** The earliest first. */
  async #names(): Promise<readonly string[]> {
    const names = (await unlessMissing(readdir(this.#folder))) ?? [];
    return names.filter((name) => NAME.test(name)).sort();
  }

  async #nameOf(key: ConversationKey): Promise<string | undefined> {
    const digest = keyDigest(key);
    return (await this.#names()).find((name) => NAME.exec(name)?.[2] === digest);
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

/** `undefined` for none. */
function nameOf(key: ConversationKey, wakeUps: readonly WakeUp[]): string | undefined {
  if (wakeUps.length === 0) return undefined;
  return `${String(Math.max(0, Math.floor(firstOf(wakeUps)))).padStart(16, '0')}.${keyDigest(key)}.json`;
}

async function attempt<T>(what: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw storeFailure(what, error);
  }
}
