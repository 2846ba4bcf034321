import { assertKey, type ConversationKey, keyText } from '../stores/conversation-key.js';
import { assertLeaseToken, leasePassed } from '../stores/lease-token.js';
import { assertWakeUps, firstOf, type WakeUp } from './wake-up.js';
import type { WakeUpStore } from './wake-up-store.js';

interface Kept {
  readonly key: ConversationKey;
  readonly wakeUps: readonly WakeUp[];
  /** The highest that was seen. */
  readonly token: number;
}

/** Conversations without wake-ups whose token is remembered. */
const MAX_EMPTY = 10_000;

/** A {@link WakeUpStore} that ends with the program. */
export class InMemoryWakeUpStore implements WakeUpStore {
  readonly #kept = new Map<string, Kept>();
  /** Names of those that are kept for their token, the oldest first. */
  readonly #empty = new Set<string>();

  async get(key: ConversationKey): Promise<readonly WakeUp[]> {
    assertKey(key);
    return this.#kept.get(keyText(key))?.wakeUps ?? [];
  }

  async set({ tenant, id }: ConversationKey, wakeUps: readonly WakeUp[], token?: number): Promise<void> {
    const key = { tenant, id };
    assertKey(key);
    assertWakeUps(wakeUps);
    assertLeaseToken(token);
    const name = keyText(key);
    const seen = this.#kept.get(name)?.token ?? 0;
    if (token !== undefined && seen > token) throw leasePassed();
    if (wakeUps.length === 0 && token === undefined) this.#kept.delete(name);
    else this.#kept.set(name, { key, wakeUps: [...wakeUps], token: token ?? seen });
    this.#dropOldTokens(name, wakeUps.length === 0 && token !== undefined);
  }

  #dropOldTokens(name: string, isEmpty: boolean): void {
    this.#empty.delete(name);
    if (isEmpty) this.#empty.add(name);
    const [oldest] = this.#empty;
    if (this.#empty.size <= MAX_EMPTY || oldest === undefined) return;
    this.#empty.delete(oldest);
    this.#kept.delete(oldest);
  }

  async due(at: number, limit: number): Promise<readonly ConversationKey[]> {
    const due = [...this.#kept.values()].map(({ key, wakeUps }) => ({ key, first: firstOf(wakeUps) }));
    return due
      .filter(({ first }) => first <= at)
      .sort((a, b) => a.first - b.first)
      .slice(0, limit)
      .map(({ key }) => key);
  }
}
