import { randomUUID } from 'node:crypto';
import { link, open, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, unlessMissing } from './file-errors.js';

const LEASE = /^lease\.(\d+)$/;
const DRAFT = /^draft\.(\d+)\.[\da-f-]{36}$/;

/**
 * The lease of one conversation, as files `lease.<token>` in its folder that hold when they expire. The highest token
 * counts. It is taken by making the file of the next token, which the file system lets one process do, so there is no
 * lock that a crash could leave behind. A file that is empty expires at its time of modification.
 */
export class FileLease {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async acquire(ttlMs: number): Promise<number | undefined> {
    const last = await this.#highest();
    if (last === undefined) return undefined;
    if (last > 0 && (await this.#expiresAt(last)) > Date.now()) return undefined;
    const token = last + 1;
    if (!(await this.#make(token, Date.now() + ttlMs))) return undefined;
    const names = (await this.#names()) ?? [];
    // A process that listed the files long ago may have made one that others have passed.
    if (highestIn(names) !== token) {
      await rm(this.#path(token), { force: true });
      return undefined;
    }
    await rm(this.#path(last), { force: true });
    // A holder before that looked at the lease in time, and then stood still, must not put its draft in place any more.
    const old = names.filter((name) => Number(DRAFT.exec(name)?.[1] ?? token) < token);
    for (const name of old) await rm(join(this.#folder, name), { force: true });
    return token;
  }

  /** Whether a lease with a higher token was given. */
  async isPassed(token: number): Promise<boolean> {
    return ((await this.#highest()) ?? 0) > token;
  }

  async renew(token: number, ttlMs: number): Promise<boolean> {
    const expiresAt = await this.#expiresAt(token);
    if (expiresAt <= Date.now()) return false;
    await this.#replace(token, Date.now() + ttlMs);
    // Whoever found it expired read it after `expiresAt`, so before that time nobody can have taken it.
    return (await this.#highest()) === token && Date.now() < expiresAt;
  }

  async release(token: number): Promise<void> {
    if ((await this.#highest()) === token) await this.#replace(token, 0);
  }

  /** `undefined` when there is no folder, 0 when there is no lease. */
  async #highest(): Promise<number | undefined> {
    const names = await this.#names();
    return names && highestIn(names);
  }

  async #names(): Promise<readonly string[] | undefined> {
    return await unlessMissing(readdir(this.#folder));
  }

  /** 0 when it is gone: the one that took its place is found by its number. */
  async #expiresAt(token: number): Promise<number> {
    const file = await unlessMissing(open(this.#path(token), 'r'));
    if (file === undefined) return 0;
    try {
      const text = await file.readFile('utf8');
      return text === '' ? (await file.stat()).mtimeMs : Number(text);
    } finally {
      await file.close();
    }
  }

  /** Makes the file with its content in one step. `false` when it is there, or the folder is not. */
  async #make(token: number, expiresAt: number): Promise<boolean> {
    const draft = this.#draft();
    try {
      await write(draft, expiresAt);
      await link(draft, this.#path(token));
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST', 'ENOENT')) return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }

  async #replace(token: number, expiresAt: number): Promise<void> {
    const draft = this.#draft();
    try {
      await write(draft, expiresAt);
      await rename(draft, this.#path(token));
    } catch (error) {
      await rm(draft, { force: true });
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }

  #path(token: number): string {
    return join(this.#folder, `lease.${token}`);
  }

  #draft(): string {
    return join(this.#folder, draftName());
  }
}

/** Of what is written whole, and then put in place. @param token - Of the lease that it is written with. */
export function draftName(token?: number): string {
  return `draft.${token === undefined ? '' : `${token}.`}${randomUUID()}`;
}

function highestIn(names: readonly string[]): number {
  return names.reduce((highest, name) => Math.max(highest, Number(LEASE.exec(name)?.[1] ?? 0)), 0);
}

/** A full disk has no room for a text, but for an empty file: removing a conversation, which makes room, needs a lease. */
async function write(draft: string, expiresAt: number): Promise<void> {
  try {
    await writeFile(draft, String(expiresAt), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!hasCode(error, 'ENOSPC', 'EDQUOT')) throw error;
    await writeFile(draft, '', { mode: 0o600 });
    await utimes(draft, expiresAt / 1_000, expiresAt / 1_000);
  }
}
