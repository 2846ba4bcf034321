import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isConversationId } from './conversation-key.js';
import { inParallel, unlessMissing } from './file-errors.js';

/** Of a conversation whose removal has begun: nobody finds it any more. */
export const REMOVED = 'removed.';
/** A removal takes less. What is older was left by a process that died in it. */
const REMOVAL_MS = 60_000;
/** As {@link REMOVAL_MS}, of a creation. Longer, since what somebody copies back may not have its record yet. */
const CREATION_MS = 3_600_000;
/** Leftovers that are removed in one look. */
const MOST_REMOVED = 100;
/** A folder that changes twice within a tick of its clock has the same time after both. */
const TICK_MS = 1_000;
/** Of a look's time, what passes before the next one: looks take a twentieth of it at most. */
const REST = 20;

interface Look {
  /** Of the folder, when it was read. */
  readonly changedAt: number;
  readonly at: number;
  readonly tookMs: number;
  /** From then on it is read again although it has not changed. */
  readonly until: number;
}

/** The folder of a tenant: which conversations are in it, as cheaply as it can be said, and what dead processes left. */
export class TenantFolder {
  readonly #path: string;
  #last: Look | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The ids of those that are in it. */
  async ids(): Promise<ReadonlySet<string>> {
    const at = Date.now();
    const start = performance.now();
    // First, so that what changes while it is read is seen the next time.
    const changedAt = await this.#changedAt();
    const names = (await unlessMissing(readdir(this.#path))) ?? [];
    const tookMs = performance.now() - start;
    const isLeft = await this.#removeLeftovers(names.filter((name) => name.startsWith(REMOVED)));
    const until = at - changedAt < TICK_MS ? at : isLeft ? at + REMOVAL_MS : Number.POSITIVE_INFINITY;
    this.#last = { changedAt, at, tookMs, until };
    return new Set(names.filter(isConversationId));
  }

  /**
   * As {@link ids}, but `undefined` when nothing was made or removed since the last look.
   * @param restMs - After a look none is taken for so long, or for longer in a big folder. 0: it is taken in any case.
   */
  async changedIds(restMs: number): Promise<ReadonlySet<string> | undefined> {
    const { at = 0, tookMs = 0, changedAt, until = 0 } = this.#last ?? {};
    const now = Date.now();
    const mayRest = restMs > 0 && now >= at && now - at < Math.max(restMs, tookMs * REST);
    if (mayRest || (now < until && (await this.#changedAt()) === changedAt)) return undefined;
    return await this.ids();
  }

  /** What was known of it may be out of date. */
  forget(): void {
    this.#last = undefined;
  }

  /** Of a creation that got no further than this: it is no conversation, and nobody could remove it. */
  async removeUnmade(id: string): Promise<void> {
    const path = join(this.#path, id);
    const names = (await unlessMissing(readdir(path)).catch(() => undefined)) ?? ['record.json'];
    if (!names.includes('record.json')) await removeOlder(path, CREATION_MS);
  }

  /** @returns whether there are still some. */
  async #removeLeftovers(names: readonly string[]): Promise<boolean> {
    const removals = names.slice(0, MOST_REMOVED).map((name) => join(this.#path, name));
    const areGone = await inParallel(removals, (path) => removeOlder(path, REMOVAL_MS));
    return names.length > MOST_REMOVED || areGone.includes(false);
  }

  /** 0 when it is not there. */
  async #changedAt(): Promise<number> {
    return (await unlessMissing(stat(this.#path)))?.mtimeMs ?? 0;
  }
}

/** By when it got its name or last changed. What cannot be removed is left for another look. @returns whether it is gone. */
async function removeOlder(path: string, ms: number): Promise<boolean> {
  try {
    const { ctimeMs } = await stat(path);
    if (Date.now() - ctimeMs < ms) return false;
    await rm(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
