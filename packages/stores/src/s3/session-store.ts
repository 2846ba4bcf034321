import type { SessionKey, SessionStore, SessionStoreEntry } from 'claudewire';
import { StoreError } from '../errors.js';
import { DEFAULT_MAX_ENTRY_BYTES, damaged, entryOf, type Line, linesOf } from '../shared/lines.js';
import { keyPart, nameOf } from '../shared/names.js';
import { type Known, requireDate, requireOptions, requireText, wholeNumber } from '../shared/options.js';
import { RETENTION_OPTIONS, Retention, type RetentionOptions } from '../shared/retention.js';
import { checkName, checkSessionKey, keyText } from '../shared/session-key.js';
import { S3_OPTIONS, S3Calls, type S3Options } from './calls.js';
import { byFolder, checkCounts, hide, isTaken, removeHidden, segmentsIn } from './folder.js';
import { deleteOldSessions } from './old-sessions.js';
import {
  appendName,
  bodyOf,
  checkSize,
  currentOf,
  headerOf,
  lastNumber,
  linesIn,
  mergedName,
  type Segment,
} from './segments.js';

export interface S3SessionStoreOptions extends S3Options, RetentionOptions {
  /** Whose sessions these are. It is in every key, and no other tenant's can be reached. */
  readonly tenant: string;
  /** The longest entry that is written or read, in bytes of JSON. @defaultValue 64 MiB */
  readonly maxEntryBytes?: number;
}

type Session = Pick<SessionKey, 'projectKey' | 'sessionId'>;

const READS_AT_ONCE = 16;
/** Transcripts whose next number is remembered. For others it is looked up. */
const MOST_NUMBERS = 1_000;
/** Names have 16 digits. Far above what appends reach. */
const MOST_NUMBER = 9_000_000_000_000_000;

const OPTIONS: Known<S3SessionStoreOptions> = {
  ...S3_OPTIONS,
  ...RETENTION_OPTIONS,
  tenant: true,
  maxEntryBytes: true,
};

/**
 * Keeps sessions in a bucket that knows conditional writes (`If-None-Match`). An append is one object with the next
 * number: of two writers that want the same number one gets it, and the other takes the next. {@link compact} merges
 * the objects of a transcript.
 *
 * Every method rejects with a {@link StoreError}.
 */
export class S3SessionStore implements SessionStore {
  readonly #calls: S3Calls;
  readonly #retention: Retention;
  readonly #tenant: string;
  readonly #maxEntryBytes: number;
  readonly #next = new Map<string, number>();

  /** @throws StoreError `invalid`. */
  constructor(options: S3SessionStoreOptions) {
    requireOptions('new S3SessionStore()', options, OPTIONS);
    this.#calls = new S3Calls(options);
    this.#retention = new Retention(options, Date.now);
    requireText(options.tenant, 'tenant');
    this.#tenant = options.tenant;
    this.#maxEntryBytes = wholeNumber(options.maxEntryBytes, 'maxEntryBytes', DEFAULT_MAX_ENTRY_BYTES);
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    checkSessionKey(key);
    const lines = linesOf(entries, this.#maxEntryBytes);
    if (lines.length === 0) return;
    const folder = this.#folder(key);
    const body = bodyOf(this.#tenant, key, lines);
    await this.#calls.attempt('Appending to a session', async (end) => {
      const number = await this.#takeNumber(folder, end);
      try {
        await this.#calls.create(folder + appendName(number), body, end);
        await checkCounts(this.#calls, folder, number, keyText(key), end);
      } catch (error) {
        this.#next.delete(folder);
        throw error;
      }
    });
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    checkSessionKey(key);
    return await this.#calls.attempt('Loading a session', async (end) => {
      const segments = currentOf(await segmentsIn(this.#calls, this.#folder(key), end));
      if (segments.length === 0) return null;
      const lines = await this.#lines(key, segments, end);
      return lines.map(({ text }, index) => {
        const name = `entry ${index} of ${keyText(key)}`;
        const bytes = Buffer.byteLength(text);
        if (bytes > this.#maxEntryBytes) throw damaged(name, `has ${bytes} bytes, more than \`maxEntryBytes\``);
        return entryOf(text, name);
      });
    });
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    checkName(projectKey, 'projectKey');
    const folder = this.#root(projectKey, 'main');
    return await this.#calls.attempt('Listing sessions', async (end) => {
      const listed: Array<{ sessionId: string; mtime: number }> = [];
      for (const [part, segments] of await this.#transcripts(folder, end)) {
        const sessionId = nameOf(part) ?? (await this.#header(segments, end))?.sessionId;
        const mtime = Math.max(...segments.map(({ appendedAt }) => appendedAt));
        if (sessionId !== undefined) listed.push({ sessionId, mtime });
      }
      return listed;
    });
  }

  async delete(key: SessionKey): Promise<void> {
    checkSessionKey(key);
    const folders = key.subpath === undefined ? [this.#below(key), this.#folder(key)] : [this.#folder(key)];
    await this.#calls.attempt('Deleting a session', async (end) => {
      for (const folder of folders) {
        // So that nobody sees a part of it while the rest is deleted, nor what a compaction writes meanwhile.
        await hide(this.#calls, await segmentsIn(this.#calls, folder, end), end);
        await removeHidden(this.#calls, await segmentsIn(this.#calls, folder, end), end);
      }
    });
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    checkSessionKey(key);
    const folder = this.#below(key);
    return await this.#calls.attempt('Listing transcripts', async (end) => {
      const names: string[] = [];
      for (const [part, segments] of await this.#transcripts(folder, end)) {
        const name = nameOf(part) ?? (await this.#header(segments, end))?.subpath;
        if (name !== undefined) names.push(name);
      }
      return names;
    });
  }

  /**
   * Merges the objects of one transcript into one, so that it loads with one request. May run beside appends and loads,
   * and in several processes. What a crash leaves behind is removed by the next call.
   *
   * @returns how many objects were merged; 0 when there was nothing to do.
   */
  async compact(key: SessionKey): Promise<number> {
    checkSessionKey(key);
    const folder = this.#folder(key);
    return await this.#calls.attempt('Compacting a session', async (end) => {
      const all = await segmentsIn(this.#calls, folder, end);
      const segments = currentOf(all);
      const last = segments.at(-1);
      if (last === undefined) return 0;
      let [kept] = segments.map((segment) => segment.key);
      if (segments.length > 1) {
        const lines = await this.#lines(key, segments, end);
        const appendedAt = Math.max(...segments.map((segment) => segment.appendedAt));
        kept = folder + mergedName(last.number, appendedAt);
        await this.#calls.create(kept, bodyOf(this.#tenant, key, lines), end).catch((error: unknown) => {
          // Another process has merged the same objects.
          if (!isTaken(error)) throw error;
        });
      }
      const old = all.filter(
        ({ key: each, kind, number }) => each !== kept && kind !== 'deleted' && number <= last.number,
      );
      await this.#calls.delete(
        old.map((segment) => segment.key),
        end,
      );
      return segments.length > 1 ? segments.length : 0;
    });
  }

  /**
   * Deletes the sessions of this tenant to which nothing was appended for longer than `retentionMs`, by the clock of this host: {@link deleteOlderThan} with that
   * date. Call it on a schedule, such as once an hour, from any host.
   *
   * @returns how many.
   * @throws StoreError, `invalid` without `retentionMs`.
   */
  async deleteExpired(): Promise<number> {
    return await this.deleteOlderThan(await this.#retention.date());
  }

  /**
   * Deletes the sessions of this tenant to which, or below which, nothing was appended since a date by the clock of S3.
   * A session that is appended to meanwhile is kept; for a moment, it may look as if it were empty.
   *
   * @returns how many.
   */
  async deleteOlderThan(date: Date): Promise<number> {
    requireDate(date);
    const root = `${this.#calls.prefix}${keyPart(this.#tenant)}/`;
    return await deleteOldSessions(this.#calls, root, date.getTime());
  }

  /** Appends of this process that run at once take numbers one after another. A number that is not used is no harm. */
  async #takeNumber(folder: string, end: number): Promise<number> {
    if (!this.#next.has(folder)) {
      const last = lastNumber(await segmentsIn(this.#calls, folder, end));
      if (last >= MOST_NUMBER) throw damaged(folder + appendName(last), 'has a number after which there is none');
      if (!this.#next.has(folder)) this.#next.set(folder, last + 1);
    }
    const number = this.#next.get(folder) ?? 1;
    this.#next.delete(folder);
    this.#next.set(folder, number + 1);
    const [oldest] = this.#next.keys();
    if (this.#next.size > MOST_NUMBERS && oldest !== undefined) this.#next.delete(oldest);
    return number;
  }

  /** What is below a folder and not deleted, by the part of the key that names it. */
  async #transcripts(folder: string, end: number): Promise<ReadonlyArray<readonly [string, readonly Segment[]]>> {
    const folders = byFolder(await segmentsIn(this.#calls, folder, end));
    return [...folders].flatMap(([each, segments]) => {
      const current = currentOf(segments);
      return current.length === 0 ? [] : [[each.slice(folder.length, -1), current] as const];
    });
  }

  /** Each line once: the first of those with the same id. */
  async #lines(key: SessionKey, segments: readonly Segment[], end: number): Promise<readonly Line[]> {
    const lines = new Map<string, Line>();
    for (let from = 0; from < segments.length; from += READS_AT_ONCE) {
      const page = segments.slice(from, from + READS_AT_ONCE);
      for (const segment of page) checkSize(segment, key);
      const bodies = await Promise.all(page.map((segment) => this.#calls.read(segment.key, end)));
      for (const [index, body] of bodies.entries()) {
        // It was merged or deleted meanwhile: the next look finds what took its place.
        if (body === undefined) throw new StoreError('conflict', `${keyText(key)} was changed while it was loaded.`);
        for (const line of linesIn(body, this.#tenant, key, `${page[index]?.key}, a part of ${keyText(key)},`)) {
          if (!lines.has(line.id)) lines.set(line.id, line);
        }
      }
    }
    return [...lines.values()];
  }

  async #header([first]: readonly Segment[], end: number) {
    const body = first === undefined ? undefined : await this.#calls.read(first.key, end);
    return body === undefined ? undefined : headerOf(body, first?.key ?? '');
  }

  #folder({ projectKey, sessionId, subpath }: SessionKey): string {
    if (subpath !== undefined) return `${this.#below({ projectKey, sessionId })}${keyPart(subpath)}/`;
    return `${this.#root(projectKey, 'main')}${keyPart(sessionId)}/`;
  }

  #below({ projectKey, sessionId }: Session): string {
    return `${this.#root(projectKey, 'below')}${keyPart(sessionId)}/`;
  }

  #root(projectKey: string, kind: 'main' | 'below'): string {
    return `${this.#calls.prefix}${keyPart(this.#tenant)}/${keyPart(projectKey)}/${kind}/`;
  }
}
