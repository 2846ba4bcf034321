import { HostError } from '../errors.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import { withoutLease } from '../stores/lease-token.js';
import type { BackgroundTask, ConversationEvent, LoggedEvent } from './conversation-event.js';
import type { EventLog, EventPage } from './event-log.js';
import { EventWriter, type EventWriterHooks } from './event-writer.js';
import { endsInTurn, lastTasks, openApprovals } from './log-end.js';

/** The newest events, which viewers take from memory. Whoever is further behind reads the log. */
const TAIL = 64;
const PAGE = 200;
/** How often a log is looked at while it is watched, in case a call was lost. */
const WATCHED_MS = 30_000;
/** Above this many unwritten events the writer is waited for. */
const MAX_PENDING = 256;

export interface EventFeedHooks extends Partial<EventWriterHooks> {
  /** The log ends before what was seen in it: somebody has removed it. */
  readonly onShrunk?: () => void;
  /** While anybody looks: there is something in the log that may not have been written here. */
  readonly onForeign?: () => void;
  /** Hears each event that is appended here, whether the log takes it or not. Must not throw. */
  readonly onEvent?: (event: ConversationEvent) => void;
}

/** The events of one conversation on this host: one writer, any number of viewers, nothing buffered for a slow one. */
export class EventFeed {
  readonly #log: EventLog;
  readonly #key: ConversationKey;
  readonly #writer: EventWriter;
  readonly #tail: LoggedEvent[] = [];
  readonly #wakers = new Set<() => void>();
  /** Of the log, by place, with what is known to have changed before: viewers that are as far share one. */
  readonly #reads = new Map<string, Promise<EventPage>>();
  #pending: ConversationEvent[] = [];
  #writing: Promise<void> | undefined;
  #failure: unknown;
  #isClosed = false;
  /** Changes with everything that a waiting viewer wants to know. */
  #version = 0;
  #viewers = 0;
  #watching: Promise<() => void> | undefined;
  /** One for all viewers, while there are any. */
  #poll: NodeJS.Timeout | undefined;
  #polledId = 0;
  /** That anybody has seen. */
  #highestId = 0;
  #isWatched = false;
  #isLooking = false;
  #looksAgain = false;
  #end: { readonly lastId: number; readonly isInTurn: boolean } | undefined;
  readonly #onShrunk: () => void;
  readonly #onForeign: () => void;
  readonly #onEvent: (event: ConversationEvent) => void;

  constructor(log: EventLog, key: ConversationKey, hooks: EventFeedHooks = {}) {
    const { mayRetry = () => true, withLease = withoutLease, onEvent = () => {} } = hooks;
    this.#log = log;
    this.#key = key;
    this.#onShrunk = hooks.onShrunk ?? (() => {});
    this.#onForeign = hooks.onForeign ?? (() => {});
    this.#onEvent = onEvent;
    this.#writer = new EventWriter(log, key, { mayRetry, withLease });
  }

  /**
   * Takes an event. Resolves when there is room for more, or {@link flush} has what went wrong.
   * @param isHeard - It was appended before, and the log did not take it.
   */
  append(event: ConversationEvent, isHeard = false): Promise<void> | undefined {
    this.#pending.push(event);
    if (!isHeard) this.#onEvent(event);
    this.#writing ??= this.#write();
    return this.#pending.length > MAX_PENDING ? this.#writing : undefined;
  }

  /**
   * Resolves when everything is stored, with the id of the newest event of this host.
   * @throws HostError `store_failed`: events were lost. Said once; viewers get `events_dropped` before the next event.
   * `conflict`: the lease has passed, and events that came too late are in no log.
   */
  async flush(): Promise<number> {
    while (this.#writing !== undefined) await this.#writing;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    return this.#tail.at(-1)?.id ?? 0;
  }

  /** With the lease, after another host has had it: from now on that one appends nothing. @throws HostError as {@link flush}. */
  async takeOver(): Promise<void> {
    await this.#writer.takeOver();
  }

  /** @throws HostError `invalid`: nobody can have seen this event. */
  async assertReached(id: number): Promise<void> {
    const { lastId } = await this.#log.read(this.#key, id, 0);
    if (Number.isSafeInteger(id) && id >= 0 && id <= lastId) return;
    throw new HostError('invalid', `There is no event ${id} in this conversation: the last one is ${lastId}.`);
  }

  /**
   * Whether the log ends within a turn. Its host is at work, or dead: the lease says which. A log that has not changed is not
   * read again.
   * @param isWatchEnough - What a watch has told of counts as the end of the log.
   */
  async endsInTurn(isWatchEnough = false): Promise<boolean> {
    const isKnown = isWatchEnough && this.#isWatched;
    const lastId = isKnown ? this.#polledId : (await this.#log.read(this.#key, 0, 0)).lastId;
    if (this.#end?.lastId !== lastId) {
      this.#end = { lastId, isInTurn: await endsInTurn(this.#log, this.#key, lastId) };
    }
    return this.#end.isInTurn;
  }

  /** The tasks that viewers were told last to run on after their turn. */
  async lastTasks(): Promise<readonly BackgroundTask[]> {
    const { lastId } = await this.#log.read(this.#key, 0, 0);
    return await lastTasks(this.#log, this.#key, lastId);
  }

  /** Approvals that viewers were told of, and not that they are over. */
  async openApprovals(): Promise<readonly string[]> {
    const { lastId } = await this.#log.read(this.#key, 0, 0);
    return await openApprovals(this.#log, this.#key, lastId);
  }

  /** Ends every viewer, after what is stored. Nothing is looked for any more, also for one that never asks again. */
  close(): void {
    this.#isClosed = true;
    this.#unwatch();
    this.#wake();
  }

  /**
   * What comes after an id: first what is stored, then what happens, without a gap or a repetition.
   * @throws HostError `store_failed`.
   */
  async *follow(after: number, signal?: AbortSignal): AsyncGenerator<LoggedEvent, void> {
    if (isAborted(signal)) return;
    const leave = this.attend();
    // Whoever aborts may never ask again, and then nothing below is run.
    signal?.addEventListener('abort', leave, { once: true });
    try {
      yield* this.#follow(after, signal);
    } finally {
      signal?.removeEventListener('abort', leave);
      leave();
    }
  }

  /** Looks for what other hosts write, without reading it. @returns ends that. Safe to call twice. */
  attend(): () => void {
    let isHere = true;
    this.#viewers += 1;
    this.#highestId = Math.max(this.#highestId, this.#tail.at(-1)?.id ?? 0);
    this.#watch();
    this.#pollLater();
    return () => {
      if (!isHere) return;
      isHere = false;
      this.#viewers -= 1;
      if (this.#viewers === 0) this.#unwatch();
    };
  }

  async *#follow(after: number, signal?: AbortSignal): AsyncGenerator<LoggedEvent, void> {
    let cursor = after;
    /** Above the cursor where a damaged log has repeated itself. */
    let place = after;
    this.#highestId = Math.max(this.#highestId, after);
    while (!isAborted(signal)) {
      const version = this.#version;
      const isOver = this.#isClosed;
      const next = this.#fromTail(cursor) ?? (await this.#fromLog(place));
      place += next.length;
      for (const entry of next) {
        if (entry.id <= cursor) continue;
        if (isAborted(signal)) return;
        this.#highestId = Math.max(this.#highestId, entry.id);
        yield entry;
        cursor = entry.id;
        place = cursor;
      }
      if (next.length > 0) continue;
      if (isOver) return;
      await this.#change(version, signal);
      place = cursor;
    }
  }

  async #write(): Promise<void> {
    // Later, so that what is appended in one go is stored in one go.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      const events = this.#pending;
      this.#pending = [];
      try {
        this.#tail.push(...(await this.#writer.write(events)));
        this.#tail.splice(0, Math.max(0, this.#tail.length - TAIL));
        // What is written here is looked for by nobody.
        this.#polledId = this.#tail.at(-1)?.id ?? this.#polledId;
      } catch (error) {
        this.#failure = error;
      }
      this.#wake();
    }
    this.#writing = undefined;
  }

  /** `undefined` where the tail does not reach back to the cursor. After another writer it has a gap. */
  #fromTail(cursor: number): readonly LoggedEvent[] | undefined {
    const start = this.#tail.findIndex(({ id }) => id === cursor + 1);
    if (start < 0) return undefined;
    const rest = this.#tail.slice(start);
    return rest.every(({ id }, index) => id === cursor + 1 + index) ? rest : undefined;
  }

  async #fromLog(cursor: number): Promise<readonly LoggedEvent[]> {
    const { events, firstId } = await this.#sharedRead(cursor);
    if (firstId <= cursor + 1) return events;
    // Its id is that of the last one lost: a viewer that breaks off here goes on behind the gap.
    const gap: LoggedEvent = { id: firstId - 1, at: Date.now(), event: { type: 'events_dropped', before: firstId } };
    return [gap, ...events];
  }

  /** One that began before the last change would miss it, so only those are shared that began after it. */
  async #sharedRead(cursor: number): Promise<EventPage> {
    const name = `${this.#version}:${cursor}`;
    const reading = this.#reads.get(name) ?? this.#log.read(this.#key, cursor, PAGE);
    this.#reads.set(name, reading);
    try {
      return await reading;
    } finally {
      this.#reads.delete(name);
    }
  }

  /** Waits until something has changed since `version`. */
  async #change(version: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#version !== version || this.#isClosed || isAborted(signal)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        signal?.removeEventListener('abort', done);
        this.#wakers.delete(done);
        resolve();
      };
      signal?.addEventListener('abort', done, { once: true });
      this.#wakers.add(done);
    });
  }

  /** As long as anybody looks. A log that cannot be watched is polled. */
  #watch(): void {
    if (this.#isClosed || this.#watching !== undefined || this.#log.watch === undefined) return;
    const watching = this.#log.watch(this.#key, () => void this.#look());
    this.#watching = watching;
    watching.then(
      () => {
        if (this.#watching !== watching) return;
        this.#isWatched = true;
        // What was written before it began is looked for once.
        void this.#look();
      },
      () => {
        if (this.#watching === watching) this.#watching = undefined;
      },
    );
  }

  /** Looks for what other hosts wrote, in a log that says how often. */
  #pollLater(): void {
    const { pollMs } = this.#log;
    if (this.#isClosed || pollMs === undefined || this.#viewers === 0 || this.#isLooking) return;
    this.#poll ??= setTimeout(() => void this.#look(), this.#isWatched ? Math.max(pollMs, WATCHED_MS) : pollMs);
  }

  /** One at a time. Whoever asks meanwhile gets one more, since the first may have come too early. */
  async #look(): Promise<void> {
    clearTimeout(this.#poll);
    this.#poll = undefined;
    this.#looksAgain = this.#isLooking;
    if (this.#isLooking) return;
    this.#isLooking = true;
    do {
      this.#looksAgain = false;
      await this.#lookOnce();
    } while (this.#looksAgain && this.#viewers > 0 && !this.#isClosed);
    this.#isLooking = false;
    this.#pollLater();
  }

  async #lookOnce(): Promise<void> {
    try {
      const { lastId } = await this.#log.read(this.#key, this.#polledId, 0);
      const hasChanged = lastId !== this.#polledId;
      this.#polledId = lastId;
      if (hasChanged) {
        this.#wake();
        this.#onForeign();
      }
      this.#highestId = Math.max(this.#highestId, lastId);
      // Each time: events go before the record that says so.
      if (lastId >= this.#highestId) return;
      // What was watched is gone.
      this.#unwatchLog();
      this.#onShrunk();
    } catch {
      // Each viewer finds out by itself.
      this.#wake();
    }
  }

  #unwatch(): void {
    clearTimeout(this.#poll);
    this.#poll = undefined;
    this.#unwatchLog();
  }

  #unwatchLog(): void {
    this.#isWatched = false;
    this.#watching?.then(
      (stop) => stop(),
      () => {},
    );
    this.#watching = undefined;
  }

  #wake(): void {
    this.#version += 1;
    for (const wake of [...this.#wakers]) wake();
  }
}

/** A call, since the compiler takes a property for unchanged across an `await`. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
