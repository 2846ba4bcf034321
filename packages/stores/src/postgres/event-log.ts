import { randomUUID } from 'node:crypto';
import type { ConversationEvent, ConversationKey, EventLog, EventPage, LoggedEvent } from 'claudewire-server';
import { leasePassed } from '../shared/host-errors.js';
import { damaged, entryOf } from '../shared/lines.js';
import { type Known, requireDate, requireOptions, wholeNumber } from '../shared/options.js';
import { RETENTION_OPTIONS, Retention, type RetentionOptions } from '../shared/retention.js';
import { checkTenant, serverEntry } from '../shared/server-entry.js';
import { POSTGRES_OPTIONS, PostgresCalls, type PostgresOptions } from './calls.js';
import {
  APPEND_EVENTS,
  DELETE_OLD_LOGS,
  FIND_APPEND,
  RAISE_TOKEN,
  READ_EVENTS,
  TRIM_EVENTS,
} from './event-statements.js';
import { columnOf, hashOf } from './keys.js';
import { Listener } from './listener.js';

export interface PostgresEventLogOptions extends PostgresOptions, RetentionOptions {
  /** Of one conversation: the oldest go. @defaultValue 10_000 */
  readonly maxEvents?: number;
  /** Of one conversation, as JSON. The newest event is kept whatever its size. @defaultValue 4 MiB */
  readonly maxBytes?: number;
  /** How often a viewer looks although nobody told it of anything, in milliseconds. @defaultValue 5_000 */
  readonly pollMs?: number;
}

const PAGE_BYTES = 4 * 1024 * 1024;
/** A pool may give a connection that was cut as well, and the next one works. */
const RELISTEN_MS = 1_000;

interface Appended {
  readonly id: string;
  readonly first_id: string;
  readonly last_id: string;
  readonly bytes: string;
  readonly at: string;
}

interface Repeated {
  readonly first: string;
  readonly at: string;
  readonly is_known: boolean;
}

interface Read {
  readonly first_id: string;
  readonly last_id: string;
  readonly id: string | null;
  readonly at: string;
  readonly body: string;
}

const OPTIONS: Known<PostgresEventLogOptions> = {
  ...POSTGRES_OPTIONS,
  ...RETENTION_OPTIONS,
  maxEvents: true,
  maxBytes: true,
  pollMs: true,
};

/**
 * Keeps the events of conversations in PostgreSQL 14 or newer, for any number of hosts. A host is told at once of what
 * another one appends (`LISTEN`): one connection of the pool, for as long as somebody watches. Needs {@link migrate}.
 *
 * Methods reject with a {@link StoreError}, and for a tenant or id that cannot be one with `HostError` `invalid`.
 */
export class PostgresEventLog implements EventLog {
  readonly pollMs: number;
  readonly #calls: PostgresCalls;
  readonly #listener: Listener;
  readonly #retention: Retention;
  readonly #maxEvents: number;
  readonly #maxBytes: number;

  /** @throws StoreError `invalid`. */
  constructor(options: PostgresEventLogOptions) {
    requireOptions('new PostgresEventLog()', options, OPTIONS);
    this.#calls = new PostgresCalls(options);
    this.#retention = new Retention(options, () => this.#calls.now());
    this.#maxEvents = wholeNumber(options.maxEvents, 'maxEvents', 10_000);
    this.#maxBytes = wholeNumber(options.maxBytes, 'maxBytes', 4 * 1024 * 1024);
    this.pollMs = wholeNumber(options.pollMs, 'pollMs', 5_000);
    this.#listener = new Listener(options.pool, 'claudewire_events', Math.min(this.pollMs, RELISTEN_MS));
  }

  async append(
    key: ConversationKey,
    events: readonly ConversationEvent[],
    token?: number,
  ): Promise<readonly LoggedEvent[]> {
    const hash = await this.#hash(key);
    (await serverEntry()).assertLeaseToken(token);
    const owner = [hash, hashOf(key.tenant), columnOf(key.tenant), key.id];
    if (events.length === 0) return await this.#raise(owner, token);
    // JSON has no line break, and no NUL.
    const text = events.map((event) => JSON.stringify(event)).join('\n');
    const name = randomUUID();
    const bytes = Buffer.byteLength(text) - events.length + 1;
    const values = [...owner, events.length, bytes, name, text, hash.toString('hex'), token ?? null];
    const logged = await this.#calls.attempt('Appending to the event log', async (client) => {
      const [log] = (await client.query<Appended>(APPEND_EVENTS, values)).rows;
      if (log === undefined) {
        const [known] = (await client.query<Repeated>(FIND_APPEND, [hash, name])).rows;
        return known?.is_known === true ? numbered(events, Number(known.first), Number(known.at)) : undefined;
      }
      const count = Number(log.last_id) - Number(log.first_id) + 1;
      if (count > this.#maxEvents || Number(log.bytes) > this.#maxBytes) {
        await client.query(TRIM_EVENTS, [log.id, this.#maxEvents, this.#maxBytes]);
      }
      return numbered(events, Number(log.last_id) - events.length + 1, Number(log.at));
    });
    if (logged === undefined) throw await leasePassed();
    return logged;
  }

  async read(key: ConversationKey, after: number, limit: number): Promise<EventPage> {
    const hash = await this.#hash(key);
    const values = [hash, after, limit, PAGE_BYTES];
    const { rows } = await this.#calls.query<Read>('Reading the event log', READ_EVENTS, values);
    const [first] = rows;
    if (first === undefined) return { events: [], firstId: 1, lastId: 0 };
    const events = rows.flatMap(({ id, at, body }) => {
      if (id === null) return [];
      const event = entryOf(body, `event ${id} of ${nameOf(key)}`);
      return [{ id: Number(id), at: Number(at), event: event as unknown as ConversationEvent }];
    });
    const [firstId, lastId] = [Number(first.first_id), Number(first.last_id)];
    const isGap = events.some(({ id }, index) => id !== Math.max(after + 1, firstId) + index);
    const isCut = events.length === 0 && limit > 0 && after < lastId;
    if (isGap || isCut) throw damaged(nameOf(key), 'has lost events');
    return { events, firstId, lastId };
  }

  async remove(key: ConversationKey): Promise<void> {
    const hash = await this.#hash(key);
    await this.#calls.query('Removing an event log', 'DELETE FROM claudewire_event_logs WHERE key_hash = $1', [hash]);
  }

  async watch(key: ConversationKey, onAppend: () => void): Promise<() => void> {
    return this.#listener.add((await this.#hash(key)).toString('hex'), onAppend);
  }

  /**
   * Deletes the logs of one tenant to which nothing was appended for longer than `retentionMs`, by the clock of PostgreSQL: {@link deleteOlderThan} with that
   * date. Call it on a schedule, such as once an hour, from any host.
   *
   * @returns how many.
   * @throws StoreError, `invalid` without `retentionMs`.
   */
  async deleteExpired(tenant: string): Promise<number> {
    return await this.deleteOlderThan(tenant, await this.#retention.date());
  }

  /**
   * Deletes the logs of one tenant to which nothing was appended since a date by the clock of PostgreSQL.
   *
   * @returns how many.
   */
  async deleteOlderThan(tenant: string, date: Date): Promise<number> {
    await checkTenant(tenant);
    requireDate(date);
    let deleted = 0;
    for (;;) {
      const values = [hashOf(tenant), date, 100];
      const { rows } = await this.#calls.query('Deleting old events', DELETE_OLD_LOGS, values);
      deleted += rows.length;
      if (rows.length === 0) return deleted;
    }
  }

  async #raise(owner: readonly unknown[], token: number | undefined): Promise<readonly LoggedEvent[]> {
    if (token === undefined) return [];
    const { rowCount } = await this.#calls.query('Appending to the event log', RAISE_TOKEN, [...owner, token]);
    if (rowCount === 0) throw await leasePassed();
    return [];
  }

  async #hash(key: ConversationKey): Promise<Buffer> {
    (await serverEntry()).assertConversationKey(key);
    return hashOf(key.tenant, key.id);
  }
}

function numbered(events: readonly ConversationEvent[], first: number, at: number): readonly LoggedEvent[] {
  return events.map((event, index) => ({ id: first + index, at, event }));
}

function nameOf({ tenant, id }: ConversationKey): string {
  return `the event log of conversation ${id} of ${JSON.stringify(tenant.slice(0, 80))}`;
}
