import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from 'claudewire';
import type { PoolClient } from 'pg';
import { DEFAULT_MAX_ENTRY_BYTES, damaged, entryOf, type Line, linesOf } from '../shared/lines.js';
import { type Known, requireDate, requireOptions, requireText, wholeNumber } from '../shared/options.js';
import { RETENTION_OPTIONS, Retention, type RetentionOptions } from '../shared/retention.js';
import { checkName, checkSessionKey, keyText } from '../shared/session-key.js';
import { foldLines, summaryData } from '../shared/summary.js';
import { POSTGRES_OPTIONS, PostgresCalls, type PostgresOptions } from './calls.js';
import { columnOf, hashOf, nameIn } from './keys.js';
import { ADD_ENTRIES, DELETE_OLD, LIST, LOAD, LOCK_TRANSCRIPT, TOUCH } from './session-statements.js';

export interface PostgresSessionStoreOptions extends PostgresOptions, RetentionOptions {
  /** Whose sessions these are. It is in every row and key, and no other tenant's can be reached. */
  readonly tenant: string;
  /** The longest entry that is written or read, in bytes of JSON. @defaultValue 64 MiB */
  readonly maxEntryBytes?: number;
}

export interface DeleteOldOptions {
  /** How many are deleted in one transaction. @defaultValue 100 */
  readonly batch?: number;
}

const PAGE = 1_000;

interface Locked {
  readonly id: string;
  readonly entries: string;
  readonly last_seq: string;
  readonly summary: string | null;
}

interface Loaded {
  readonly entries: string;
  readonly seq: string | null;
  readonly bytes: number;
  readonly body: string | null;
}

interface Listed {
  readonly id: string;
  readonly session: string;
  readonly mtime: string;
  readonly summary: string | null;
}

const OPTIONS: Known<PostgresSessionStoreOptions> = {
  ...POSTGRES_OPTIONS,
  ...RETENTION_OPTIONS,
  tenant: true,
  maxEntryBytes: true,
};

/**
 * Keeps sessions in PostgreSQL 14 or newer, for any number of hosts. An append is one transaction: all or nothing, one
 * writer of a transcript at a time, and an entry whose `uuid` is stored is not stored again. Needs {@link migrate}.
 *
 * Every method rejects with a {@link StoreError}.
 */
export class PostgresSessionStore implements SessionStore {
  readonly #calls: PostgresCalls;
  readonly #retention: Retention;
  readonly #tenant: string;
  readonly #maxEntryBytes: number;

  /** @throws StoreError `invalid`. */
  constructor(options: PostgresSessionStoreOptions) {
    requireOptions('new PostgresSessionStore()', options, OPTIONS);
    this.#calls = new PostgresCalls(options);
    this.#retention = new Retention(options, () => this.#calls.now());
    requireText(options.tenant, 'tenant');
    this.#tenant = options.tenant;
    this.#maxEntryBytes = wholeNumber(options.maxEntryBytes, 'maxEntryBytes', DEFAULT_MAX_ENTRY_BYTES);
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    checkSessionKey(key);
    const lines = linesOf(entries, this.#maxEntryBytes);
    if (lines.length === 0) return;
    const ids = lines.map(({ id }) => id).join('\n');
    const texts = lines.map(({ text }) => text).join('\n');
    await this.#calls.transaction('Appending to a session', async (client) => {
      const [transcript] = (await client.query<Locked>(LOCK_TRANSCRIPT, this.#columns(key))).rows;
      if (transcript === undefined) return;
      const { id, last_seq: last } = transcript;
      const added = await client.query<{ seq: string }>(ADD_ENTRIES, [id, last, ids, texts]);
      if (added.rows.length === 0) return;
      // The order in which rows come back means nothing.
      const places = added.rows.map(({ seq }) => Number(BigInt(seq) - BigInt(last))).sort((a, b) => a - b);
      const fresh = places.flatMap((place) => lines[place - 1] ?? []);
      const summary = key.subpath === undefined ? await this.#summary(client, key, transcript, fresh) : null;
      await client.query(TOUCH, [id, fresh.length, lines.length, summary]);
    });
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    checkSessionKey(key);
    return await this.#calls.attempt('Loading a session', async (client) => await this.#load(client, key));
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    const found: Array<{ sessionId: string; mtime: number }> = [];
    for await (const page of this.#pages(projectKey)) {
      for (const { session, mtime } of page) {
        found.push({ sessionId: nameIn(session, 'a session'), mtime: Number(mtime) });
      }
    }
    return found;
  }

  /** Sessions whose summary cannot be read are left out: whoever lists them loads those. */
  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const found: SessionSummaryEntry[] = [];
    for await (const page of this.#pages(projectKey)) {
      for (const { session, mtime, summary } of page) {
        const data = summaryData(summary);
        const sessionId = nameIn(session, 'a session');
        if (data !== undefined) found.push({ sessionId, mtime: Number(mtime), data });
      }
    }
    return found;
  }

  async delete(key: SessionKey): Promise<void> {
    checkSessionKey(key);
    const [keyHash, sessionHash] = this.#columns(key);
    const [column, hash] = key.subpath === undefined ? ['session_hash', sessionHash] : ['key_hash', keyHash];
    const text = `DELETE FROM claudewire_transcripts WHERE ${column} = $1`;
    await this.#calls.query('Deleting a session', text, [hash]);
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    checkSessionKey(key);
    const [, sessionHash] = this.#columns(key);
    const text =
      'SELECT subpath FROM claudewire_transcripts WHERE session_hash = $1 AND subpath IS NOT NULL ORDER BY subpath';
    const { rows } = await this.#calls.query<{ subpath: string }>('Listing transcripts', text, [sessionHash]);
    return rows.map(({ subpath }) => nameIn(subpath, `a transcript of ${keyText(key)}`));
  }

  /**
   * Deletes the sessions of this tenant to which nothing was appended for longer than `retentionMs`, by the clock of PostgreSQL: {@link deleteOlderThan} with that
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
   * PostgreSQL. A session that is appended to meanwhile is kept.
   *
   * @returns how many.
   */
  async deleteOlderThan(date: Date, { batch = 100 }: DeleteOldOptions = {}): Promise<number> {
    requireDate(date);
    wholeNumber(batch, 'batch', batch);
    let deleted = 0;
    for (;;) {
      const values = [hashOf(this.#tenant), date, batch];
      const { rows } = await this.#calls.query<{ sessions: number }>('Deleting old sessions', DELETE_OLD, values);
      const count = rows[0]?.sessions ?? 0;
      deleted += count;
      if (count === 0) return deleted;
    }
  }

  async #load(client: PoolClient, key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const [keyHash] = this.#columns(key);
    const { rows } = await client.query<Loaded>(LOAD, [keyHash, this.#maxEntryBytes]);
    const stored = rows.filter(({ seq }) => seq !== null);
    const count = Number(rows[0]?.entries ?? 0);
    if (stored.length !== count) throw damaged(keyText(key), `has ${stored.length} entries, and should have ${count}`);
    if (count === 0) return null;
    return stored.map(({ seq, bytes, body }) => {
      const name = `entry ${seq} of ${keyText(key)}`;
      if (body === null) throw damaged(name, `has ${bytes} bytes, more than \`maxEntryBytes\``);
      return entryOf(body, name);
    });
  }

  /** In the transaction that has the lock. One that cannot be read is made again of all entries. */
  async #summary(client: PoolClient, key: SessionKey, before: Locked, fresh: readonly Line[]): Promise<string> {
    const data = summaryData(before.summary);
    if (data !== undefined || before.entries === '0') return foldLines(data, key, fresh);
    const { rows } = await client.query<{ body: string }>(
      'SELECT body FROM claudewire_entries WHERE transcript = $1 ORDER BY seq',
      [before.id],
    );
    return foldLines(
      undefined,
      key,
      rows.map(({ body }) => ({ text: body })),
    );
  }

  async *#pages(projectKey: string): AsyncGenerator<readonly Listed[]> {
    checkName(projectKey, 'projectKey');
    const projectHash = hashOf(this.#tenant, projectKey);
    let after = '0';
    for (;;) {
      const { rows } = await this.#calls.query<Listed>('Listing sessions', LIST, [projectHash, after, PAGE]);
      yield rows;
      after = rows.at(-1)?.id ?? after;
      if (rows.length < PAGE) return;
    }
  }

  #columns({ projectKey, sessionId, subpath = null }: { [K in keyof SessionKey]: SessionKey[K] | null }) {
    const names = [this.#tenant, projectKey ?? '', sessionId ?? ''] as const;
    const hashes = [hashOf(...names, subpath), hashOf(...names), hashOf(names[0], names[1]), hashOf(names[0])];
    return [...hashes, ...names.map(columnOf), subpath === null ? null : columnOf(subpath)];
  }
}
