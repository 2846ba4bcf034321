import { isDeepStrictEqual } from 'node:util';

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

  push(value: unknown): void {
    // This may throw, so it comes before any change.
    const key = this.#byKey?.keyOf(value);
    if (this.#byHash !== undefined) addByHash(this.#byHash, value);
    this.#items.push(value);
    this.#view = undefined;
    this.#byKey?.positions.set(key, this.#items.length - 1);
  }

  replace(items: readonly unknown[]): void {
    this.#items = [...items];
    this.#forget();
  }

  /** Replaces the item with the same key, or adds `value` at the end. */
  upsert(value: unknown, keyOf: KeyOf): void {
    const position = this.#positionOf(keyOf(value), keyOf);
    if (position === undefined) {
      this.push(value);
      return;
    }
    this.#items[position] = value;
    this.#view = undefined;
    this.#byHash = undefined;
  }

  /** Takes the item with the same key out, and puts `value` at the end. */
  moveToEnd(value: unknown, keyOf: KeyOf): void {
    const position = this.#positionOf(keyOf(value), keyOf);
    if (position !== undefined) {
      this.#items.splice(position, 1);
      this.#forget();
    }
    this.push(value);
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
 *
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
  for (let i = 0; i < counted.length; i += 1) {
    hash = Math.imul(hash ^ counted.charCodeAt(i), 0x01000193);
  }
  return hash;
}
