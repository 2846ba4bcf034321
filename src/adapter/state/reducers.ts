import { wrongArgument } from '../options/read-fields.js';
import { SliceItems } from './slice-items.js';

/** A reducer that needs no context. */
export type PlainReducer<S, E = S> = (items: readonly S[], payload: E) => readonly S[];

/** A reducer of whatever slice and event. */
export type AnyReducer = (items: readonly never[], payload: never, context: never) => readonly unknown[];

type InPlace = (items: SliceItems, payload: unknown) => boolean;

const IN_PLACE = new WeakMap<object, InPlace>();

/** Runs a built-in reducer without a copy of all items. Tells whether something changed. */
export function inPlaceOf(reducer: object): InPlace | undefined {
  return IN_PLACE.get(reducer);
}

/** Called as a function it works on a copy, like any reducer. A session runs it in place. */
function builtIn<S>(inPlace: InPlace): PlainReducer<S> {
  const reducer: PlainReducer<S> = (items, payload) => {
    if (!Array.isArray(items)) {
      throw wrongArgument(
        'items',
        'A reducer takes the items of a slice as its first argument',
        items,
        'Pass an array and what to add: `append([], item)`.',
      );
    }
    const copy = new SliceItems(items);
    // Only items and the payload, which are of type S, are in it.
    return inPlace(copy, payload) ? (copy.all() as readonly S[]) : items;
  };
  IN_PLACE.set(reducer, inPlace);
  return reducer;
}

function always(change: (items: SliceItems, payload: unknown) => void): InPlace {
  return (items, payload) => {
    change(items, payload);
    return true;
  };
}

const appendUnique = builtIn<unknown>((items, payload) => {
  if (items.has(payload)) return false;
  items.push(payload);
  return true;
});
const appendAlways = builtIn<unknown>(always((items, payload) => items.push(payload)));
const keepOne = builtIn<unknown>(always((items, payload) => items.replace([payload])));

/** Adds the payload, unless a deeply equal item is there. The default for events without a reducer. */
export const append = appendUnique as <S>(items: readonly S[], payload: S) => readonly S[];
/** Adds the payload, equal or not. */
export const appendAll = appendAlways as <S>(items: readonly S[], payload: S) => readonly S[];
/** The payload becomes the only item. */
export const replaceLatest = keepOne as <S>(items: readonly S[], payload: S) => readonly S[];

/** The payload takes the place of the item with the same key, or comes last. */
export function upsertBy<S>(keyFn: (item: S) => unknown): PlainReducer<S> {
  const keyOf = keyFn as (item: unknown) => unknown;
  return builtIn(always((items, payload) => items.upsert(payload, keyOf)));
}

/** The payload comes last; the item with the same key is gone. */
export function replaceLatestBy<S>(keyFn: (item: S) => unknown): PlainReducer<S> {
  const keyOf = keyFn as (item: unknown) => unknown;
  return builtIn(always((items, payload) => items.moveToEnd(payload, keyOf)));
}

/** `latestReducer()` for any type of context. */
export function reduceLatest<S, E, Context>(
  initial: S,
  fn: (state: S, payload: E, context: Context) => S,
): (items: readonly S[], payload: E, context: Context) => readonly S[] {
  return (items, payload, context) => {
    const state = items.length === 0 ? initial : (items[items.length - 1] as S);
    const next = fn(state, payload, context);
    return items.length === 1 && Object.is(next, state) ? items : [next];
  };
}
