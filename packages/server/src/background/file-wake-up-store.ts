import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { assertDirectory } from '../checks.js';
import { storeFailure } from '../errors.js';
import { assertKey, type ConversationKey, keyDigest } from '../stores/conversation-key.js';
import { unlessMissing } from '../stores/file-errors.js';
import { assertLeaseToken, leasePassed } from '../stores/lease-token.js';
import { assertWakeUps, firstOf, type WakeUp } from './wake-up.js';
import type { WakeUpStore } from './wake-up-store.js';

const NAME = /^(\d{16})\.([\da-f]{64})\.(\d+)\.json$/;
/** Of an empty list, which is kept for its token. */
const NEVER = Number.MAX_SAFE_INTEGER;
/** How long: much longer than a host stands still, and goes on to write. */
const EMPTY_MS = 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;
/** A folder for each beginning of a digest, so that one conversation is found among few. */
const SHARD = /^[\da-f]{2}$/;
/** A file may get another name while it is looked for. */
const LOOKS = 3;

interface Content extends ConversationKey {
  readonly wakeUps: readonly WakeUp[];
}

interface Found {
  readonly path: string;
  readonly at: number;
  readonly digest: string;
  readonly token: number;
}

/**
 * A {@link WakeUpStore} in a directory, for several hosts on one machine: a file for each conversation that has any, or has
 * changed its host in the last day, named by when a host has to look at it and by the token of the lease. Of several files of
 * one conversation the one with the highest token counts, so a host that stood still in the middle of a write changes nothing.
 * Not for network file systems.
 */
export class FileWakeUpStore implements WakeUpStore {
  readonly #root: string;
  #nextSweep = 0;

  /** @param directory - Made when the first one is stored. */
  constructor(directory: string) {
    assertDirectory('new FileWakeUpStore()', directory);
    this.#root = resolve(directory);
  }

  async get(key: ConversationKey): Promise<readonly WakeUp[]> {
    assertKey(key);
    return await attempt('Reading wake-ups', async () => {
      for (let look = 0; look < LOOKS; look += 1) {
        const [newest] = await this.#filesOf(key);
        const content = newest && (await readContent(newest));
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
      if (wakeUps.length === 0 && token === undefined) return await remove(files);
      const path = join(this.#shardOf(key), nameOf(key, wakeUps, token ?? seen));
      // Of one token there is one file: only its host writes it.
      const [old, ...older] = seen === (token ?? seen) ? files : [undefined, ...files];
      // First the content, then the name: whatever a crash leaves is one file, which is looked at too early at worst.
      await write(old?.path ?? path, { ...key, wakeUps });
      // Whoever has removed it meanwhile has a higher token, or has forgotten the conversation.
      if (old !== undefined && old.path !== path) await unlessMissing(rename(old.path, path));
      await remove(older.flatMap((file) => file ?? []));
      if (token === undefined || ((await this.#filesOf(key))[0]?.token ?? 0) <= token) return;
      // Nobody reads it, beside the one with the higher token.
      await rm(path, { force: true });
      throw leasePassed();
    });
  }

  async due(at: number, limit: number): Promise<readonly ConversationKey[]> {
    return await attempt('Looking for wake-ups', async () => {
      const due: Found[] = [];
      const isSweep = Date.now() >= this.#nextSweep;
      if (isSweep) this.#nextSweep = Date.now() + SWEEP_EVERY_MS;
      for (const shard of ((await unlessMissing(readdir(this.#root))) ?? []).filter((name) => SHARD.test(name))) {
        const files = new Map<string, [newest: Found, ...older: Found[]]>();
        for (const file of await filesIn(join(this.#root, shard))) {
          const known = files.get(file.digest);
          if (known === undefined) files.set(file.digest, [file]);
          else known.push(file);
        }
        for (const [newest, ...older] of files.values()) {
          if (newest.at <= at) due.push(newest);
          if (isSweep) await sweep(newest, older);
        }
      }
      due.sort((a, b) => a.at - b.at || (a.digest < b.digest ? -1 : 1));
      const found: ConversationKey[] = [];
      while (found.length < limit && due.length > 0) {
        const keys = due.splice(0, limit - found.length).map(keyIn);
        found.push(...(await Promise.all(keys)).flatMap((key) => key ?? []));
      }
      return found;
    });
  }

  #shardOf(key: ConversationKey): string {
    return join(this.#root, keyDigest(key).slice(0, 2));
  }

  /** The highest token first. */
  async #filesOf(key: ConversationKey): Promise<readonly Found[]> {
    const digest = keyDigest(key);
    return (await filesIn(this.#shardOf(key))).filter((file) => file.digest === digest);
  }
}

/** The highest token first. */
async function filesIn(shard: string): Promise<readonly Found[]> {
  const names = (await unlessMissing(readdir(shard))) ?? [];
  const files = names.flatMap((name) => {
    const [, at, digest, token] = NAME.exec(name) ?? [];
    return digest === undefined ? [] : [{ path: join(shard, name), at: Number(at), digest, token: Number(token) }];
  });
  return files.sort((a, b) => b.token - a.token);
}

/** One that cannot be read says so when it is asked for, and neither holds up the others nor takes their place. */
async function keyIn(file: Found): Promise<ConversationKey | undefined> {
  try {
    const { tenant, id, wakeUps } = (await readContent(file)) ?? {};
    if (tenant === undefined || id === undefined || wakeUps === undefined || wakeUps.length === 0) return undefined;
    return keyDigest({ tenant, id }) === file.digest ? { tenant, id } : undefined;
  } catch {
    return undefined;
  }
}

/** Removes what was kept for its token alone, for long enough. Last, since an older file would count without it. */
async function sweep(newest: Found, older: readonly Found[]): Promise<void> {
  if (newest.at !== NEVER) return;
  const stats = await unlessMissing(stat(newest.path));
  if (stats !== undefined && stats.mtimeMs < Date.now() - EMPTY_MS) await remove([...older, newest]);
}

async function remove(files: readonly Found[]): Promise<void> {
  for (const { path } of files) await rm(path, { force: true });
}

async function readContent({ path }: Found): Promise<Content | undefined> {
  const text = await unlessMissing(readFile(path, 'utf8'));
  return text === undefined ? undefined : (JSON.parse(text) as Content);
}

async function write(path: string, content: Content): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `draft.${randomUUID()}`);
  try {
    await writeFile(draft, JSON.stringify(content), { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
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
