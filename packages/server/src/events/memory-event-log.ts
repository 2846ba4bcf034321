import { assertOptions, type Checks, integer, optional } from '../checks.js';
import { assertKey, type ConversationKey, keyText } from '../stores/conversation-key.js';
import { assertLeaseToken, leasePassed } from '../stores/lease-token.js';
import type { ConversationEvent, LoggedEvent } from './conversation-event.js';
import type { EventLog, EventPage } from './event-log.js';

interface Kept {
  readonly events: LoggedEvent[];
  /** Of each event, as JSON. */
  readonly sizes: number[];
  bytes: number;
  lastId: number;
  /** The highest that was seen. */
  token: number;
}

export interface InMemoryEventLogOptions {
  /** Of one conversation. @defaultValue 10_000 */
  readonly maxEvents?: number;
  /** Of one conversation, as JSON. The newest event is kept whatever its size. @defaultValue 4 MiB */
  readonly maxBytes?: number;
}

const CHECKS: Checks<InMemoryEventLogOptions> = { maxEvents: optional(integer()), maxBytes: optional(integer()) };

/** An {@link EventLog} that ends with the program. */
export class InMemoryEventLog implements EventLog {
  /** A watcher is always called here. It is set because a log with `watch()` must have it. */
  readonly pollMs = 30_000;
  readonly #kept = new Map<string, Kept>();
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  readonly #watchers = new Map<string, Set<() => void>>();

  /** @throws HostError `invalid`: it names the option. */
  constructor(options: InMemoryEventLogOptions = {}) {
    assertOptions('new InMemoryEventLog()', options, CHECKS);
    const { maxEvents = 10_000, maxBytes = 4 * 1024 * 1024 } = options;
    this.#maxEvents = maxEvents;
    this.#maxBytes = maxBytes;
  }

  async append(
    key: ConversationKey,
    events: readonly ConversationEvent[],
    token?: number,
  ): Promise<readonly LoggedEvent[]> {
    assertKey(key);
    assertLeaseToken(token);
    const name = keyText(key);
    const kept = this.#kept.get(name) ?? { events: [], sizes: [], bytes: 0, lastId: 0, token: 0 };
    if (token !== undefined && kept.token > token) throw leasePassed();
    const logged = events.map((event, index) => ({ id: kept.lastId + index + 1, at: Date.now(), event }));
    // First, since an event that is no JSON must keep all of them out.
    const sizes = logged.map((entry) => JSON.stringify(entry).length);
    this.#kept.set(name, kept);
    kept.token = token ?? kept.token;
    for (const [index, entry] of logged.entries()) {
      const size = sizes[index] ?? 0;
      kept.events.push(entry);
      kept.sizes.push(size);
      kept.bytes += size;
    }
    kept.lastId += logged.length;
    this.#drop(kept);
    this.#tell(name);
    return logged;
  }

  async read(key: ConversationKey, after: number, limit: number): Promise<EventPage> {
    assertKey(key);
    const kept = this.#kept.get(keyText(key));
    if (kept === undefined) return { events: [], firstId: 1, lastId: 0 };
    const firstId = kept.events[0]?.id ?? kept.lastId + 1;
    const start = Math.max(0, after + 1 - firstId);
    return { events: kept.events.slice(start, start + limit), firstId, lastId: kept.lastId };
  }

  async remove(key: ConversationKey): Promise<void> {
    assertKey(key);
    this.#kept.delete(keyText(key));
    this.#tell(keyText(key));
  }

  /** Hosts in one program may share a log. */
  async watch(key: ConversationKey, onAppend: () => void): Promise<() => void> {
    assertKey(key);
    const name = keyText(key);
    const watchers = this.#watchers.get(name) ?? new Set();
    const call = (): void => onAppend();
    this.#watchers.set(name, watchers.add(call));
    return () => {
      watchers.delete(call);
      if (watchers.size === 0) this.#watchers.delete(name);
    };
  }

  #tell(name: string): void {
    for (const call of [...(this.#watchers.get(name) ?? [])]) call();
  }

  #drop(kept: Kept): void {
    let count = 0;
    let { bytes } = kept;
    const last = kept.events.length - 1;
    while (count < last && (kept.events.length - count > this.#maxEvents || bytes > this.#maxBytes)) {
      bytes -= kept.sizes[count] ?? 0;
      count += 1;
    }
    kept.events.splice(0, count);
    kept.sizes.splice(0, count);
    kept.bytes = bytes;
  }
}
