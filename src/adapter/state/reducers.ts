import { isDeepStrictEqual } from 'node:util';
import { wrongArgument } from '../options/read-fields.js';

/** A reducer that needs no context. */
export type PlainReducer<S, E = S> = (items: readonly S[], payload: E) => readonly S[];

/** A reducer of whatever slice and event. */
export type AnyReducer = (items: readonly never[], payload: never, context: never) => readonly unknown[];

/** Tells whether something changed. */
type InPlace = (items: SliceItems, payload: unknown) => boolean;

const IN_PLACE = new WeakMap<object, InPlace>();

/** Runs a built-in reducer without a copy of all items. */
export function inPlaceOf(reducer: object): InPlace | undefined {
  return IN_PLACE.get(reducer);
}

/** Called as a function it works on a copy, like any reducer. A session runs it in place. */
function builtIn(inPlace: InPlace): <S>(items: readonly S[], payload: S) => readonly S[] {
  const reducer = <S>(items: readonly S[], payload: S): readonly S[] => {
    if (!Array.isArray(items)) {
      const takes = 'A reducer takes the items of a slice as its first argument';
      throw wrongArgument('items', takes, items, 'Pass an array and what to add: `append([], item)`.');
    }
    const copy = new SliceItems(items);
    // Only items and the payload, which are of type S, are in it.
    return inPlace(copy, payload) ? (copy.all() as readonly S[]) : items;
  };
  IN_PLACE.set(reducer, inPlace);
  return reducer;
}

/** Adds the payload, unless a deeply equal item is there. The default for events without a reducer. */
export const append = builtIn((items, payload) => !items.has(payload) && items.push(payload));
/** Adds the payload, equal or not. */
export const appendAll = builtIn((items, payload) => items.push(payload));
/** The payload becomes the only item. */
export const replaceLatest = builtIn((items, payload) => items.replace([payload]));

/** The payload takes the place of the item with the same key, or comes last. */
export function upsertBy<S>(keyFn: (item: S) => unknown): PlainReducer<S> {
  return builtIn((items, payload) => items.upsert(payload, keyFn as KeyOf));
}

/** The payload comes last; the item with the same key is gone. */
export function replaceLatestBy<S>(keyFn: (item: S) => unknown): PlainReducer<S> {
  return builtIn((items, payload) => items.moveToEnd(payload, keyFn as KeyOf));
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

/**
 * The items of one slice. The cost of adding an item does not depend on their number: the frozen array for readers is
 * made when it is read, and an index finds equal items.
 */
export class SliceItems {
  #items: unknown[];
  #view: readonly unknown[] | undefined;
  #byHash: Map<number, unknown[]> | undefined;
  #byKey: { readonly keyOf: KeyOf; readonly positions: Map<unknown, number> } | undefined;

  constructor(items: readonly unknown[] = []) {
    this.#items = [...items];
  }

  /** Frozen; the same array until something changes. */
  all(): readonly unknown[] {
    this.#view ??= Object.freeze([...this.#items]);
    return this.#view;
  }

  latest(): unknown {
    return this.#items.at(-1);
  }

  get size(): number {
    return this.#items.length;
  }

  /** Deeply equal to `value`. */
  has(value: unknown): boolean {
    this.#byHash ??= groupByHash(this.#items);
    const alike = this.#byHash.get(structuralHash(value));
    return alike?.some((item) => isDeepStrictEqual(item, value)) ?? false;
  }

  /** All changes return true. */
  push(value: unknown): boolean {
    // This may throw, so it comes before any change.
    const key = this.#byKey?.keyOf(value);
    if (this.#byHash !== undefined) addByHash(this.#byHash, value);
    this.#items.push(value);
    this.#view = undefined;
    this.#byKey?.positions.set(key, this.#items.length - 1);
    return true;
  }

  replace(items: readonly unknown[]): boolean {
    this.#items = [...items];
    this.#forget();
    return true;
  }

  /** Replaces the item with the same key, or adds `value` at the end. */
  upsert(value: unknown, keyOf: KeyOf): boolean {
    const position = this.#positionOf(keyOf(value), keyOf);
    if (position === undefined) return this.push(value);
    this.#items[position] = value;
    this.#view = undefined;
    this.#byHash = undefined;
    return true;
  }

  /** Takes the item with the same key out, and puts `value` at the end. */
  moveToEnd(value: unknown, keyOf: KeyOf): boolean {
    const position = this.#positionOf(keyOf(value), keyOf);
    if (position !== undefined) {
      this.#items.splice(position, 1);
      this.#forget();
    }
    return this.push(value);
  }

  #positionOf(key: unknown, keyOf: KeyOf): number | undefined {
    if (this.#byKey?.keyOf !== keyOf) {
      const positions = new Map(this.#items.map((item, position) => [keyOf(item), position]));
      this.#byKey = { keyOf, positions };
    }
    return this.#byKey.positions.get(key);
  }

  #forget(): void {
    this.#view = undefined;
    this.#byHash = undefined;
    this.#byKey = undefined;
  }
}

type KeyOf = (item: unknown) => unknown;

function groupByHash(items: readonly unknown[]): Map<number, unknown[]> {
  const groups = new Map<number, unknown[]>();
  for (const item of items) addByHash(groups, item);
  return groups;
}

function addByHash(groups: Map<number, unknown[]>, item: unknown): void {
  const hash = structuralHash(item);
  const group = groups.get(hash);
  if (group === undefined) groups.set(hash, [item]);
  else group.push(item);
}

/** Deeper parts do not count. This also ends circles. */
const MAX_DEPTH = 8;
/** How many parts of one level count. This bounds parts that refer to one another. */
const MAX_PARTS = 8_192;
/** Longer strings are hashed by this many characters from each end. */
const TEXT_ENDS = 256;

/**
 * The same number for values that `isDeepStrictEqual` calls equal, so that only few items have to be compared. Its cost
 * is bounded, also for large or circular values.
 * @param allowance - How many parts of each level below count. Shared evenly, since the order of keys may not matter.
 */
export function structuralHash(value: unknown, depth = 0, allowance = MAX_PARTS): number {
  if (typeof value === 'string') return hashText(value);
  if (typeof value !== 'object' || value === null) {
    // All symbols and functions share a hash: they are equal to themselves only.
    return typeof value === 'symbol' || typeof value === 'function'
      ? 7
      : hashText(`${typeof value}${Object.is(value, -0) ? 0 : value}`);
  }
  if (depth === MAX_DEPTH) return 11;
  if (value instanceof Date) return hashText(`date${value.getTime()}`);
  // Each byte would be a key of its own.
  if (ArrayBuffer.isView(value)) return hashText(`bytes${value.byteLength}`);
  const keys = Object.keys(value);
  let hash = Array.isArray(value) ? value.length + 1 : 3;
  const share = Math.floor(allowance / Math.max(1, keys.length));
  if (share === 0) return (hash + keys.length) | 0;
  // Added up, since the order of an object's keys does not matter. Map and Set have no keys, and share a number.
  for (const key of keys) {
    const part = structuralHash(Reflect.get(value, key), depth + 1, share);
    hash = (hash + Math.imul(hashText(key) ^ 0x5bd1e995, part | 1)) | 0;
  }
  return hash;
}

function hashText(text: string): number {
  const isLong = text.length > 2 * TEXT_ENDS;
  const counted = isLong ? `${text.length}${text.slice(0, TEXT_ENDS)}${text.slice(-TEXT_ENDS)}` : text;
  let hash = 0x811c9dc5;
  for (let i = 0; i < counted.length; i += 1) hash = Math.imul(hash ^ counted.charCodeAt(i), 0x01000193);
  return hash;
}
