import { randomUUID } from 'node:crypto';
import type { ConversationEvent, ConversationKey, EventLog, EventPage, LoggedEvent } from 'claudewire-server';
import { StoreError } from '../errors.js';
import { leasePassed } from '../shared/host-errors.js';
import { damaged, entryOf } from '../shared/lines.js';
import { type Known, requireDate, requireOptions, wholeNumber } from '../shared/options.js';
import { RETENTION_OPTIONS, Retention, type RetentionOptions } from '../shared/retention.js';
import { checkTenant, serverEntry } from '../shared/server-entry.js';
import { REDIS_OPTIONS, RedisCalls, type RedisOptions } from './client.js';
import { APPEND_EVENTS, READ_EVENTS, REMOVE_EVENTS } from './event-scripts.js';
import { keysMatching } from './scan.js';
import { Subscriber } from './subscriber.js';

export interface RedisEventLogOptions extends RedisOptions, RetentionOptions {
  /** Of one conversation: the oldest go. @defaultValue 10_000 */
  readonly maxEvents?: number;
  /** Of one conversation, as JSON. The newest event is kept whatever its size. @defaultValue 4 MiB */
  readonly maxBytes?: number;
  /** How often a viewer looks although nobody told it of anything, in milliseconds. @defaultValue 5_000 */
  readonly pollMs?: number;
}

const PAGE_BYTES = 4 * 1024 * 1024;
const SUFFIX = ':log:meta';

const OPTIONS: Known<RedisEventLogOptions> = {
  ...REDIS_OPTIONS,
  ...RETENTION_OPTIONS,
  maxEvents: true,
  maxBytes: true,
  pollMs: true,
};

/**
 * Keeps the events of conversations in Redis streams, for any number of hosts. A host is told at once of what another
 * one appends: one more connection, for as long as somebody watches.
 *
 * Methods reject with a {@link StoreError}, and for a tenant or id that cannot be one with `HostError` `invalid`.
 */
export class RedisEventLog implements EventLog {
  readonly pollMs: number;
  readonly #calls: RedisCalls;
  readonly #subscriber: Subscriber;
  readonly #retention: Retention;
  readonly #maxEvents: number;
  readonly #maxBytes: number;

  /** @throws StoreError `invalid`. */
  constructor(options: RedisEventLogOptions) {
    requireOptions('new RedisEventLog()', options, OPTIONS);
    this.#calls = new RedisCalls(options);
    this.#subscriber = new Subscriber(options.client);
    this.#retention = new Retention(options, () => this.#calls.now());
    this.#maxEvents = wholeNumber(options.maxEvents, 'maxEvents', 10_000);
    this.#maxBytes = wholeNumber(options.maxBytes, 'maxBytes', 4 * 1024 * 1024);
    this.pollMs = wholeNumber(options.pollMs, 'pollMs', 5_000);
  }

  async append(
    key: ConversationKey,
    events: readonly ConversationEvent[],
    token?: number,
  ): Promise<readonly LoggedEvent[]> {
    const keys = await this.#keys(key);
    (await serverEntry()).assertLeaseToken(token);
    if (events.length === 0 && token === undefined) return [];
    const texts = events.map((event) => JSON.stringify(event));
    const name = randomUUID();
    const limits = [this.#maxEvents, this.#maxBytes];
    const [first, at] = await this.#calls.attempt('Appending to the event log', async () => {
      const args = [name, ...limits, this.#channel(key), texts.length, token ?? '', ...texts];
      return (await this.#calls.run(APPEND_EVENTS, keys, args)) as readonly [number, number];
    });
    if (first === -1) throw damaged(nameOf(key), 'has lost its events or their count');
    if (first === -2) throw await leasePassed();
    return events.map((event, index) => ({ id: first + index, at, event }));
  }

  async read(key: ConversationKey, after: number, limit: number): Promise<EventPage> {
    const [meta, stream] = await this.#keys(key);
    return await this.#calls.attempt('Reading the event log', async () => {
      const answer = await this.#calls.run(READ_EVENTS, [meta, stream], [after, limit, PAGE_BYTES]);
      const [firstId, lastId, ...values] = answer as readonly [number, number, ...(string | number)[]];
      if (firstId === -1) throw damaged(nameOf(key), 'has lost its events');
      const events: LoggedEvent[] = [];
      for (let index = 0; index < values.length; index += 3) {
        const [id, at, text] = values.slice(index, index + 3);
        const event = entryOf(text, `event ${id} of ${nameOf(key)}`);
        events.push({ id: Number(id), at: Number(at), event: event as unknown as ConversationEvent });
      }
      return { events, firstId, lastId };
    });
  }

  async remove(key: ConversationKey): Promise<void> {
    const keys = await this.#keys(key);
    await this.#calls.attempt('Removing an event log', () => this.#calls.run(REMOVE_EVENTS, keys, ['inf']));
  }

  async watch(key: ConversationKey, onAppend: () => void): Promise<() => void> {
    await this.#keys(key);
    return this.#subscriber.add(this.#channel(key), onAppend);
  }

  /**
   * Deletes the logs of one tenant to which nothing was appended for longer than `retentionMs`, by the clock of Redis: {@link deleteOlderThan} with that
   * date. Call it on a schedule, such as once an hour, from any host.
   *
   * @returns how many.
   * @throws StoreError, `invalid` without `retentionMs`.
   */
  async deleteExpired(tenant: string): Promise<number> {
    return await this.deleteOlderThan(tenant, await this.#retention.date());
  }

  /**
   * Deletes the logs of one tenant to which nothing was appended since a date by the clock of Redis.
   *
   * @returns how many.
   */
  async deleteOlderThan(tenant: string, date: Date): Promise<number> {
    await checkTenant(tenant);
    requireDate(date);
    const start = this.#calls.key([tenant, ''], '').slice(0, -2);
    let deleted = 0;
    for await (const meta of keysMatching(this.#calls, start, SUFFIX, 100)) {
      const base = meta.slice(0, -'meta'.length);
      const keys = [meta, `${base}events`, `${base}appends`];
      const count = await this.#calls.attempt('Deleting old events', () =>
        this.#calls.run(REMOVE_EVENTS, keys, [date.getTime()]),
      );
      if (Number(count) > 0) deleted += 1;
    }
    return deleted;
  }

  async #keys(key: ConversationKey): Promise<readonly [string, string, string]> {
    (await serverEntry()).assertConversationKey(key);
    const group = [key.tenant, key.id];
    return [
      this.#calls.key(group, 'log', 'meta'),
      this.#calls.key(group, 'log', 'events'),
      this.#calls.key(group, 'log', 'appends'),
    ];
  }

  #channel(key: ConversationKey): string {
    return this.#calls.key([key.tenant, key.id], 'log');
  }
}

function nameOf({ tenant, id }: ConversationKey): string {
  return `the event log of conversation ${id} of ${JSON.stringify(tenant.slice(0, 80))}`;
}
