import { describeValue } from '../../util/describe-value.js';
import { isJsonObject } from '../../util/json.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { AnyKey } from './keys.js';

/** A snapshot as plain JSON. */
export interface SnapshotJson {
  readonly version: 1;
  readonly sessionId: string;
  /** ISO 8601, UTC: when it was taken. */
  readonly createdAt: string;
  /** Items by the name of their slice. */
  readonly slices: Readonly<Record<string, readonly unknown[]>>;
}

/**
 * The items of a session's slices at one moment. Later changes of the session do not affect it. The items are shared
 * with the session and must not be changed.
 */
export class SessionSnapshot {
  readonly sessionId: string;
  readonly createdAt: string;
  readonly #slices: ReadonlyMap<AnyKey | string, readonly unknown[]>;

  /** @internal Use `session.snapshot()` or {@link SessionSnapshot.fromJSON}. */
  constructor(sessionId: string, createdAt: string, slices: ReadonlyMap<AnyKey | string, readonly unknown[]>) {
    this.sessionId = sessionId;
    this.createdAt = createdAt;
    this.#slices = slices;
    Object.freeze(this);
  }

  /**
   * For `JSON.stringify`. Items have to be plain data to come back as they were.
   * @throws {@link AdapterConfigError} two slices have the same name, so that one of them would be lost.
   */
  toJSON(): SnapshotJson {
    const slices: Record<string, readonly unknown[]> = {};
    for (const [key, items] of this.#slices) {
      const name = typeof key === 'string' ? key : key.name;
      if (Object.hasOwn(slices, name)) {
        throw new AdapterConfigError(
          `Two slices are named "${name}"; a snapshot as JSON holds one of a name`,
          ['name'],
          { hint: 'Give one of them another name.' },
        );
      }
      Object.defineProperty(slices, name, { value: items, enumerable: true });
    }
    return { version: 1, sessionId: this.sessionId, createdAt: this.createdAt, slices };
  }

  /**
   * @param value - The result of `toJSON()`, also after `JSON.parse()`.
   * @throws {@link AdapterConfigError} it is something else.
   */
  static fromJSON(value: unknown): SessionSnapshot {
    const { version, sessionId, createdAt, slices } = isJsonObject(value) ? value : {};
    const isSnapshot =
      version === 1 &&
      typeof sessionId === 'string' &&
      typeof createdAt === 'string' &&
      isJsonObject(slices) &&
      Object.values(slices).every(Array.isArray);
    if (!isSnapshot) {
      throw new AdapterConfigError(
        `A snapshot must be an object as SessionSnapshot.toJSON() makes it, got ${describeValue(value)}`,
        ['snapshot'],
      );
    }
    const entries = Object.entries(slices).map(
      ([name, items]) => [name, Object.freeze([...(items as unknown[])])] as const,
    );
    return new SessionSnapshot(sessionId, createdAt, new Map(entries));
  }

  /** @internal Items of a slice; those of a snapshot that came from JSON are found by name. */
  itemsOf(key: AnyKey): readonly unknown[] {
    return this.#slices.get(key) ?? this.#slices.get(key.name) ?? [];
  }

  /** @internal The entries that belong to none of these slices. */
  unclaimed(slices: readonly AnyKey[]): [AnyKey | string, readonly unknown[]][] {
    const names = new Set(slices.map(({ name }) => name));
    return [...this.#slices].filter(([key]) => (typeof key === 'string' ? !names.has(key) : !slices.includes(key)));
  }
}
