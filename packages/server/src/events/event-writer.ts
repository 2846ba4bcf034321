import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { storeFailure } from '../errors.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import { isLeasePassed, type WithLease } from '../stores/lease-token.js';
import { StoreTimeout } from '../stores/time-limit.js';
import type { ConversationEvent, LoggedEvent } from './conversation-event.js';
import type { EventLog } from './event-log.js';

const ATTEMPTS = 4;
/** The wait before the second attempt. Each further one waits longer by as much. */
const RETRY_MS = 50;
/** Logs write an event with something around it, from a deeper stack. */
const MARGIN = 200;
/** Stands where events are missing. It gets its number when it is stored. */
const DROPPED: ConversationEvent = { type: 'events_dropped', before: 0 };

export interface EventWriterHooks {
  /** Whether this host is still the one that writes. Asked before what failed is tried again. */
  readonly mayRetry: () => boolean;
  /** Gives each append the token of the lease. */
  readonly withLease: WithLease;
}

/**
 * Appends to a log that may fail. What cannot be stored leaves an `events_dropped` in its place, so that no viewer takes
 * ids without a gap for all that happened. What comes too late, from a host whose lease has passed, leaves nothing.
 */
export class EventWriter {
  readonly #log: EventLog;
  readonly #key: ConversationKey;
  readonly #hooks: EventWriterHooks;
  #lastId = 0;
  #hasDropped = false;

  constructor(log: EventLog, key: ConversationKey, hooks: EventWriterHooks) {
    this.#log = log;
    this.#key = key;
    this.#hooks = hooks;
  }

  /** From now on hosts append nothing that had the lease before. @throws HostError `conflict`, `store_failed`. */
  async takeOver(): Promise<void> {
    await this.#append([]);
  }

  /**
   * @throws HostError `store_failed`: none of them is stored, and the next ones come after an `events_dropped`; `conflict`:
   * this host does not have the lease.
   */
  async write(events: readonly ConversationEvent[]): Promise<readonly LoggedEvent[]> {
    try {
      const logged = await this.#attempts(this.#hasDropped ? [DROPPED, ...events] : events);
      this.#hasDropped = false;
      this.#lastId = logged.at(-1)?.id ?? this.#lastId;
      return logged;
    } catch (error) {
      if (isLeasePassed(error)) throw error;
      this.#hasDropped = true;
      throw storeFailure('Appending to the event log', error);
    }
  }

  async #attempts(events: readonly ConversationEvent[]): Promise<readonly LoggedEvent[]> {
    let failure: unknown;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (attempt > 0) await sleep(RETRY_MS * attempt);
      if (attempt > 0 && !this.#hooks.mayRetry()) break;
      try {
        const storable = attempt === 0 ? events : events.map((event) => (isStorable(event) ? event : DROPPED));
        return (attempt === 0 ? undefined : await this.#stored(storable)) ?? (await this.#append(storable));
      } catch (error) {
        failure = error;
        // A call that is late may still store them, and a second one would store them twice.
        if (error instanceof StoreTimeout || isLeasePassed(error)) break;
      }
    }
    throw failure;
  }

  async #append(events: readonly ConversationEvent[]): Promise<readonly LoggedEvent[]> {
    const append = (storable: readonly ConversationEvent[]): Promise<readonly LoggedEvent[]> =>
      this.#hooks.withLease((token) => this.#log.append(this.#key, storable, token));
    if (!events.includes(DROPPED)) return await append(events);
    const { lastId } = await this.#log.read(this.#key, 0, 0);
    // As in a gap that nobody stored: what is missing is before the id that follows.
    const numbered = events.map((event, index) =>
      event === DROPPED ? { ...event, before: lastId + index + 2 } : event,
    );
    return await append(numbered);
  }

  /** What a call stored whose answer was lost. */
  async #stored(events: readonly ConversationEvent[]): Promise<readonly LoggedEvent[] | undefined> {
    const { lastId } = await this.#log.read(this.#key, 0, 0);
    const start = lastId - events.length;
    if (start < this.#lastId || events.includes(DROPPED)) return undefined;
    const page = await this.#log.read(this.#key, start, events.length);
    const found = page.events.map(({ event }) => event);
    return isDeepStrictEqual(found, JSON.parse(JSON.stringify(events))) ? page.events : undefined;
  }
}

/** One that is nested too deep, or no JSON, must not take others with it. */
function isStorable(event: ConversationEvent): boolean {
  let wrapped: unknown = event;
  for (let depth = 0; depth < MARGIN; depth += 1) wrapped = [wrapped];
  try {
    JSON.stringify(wrapped);
    return true;
  } catch {
    return false;
  }
}
