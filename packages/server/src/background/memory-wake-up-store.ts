import { assertKey, type ConversationKey, keyText } from '../stores/conversation-key.js';
import { assertWakeUps, firstOf, type WakeUp } from './wake-up.js';
import type { WakeUpStore } from './wake-up-store.js';

interface Kept {
  readonly key: ConversationKey;
  readonly wakeUps: readonly WakeUp[];
}

/** A {@link WakeUpStore} that ends with the program. */
export class InMemoryWakeUpStore implements WakeUpStore {
  readonly #kept = new Map<string, Kept>();

  async get(key: ConversationKey): Promise<readonly WakeUp[]> {
    assertKey(key);
    return this.#kept.get(keyText(key))?.wakeUps ?? [];
  }

  async set({ tenant, id }: ConversationKey, wakeUps: readonly WakeUp[]): Promise<void> {
    const key = { tenant, id };
    assertKey(key);
    assertWakeUps(wakeUps);
    if (wakeUps.length === 0) this.#kept.delete(keyText(key));
    else this.#kept.set(keyText(key), { key, wakeUps: [...wakeUps] });
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
