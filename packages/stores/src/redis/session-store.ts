import { createHash, randomUUID } from 'node:crypto';
import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from 'claudewire';
import { StoreError } from '../errors.js';
import { DEFAULT_MAX_ENTRY_BYTES, damaged, entryOf, type Line, linesOf } from '../shared/lines.js';
import { keyPart } from '../shared/names.js';
import { type Known, requireDate, requireOptions, requireText, wholeNumber } from '../shared/options.js';
import { RETENTION_OPTIONS, Retention, type RetentionOptions } from '../shared/retention.js';
import { checkName, checkSessionKey, keyText } from '../shared/session-key.js';
import { foldLines, summaryData } from '../shared/summary.js';
import { REDIS_OPTIONS, RedisCalls, type RedisOptions } from './client.js';
import { RecentSummaries, type VersionedSummary } from './recent-summaries.js';
import { keysMatching } from './scan.js';
import { APPEND, DELETE_BELOW, DELETE_SESSION, LOAD } from './session-scripts.js';

export interface RedisSessionStoreOptions extends RedisOptions, RetentionOptions {
  /** Whose sessions these are. It is in every key, and no other tenant's can be reached. */
  readonly tenant: string;
  /** The longest entry that is written or read, in bytes of JSON. @defaultValue 64 MiB */
  readonly maxEntryBytes?: number;
}

export interface DeleteOldOptions {
  /** How many are looked up in one step. @defaultValue 100 */
  readonly batch?: number;
}

/** What is read from Redis in one step. */
const PAGE_BYTES = 4 * 1024 * 1024;

const OPTIONS: Known<RedisSessionStoreOptions> = {
  ...REDIS_OPTIONS,
  ...RETENTION_OPTIONS,
  tenant: true,
  maxEntryBytes: true,
};

/**
 * Keeps sessions in Redis 6.2 or newer, for any number of hosts. An append is one Lua script: all or nothing, in the
 * order in which Redis takes them, and an entry whose `uuid` is stored is not stored again.
 *
 * Every method rejects with a {@link StoreError}.
 */
export class RedisSessionStore implements SessionStore {
  readonly #calls: RedisCalls;
  readonly #retention: Retention;
  readonly #tenant: string;
  readonly #maxEntryBytes: number;
  readonly #recent = new RecentSummaries();

  /** @throws StoreError `invalid`. */
  constructor(options: RedisSessionStoreOptions) {
    requireOptions('new RedisSessionStore()', options, OPTIONS);
    this.#calls = new RedisCalls(options);
    this.#retention = new Retention(options, () => this.#calls.now());
    requireText(options.tenant, 'tenant');
    this.#tenant = options.tenant;
    this.#maxEntryBytes = wholeNumber(options.maxEntryBytes, 'maxEntryBytes', DEFAULT_MAX_ENTRY_BYTES);
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    checkSessionKey(key);
    const lines = linesOf(entries, this.#maxEntryBytes);
    if (lines.length === 0) return;
    await this.#calls.attempt('Appending to a session', async () => {
      if (key.subpath !== undefined) await this.#send(key, lines, '*', '');
      else await this.#appendWithSummary(key, lines);
    });
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    checkSessionKey(key);
    return await this.#calls.attempt('Loading a session', async () => {
      const texts = await this.#texts(key);
      return texts?.map((text, index) => entryOf(text, `entry ${index} of ${keyText(key)}`)) ?? null;
    });
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    const found = new Map<string, number>();
    for await (const page of this.#pages(projectKey)) {
      for (const { sessionId, mtime } of page) found.set(sessionId, Math.max(mtime, found.get(sessionId) ?? 0));
    }
    return [...found].map(([sessionId, mtime]) => ({ sessionId, mtime }));
  }

  /** Sessions whose summary cannot be read are left out: whoever lists them loads those. */
  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const found = new Map<string, SessionSummaryEntry>();
    for await (const page of this.#pages(projectKey)) {
      const metas = await this.#calls.attempt('Listing sessions', async () => {
        const pipeline = this.#calls.client.pipeline();
        for (const { sessionId } of page)
          pipeline.hmget(this.#part({ projectKey, sessionId }, 'meta'), 'summary', 'mtime');
        return (await pipeline.exec()) ?? [];
      });
      for (const [index, { sessionId }] of page.entries()) {
        const [error, values] = metas[index] ?? [];
        if (error) throw error;
        const [summary, mtime] = values as readonly (string | null)[];
        const data = summaryData(summary);
        if (data !== undefined) found.set(sessionId, { sessionId, mtime: Number(mtime), data });
      }
    }
    return [...found.values()];
  }

  async delete(key: SessionKey): Promise<void> {
    checkSessionKey(key);
    this.#recent.forget(this.#part(key, 'meta'));
    await this.#calls.attempt('Deleting a session', async () => {
      if (key.subpath === undefined) await this.#deleteSession(key.projectKey, key.sessionId, 'inf');
      else await this.#calls.run(DELETE_BELOW, [...this.#parts(key), this.#subs(key)], [JSON.stringify(key.subpath)]);
    });
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    checkSessionKey(key);
    const names = await this.#calls.attempt('Listing transcripts', () => this.#calls.client.smembers(this.#subs(key)));
    return names.map((name) => textOf(name, `a transcript of ${keyText(key)}`)).sort();
  }

  /**
   * Deletes the sessions of this tenant to which nothing was appended for longer than `retentionMs`, by the clock of Redis: {@link deleteOlderThan} with that
   * date. Call it on a schedule, such as once an hour, from any host.
   *
   * @returns how many.
   * @throws StoreError, `invalid` without `retentionMs`.
   */
  async deleteExpired(options: DeleteOldOptions = {}): Promise<number> {
    return await this.deleteOlderThan(await this.#retention.date(), options);
  }

  /**
   * Deletes the sessions of this tenant to which, or below which, nothing was appended since a date by the clock of
   * Redis. A session that is appended to meanwhile is kept.
   *
   * @returns how many.
   */
  async deleteOlderThan(date: Date, { batch = 100 }: DeleteOldOptions = {}): Promise<number> {
    requireDate(date);
    wholeNumber(batch, 'batch', batch);
    const suffix = ':touched';
    let deleted = 0;
    const group = this.#calls.key([this.#tenant, ''], '').slice(0, -2);
    for await (const key of keysMatching(this.#calls, group, suffix, batch)) {
      const base = key.slice(0, -suffix.length);
      for (;;) {
        const names = await this.#calls.attempt('Deleting old sessions', () =>
          this.#calls.client.zrangebyscore(key, '-inf', `(${date.getTime()}`, 'LIMIT', 0, batch),
        );
        for (const name of names) {
          deleted += await this.#calls.attempt('Deleting old sessions', () =>
            this.#deleteAt(base, name, String(date.getTime())),
          );
        }
        if (names.length < batch) break;
      }
    }
    this.#recent.clear();
    return deleted;
  }

  /** The summary is made here, of the version that Redis has: if that is another one by now, once more. */
  async #appendWithSummary(key: SessionKey, all: readonly Line[]): Promise<void> {
    const name = this.#part(key, 'meta');
    let lines = all;
    let before: VersionedSummary = this.#recent.get(name) ?? { version: '', data: undefined };
    for (let tries = 0; tries < 8; tries += 1) {
      const summary = foldLines(before.data, key, lines);
      const answer = await this.#send(key, lines, before.version, summary);
      if (answer.isStored) {
        this.#recent.set(name, { version: answer.version, data: summaryData(summary) });
        return;
      }
      lines = lines.filter((_, index) => answer.known[index] !== '1');
      if (lines.length === 0) return;
      const data = summaryData(answer.summary) ?? (await this.#refolded(key, answer.version));
      before = { version: answer.version, data };
    }
    throw new StoreError('conflict', `Other writers of ${keyText(key)} were faster.`, { key: keyText(key) });
  }

  async #send(key: SessionKey, lines: readonly Line[], before: string, summary: string) {
    const version = randomUUID();
    const { projectKey, sessionId } = key;
    const keys = [...this.#parts(key), ...this.#indexes(projectKey), this.#subs(key)];
    const names = [JSON.stringify(sessionId), JSON.stringify(key.subpath ?? '')];
    const args = [before, version, summary, ...names, lines.length];
    const answer = await this.#calls.run(APPEND, keys, [
      ...args,
      ...lines.map(({ id }) => id),
      ...lines.map(({ text }) => text),
    ]);
    const [result, found, known, which] = answer as readonly [number, string, string, string];
    if (result === -1)
      throw damaged(keyText(key), `has another number of entries than it should (${found}), or a time that is none`);
    if (result === 1) return { isStored: true, version } as const;
    return { isStored: false, version: found, summary: known, known: which } as const;
  }

  /** For a summary that cannot be read. */
  async #refolded(key: SessionKey, version: string): Promise<Record<string, unknown> | undefined> {
    if (version === '') return undefined;
    const texts = (await this.#texts(key)) ?? [];
    return summaryData(
      foldLines(
        undefined,
        key,
        texts.map((text) => ({ text })),
      ),
    );
  }

  async #texts(key: SessionKey): Promise<readonly string[] | null> {
    const keys = [this.#part(key, 'meta'), this.#part(key, 'entries')];
    const texts: string[] = [];
    let birth: string | undefined;
    for (;;) {
      const args = [texts.length, PAGE_BYTES, this.#maxEntryBytes];
      const [born, count, stored, ...page] = (await this.#calls.run(LOAD, keys, args)) as [
        ...[string, number, number],
        ...(string | number)[],
      ];
      birth ??= born;
      // It was deleted, and perhaps written again, while it was read.
      if (born !== birth) throw new StoreError('conflict', `${keyText(key)} was deleted while it was loaded.`);
      if (count !== stored) throw damaged(keyText(key), `has ${stored} entries, and should have ${count}`);
      for (const text of page) {
        const name = `entry ${texts.length} of ${keyText(key)}`;
        if (typeof text === 'number') throw damaged(name, `has ${text} bytes, more than \`maxEntryBytes\``);
        texts.push(text);
      }
      if (stored === 0) return null;
      if (texts.length >= stored) return texts;
    }
  }

  async *#pages(projectKey: string): AsyncGenerator<Array<{ sessionId: string; mtime: number }>> {
    checkName(projectKey, 'projectKey');
    const [sessions] = this.#indexes(projectKey);
    let cursor = '0';
    do {
      const [next, members] = await this.#calls.attempt('Listing sessions', () =>
        this.#calls.client.zscan(sessions, cursor, 'COUNT', 500),
      );
      cursor = next;
      const page = [];
      for (let index = 0; index < members.length; index += 2) {
        const sessionId = textOf(members[index] ?? '', `a session of project ${JSON.stringify(projectKey)}`);
        page.push({ sessionId, mtime: Number(members[index + 1]) });
      }
      yield page;
    } while (cursor !== '0');
  }

  async #deleteSession(projectKey: string, sessionId: string, before: string): Promise<void> {
    await this.#deleteAt(
      this.#calls.key([this.#tenant, projectKey], '').slice(0, -1),
      JSON.stringify(sessionId),
      before,
    );
  }

  async #deleteAt(base: string, name: string, before: string): Promise<number> {
    const session = `${base}:s:${keyPart(textOf(name, `a session at ${base}`))}`;
    const below = `${session}:b:`;
    const keys = [`${base}:sessions`, `${base}:touched`, `${session}:subs`];
    const parts = ['meta', 'ids', 'entries'].map((part) => `${session}:${part}`);
    return Number(await this.#calls.run(DELETE_SESSION, [...keys, ...parts], [name, before, below]));
  }

  #parts(key: SessionKey): readonly [string, string, string] {
    return [this.#part(key, 'meta'), this.#part(key, 'ids'), this.#part(key, 'entries')];
  }

  #part({ projectKey, sessionId, subpath }: SessionKey, part: string): string {
    const below = subpath === undefined ? [] : ['b', sha1(JSON.stringify(subpath))];
    return this.#calls.key([this.#tenant, projectKey], 's', keyPart(sessionId), ...below, part);
  }

  #subs({ projectKey, sessionId }: Pick<SessionKey, 'projectKey' | 'sessionId'>): string {
    return this.#part({ projectKey, sessionId }, 'subs');
  }

  #indexes(projectKey: string): readonly [string, string] {
    const group = [this.#tenant, projectKey];
    return [this.#calls.key(group, 'sessions'), this.#calls.key(group, 'touched')];
  }
}

/** As Redis has it in scripts. */
function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

function textOf(json: string, name: string): string {
  try {
    const text: unknown = JSON.parse(json);
    if (typeof text === 'string') return text;
  } catch (cause) {
    throw damaged(name, 'is not JSON', cause);
  }
  throw damaged(name, 'is no name');
}
