import { isDeepStrictEqual } from 'node:util';
import { describeValue } from '../../util/describe-value.js';
import { errorText } from '../../util/error-text.js';
import type { Log } from '../logging/log.js';
import { type AnyKey, assertKey } from './keys.js';
import { type AnyReducer, inPlaceOf, SliceItems } from './reducers.js';

export type SliceObserver = (oldItems: readonly never[], newItems: readonly never[]) => unknown;

export interface Target {
  readonly slice: AnyKey;
  readonly reducer: AnyReducer;
}

/** The slices of one session, their reducers and observers. The session adds the types. */
export class SliceBoard {
  readonly #slices = new Map<AnyKey, SliceItems>();
  readonly #targets = new Map<AnyKey, readonly Target[]>();
  readonly #observers = new Map<AnyKey, readonly SliceObserver[]>();
  readonly #log: Log;
  /** The items of a slice that is read for the first time. */
  readonly #initial: (slice: AnyKey) => readonly unknown[];

  constructor(log: Log, initial: (slice: AnyKey) => readonly unknown[]) {
    this.#log = log;
    this.#initial = initial;
  }

  /** For reading. */
  items(slice: AnyKey): SliceItems {
    let items = this.#slices.get(slice);
    if (items === undefined) {
      assertKey(slice);
      items = new SliceItems(this.#initial(slice));
      this.#slices.set(slice, items);
    }
    return items;
  }

  slices(): AnyKey[] {
    return [...this.#slices.keys()];
  }

  /** Adds the same reducer for one event and slice only once. */
  register(event: AnyKey, target: Target): void {
    const targets = this.#targets.get(event) ?? [];
    const isKnown = targets.some(({ slice, reducer }) => slice === target.slice && reducer === target.reducer);
    if (!isKnown) this.#targets.set(event, [...targets, target]);
  }

  copyTo(other: SliceBoard): void {
    for (const [slice, items] of this.#slices) other.items(slice).replace(items.all());
    for (const [event, targets] of this.#targets) other.#targets.set(event, targets);
  }

  observe(slice: AnyKey, observer: SliceObserver): () => void {
    // A wrapper, so that one function may observe twice and end each by itself.
    const own: SliceObserver = (oldItems, newItems) => observer(oldItems, newItems);
    Object.defineProperty(own, 'name', { value: observer.name });
    this.#observers.set(slice, [...(this.#observers.get(slice) ?? []), own]);
    return () => {
      const rest = (this.#observers.get(slice) ?? []).filter((each) => each !== own);
      if (rest.length === 0) this.#observers.delete(slice);
      else this.#observers.set(slice, rest);
    };
  }

  /** Runs the event's reducers; `fallback` on the slice of the same key when it has none. */
  dispatch(event: AnyKey, payload: unknown, fallback: AnyReducer, session: object): void {
    const targets = this.#targets.get(event) ?? [{ slice: event, reducer: fallback }];
    const slices = [...new Set(targets.map(({ slice }) => slice))];
    this.change(slices, () => {
      for (const target of targets) {
        try {
          this.#reduce(target, event, payload, session);
        } catch (error) {
          this.#log.error('session_reducer_failed', {
            reducer: target.reducer.name === '' ? 'anonymous' : target.reducer.name,
            type: event.name,
            slice: target.slice.name,
            error: errorText(error),
          });
        }
      }
    });
  }

  #reduce(target: Target, event: AnyKey, payload: unknown, session: object): void {
    const items = this.items(target.slice);
    const inPlace = inPlaceOf(target.reducer);
    if (inPlace !== undefined) {
      inPlace(items, payload);
      return;
    }
    // `register` saw to it that event, payload and slice belong together.
    const reducer = target.reducer as (...args: readonly unknown[]) => unknown;
    const before = items.all();
    const after = reducer(before, payload, { session, event });
    if (!Array.isArray(after)) {
      throw new TypeError(`A reducer must return an array, but returned ${describeValue(after)}`);
    }
    if (after !== before) items.replace(after);
  }

  /** Runs `change`, which may touch these slices, and then calls their observers. */
  change(slices: readonly AnyKey[], change: () => void): void {
    // Reading copies, so slices without observers are not read.
    const watched = slices
      .filter((slice) => this.#observers.has(slice))
      .map((slice) => ({ slice, before: this.items(slice).all() }));
    change();
    for (const { slice, before } of watched) {
      const after = this.items(slice).all();
      if (after !== before && !isDeepStrictEqual(after, before)) this.#notify(slice, before, after);
    }
  }

  #notify(slice: AnyKey, before: readonly unknown[], after: readonly unknown[]): void {
    for (const observer of this.#observers.get(slice) ?? []) {
      const failed = (error: unknown): void =>
        this.#log.error('session_observer_failed', {
          observer: observer.name === '' ? 'anonymous' : observer.name,
          type: slice.name,
          error: errorText(error),
        });
      try {
        // The slice's own items, and the observer was made for them.
        const returned = observer(before as readonly never[], after as readonly never[]);
        if (returned instanceof Promise) returned.catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  }
}
