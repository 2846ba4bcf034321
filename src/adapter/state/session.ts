import { randomUUID } from 'node:crypto';
import { isJsonObject } from '../../util/json.js';
import { anything, custom, nonEmptyString, type Validator } from '../../util/validate.js';
import { type AdapterLogger, createLog } from '../logging/log.js';
import { checkFields, havingMethods } from '../options/read-fields.js';
import { type EventBus, InProcessEventBus } from './event-bus.js';
import { PromptExecuted, PromptRendered, routedValues, type TelemetryEvent, ToolInvoked } from './events.js';
import type { AnyKey, EventKey, SliceKey } from './keys.js';
import { OWN_REDUCERS } from './own-reducers.js';
import { append, appendAll, reduceLatest, SliceItems } from './reducers.js';
import { SliceBoard, type SliceObserver } from './slice-board.js';
import { SessionSnapshot } from './snapshot.js';

export interface SessionOptions {
  /** @defaultValue an `InProcessEventBus` of its own */
  readonly bus?: EventBus | undefined;
  /** Kept for the caller. */
  readonly parent?: Session | undefined;
  /** @defaultValue a UUID */
  readonly sessionId?: string | undefined;
  /** @defaultValue now */
  readonly createdAt?: Date | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Gets the failures of reducers, observers and handlers. */
  readonly logger?: AdapterLogger | undefined;
  /** Prefix of every log message. @defaultValue `claude_agent_sdk` */
  readonly label?: string | undefined;
}

const OPTIONS: Readonly<Record<keyof SessionOptions, Validator>> = {
  bus: havingMethods('an EventBus', 'subscribe'),
  parent: havingMethods('a Session', 'mutate'),
  sessionId: nonEmptyString,
  createdAt: custom('a Date', (value) => value instanceof Date),
  tags: custom('an object of strings', isJsonObject),
  // A log survives every logger.
  logger: anything,
  label: nonEmptyString,
};

export interface ReducerContext<E> {
  readonly session: Session;
  /** What was dispatched. */
  readonly event: EventKey<E>;
}

/** Makes the next items of a slice. Must not change `items`; returning them means that nothing changed. */
export type Reducer<S, E> = (items: readonly S[], payload: E, context: ReducerContext<E>) => readonly S[];

/** For a slice with one item: `fn` makes the next state of the last one, or of `initial`. */
export function latestReducer<S, E>(
  initial: S,
  fn: (state: S, payload: E, context: ReducerContext<E>) => S,
): Reducer<S, E> {
  return reduceLatest(initial, fn);
}

export interface SliceQuery<S> {
  /** Frozen; the same array until the slice changes. */
  all(): readonly S[];
  latest(): S | undefined;
  where(matches: (item: S) => boolean): readonly S[];
}

export interface SliceMutation<S> {
  /** Replaces all items; an array counts as several. No reducer runs. */
  seed(items: S | readonly S[]): void;
  /** Dispatches with the slice itself as the event. */
  append(item: S): void;
  /** Drops all items, or those that match. No reducer runs. */
  clear(matches?: (item: S) => boolean): void;
  /** Runs every reducer of the event, on any slice. Without one, the payload is appended to the event's own slice. */
  dispatch<E>(event: EventKey<E>, payload: NoInfer<E>): void;
  /** Adds a reducer that changes this slice. The same function for the same event is added once. */
  register<E>(event: EventKey<E>, reducer: Reducer<S, E>): void;
}

export interface SessionMutation {
  /** Empties every slice; reducers and observers stay. */
  reset(): void;
  rollback(snapshot: SessionSnapshot): void;
}

export interface Subscription {
  unsubscribe(): void;
}

/**
 * What a series of evaluations knows: typed slices, changed by reducers, and every telemetry event of its bus.
 *
 * Items are values. Slices, snapshots and clones share them, so do not change them.
 */
export class Session {
  readonly sessionId: string;
  readonly createdAt: Date;
  readonly parent: Session | undefined;
  readonly tags: Readonly<Record<string, string>>;
  /** Also `eventBus`. */
  readonly bus: EventBus;
  readonly #options: SessionOptions;
  readonly #board: SliceBoard;
  readonly #events = new SliceItems();
  readonly #subscriptions: readonly (() => void)[];
  /** Holds the items that a rollback brought back for slices that were not read yet. */
  #restored: SessionSnapshot | undefined;

  /** @throws {@link AdapterConfigError} a field of the wrong kind, or an unknown one. */
  constructor(options: SessionOptions = {}) {
    checkFields(options, 'Session', OPTIONS);
    const { bus, parent, sessionId, createdAt, tags, logger, label } = options;
    this.#options = options;
    this.sessionId = sessionId ?? randomUUID();
    this.createdAt = createdAt ?? new Date();
    this.parent = parent;
    this.tags = Object.freeze({ ...tags });
    this.bus = bus ?? new InProcessEventBus({ logger, label });
    this.#board = new SliceBoard(createLog(logger, label), (slice) => this.#restored?.itemsOf(slice) ?? []);
    for (const { event, ...target } of OWN_REDUCERS) this.#board.register(event, target);
    this.#subscriptions = [PromptRendered, ToolInvoked, PromptExecuted].map((token) =>
      this.bus.subscribe<TelemetryEvent>(token as EventKey<TelemetryEvent>, (event) => this.#record(token, event)),
    );
  }

  get eventBus(): EventBus {
    return this.bus;
  }

  query<S>(slice: SliceKey<S>): SliceQuery<S> {
    const items = this.#board.items(slice);
    // All items came in as S.
    const all = (): readonly S[] => items.all() as readonly S[];
    return {
      all,
      latest: () => items.latest() as S | undefined,
      where: (matches) => Object.freeze(all().filter(matches)),
    };
  }

  mutate(): SessionMutation;
  mutate<S>(slice: SliceKey<S>): SliceMutation<S>;
  mutate<S>(slice?: SliceKey<S>): SessionMutation | SliceMutation<S> {
    return slice === undefined ? this.#mutateAll() : this.#mutateSlice(slice);
  }

  /** Calls `observer` after each real change. Each change copies the slice: for telemetry, subscribe to the bus. */
  observe<S>(slice: SliceKey<S>, observer: (oldItems: readonly S[], newItems: readonly S[]) => unknown): Subscription {
    return { unsubscribe: this.#board.observe(slice, observer as SliceObserver) };
  }

  /** Every telemetry event of the bus since the session was made, oldest first. A rollback takes none away. */
  events(): readonly TelemetryEvent[] {
    // Nothing else is pushed.
    return this.#events.all() as readonly TelemetryEvent[];
  }

  snapshot(): SessionSnapshot {
    const slices = new Map<AnyKey | string, readonly unknown[]>();
    for (const slice of this.#board.slices()) {
      const items = this.#board.items(slice).all();
      if (items.length > 0) slices.set(slice, items);
    }
    for (const [key, items] of this.#restored?.unclaimed(this.#board.slices()) ?? []) slices.set(key, items);
    return new SessionSnapshot(this.sessionId, new Date().toISOString(), slices);
  }

  /** A session of its own with the same items, events and reducers, and no observers. */
  clone(options: SessionOptions = {}): Session {
    const copy = new Session({ ...this.#options, sessionId: undefined, bus: undefined, ...options });
    copy.#restored = this.#restored;
    copy.#events.replace(this.#events.all());
    this.#board.copyTo(copy.#board);
    return copy;
  }

  /** Stops listening to the bus. Slices stay usable. Safe to call twice. */
  detach(): void {
    for (const unsubscribe of this.#subscriptions) unsubscribe();
  }

  #record(token: AnyKey, event: TelemetryEvent): void {
    this.#events.push(event);
    this.#dispatch(token, event, appendAll);
    for (const { slice, value } of routedValues(event)) this.#dispatch(slice, value);
  }

  #dispatch(event: AnyKey, payload: unknown, fallback: typeof append = append): void {
    this.#board.dispatch(event, payload, fallback, this);
  }

  #mutateSlice<S>(slice: SliceKey<S>): SliceMutation<S> {
    const replace = (items: readonly unknown[]): void =>
      this.#board.change([slice], () => this.#board.items(slice).replace(items));
    return {
      seed: (items) => replace(Array.isArray(items) ? items : [items]),
      append: (item) => this.#dispatch(slice, item),
      clear: (matches) => replace(matches === undefined ? [] : this.query(slice).where((item) => !matches(item))),
      dispatch: (event, payload) => this.#dispatch(event, payload),
      register: (event, reducer) => this.#board.register(event, { slice, reducer }),
    };
  }

  #mutateAll(): SessionMutation {
    const restore = (snapshot: SessionSnapshot | undefined): void => {
      this.#restored = snapshot;
      const slices = this.#board.slices();
      this.#board.change(slices, () => {
        for (const slice of slices) this.#board.items(slice).replace(snapshot?.itemsOf(slice) ?? []);
      });
    };
    return { reset: () => restore(undefined), rollback: restore };
  }
}
