import type { ConversationEvent, ConversationKey, EventLog } from 'claudewire-server';
import { settled } from '../redis/time-limit.js';
import type { Redactor } from './redactor.js';

/** Above this many unwritten events new ones are dropped, and counted. */
const MAX_PENDING = 1_000;

/**
 * Writes the events of one run, in order and in batches. A log that fails or stalls does not fail the job: what it did
 * not take is counted, and said in the job's result.
 */
export class EventWriter {
  readonly #log: EventLog | undefined;
  readonly #key: ConversationKey;
  readonly #redactor: Redactor;
  readonly #limitMs: number;
  readonly #onError: (error: unknown) => void;
  #pending: ConversationEvent[] = [];
  #writing: Promise<void> | undefined;
  #dropped = 0;

  constructor(params: {
    readonly log: EventLog | undefined;
    readonly key: ConversationKey;
    readonly redactor: Redactor;
    readonly limitMs: number;
    readonly onError: (error: unknown) => void;
  }) {
    this.#log = params.log;
    this.#key = params.key;
    this.#redactor = params.redactor;
    this.#limitMs = params.limitMs;
    this.#onError = params.onError;
  }

  /** Events that the log did not take. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Never throws: what cannot be cleaned of credentials, such as a value of 10,000 levels, is dropped. */
  append(event: ConversationEvent): void {
    if (this.#log === undefined) return;
    try {
      if (this.#pending.length >= MAX_PENDING) this.#dropped += 1;
      else this.#pending.push(this.#redactor.value(event));
    } catch (error) {
      this.#dropped += 1;
      this.#onError(error);
    }
    this.#writing ??= this.#write(this.#log);
  }

  /** Resolves when everything is written or given up. Never rejects. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #write(log: EventLog): Promise<void> {
    // Later, so that what is appended in one go is stored in one go.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      const events = this.#pending;
      this.#pending = [];
      try {
        await settled(this.#limitMs, 'store_failed', 'EventLog.append()', async () => log.append(this.#key, events));
      } catch (error) {
        this.#dropped += events.length;
        this.#onError(error);
      }
    }
    this.#writing = undefined;
  }
}
