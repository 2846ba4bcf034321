import { isDeepStrictEqual } from 'node:util';
import { structuralHash } from './structural-hash.js';

/**
 * The items of one slice. Adding one costs the same however many there are: the frozen array that readers see is made
 * when somebody reads, and an index tells whether an equal item is there.
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
    // First what may throw: a half-made change must not stay.
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

  /** Puts `value` where the item with the same key stands, or at the end. */
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
