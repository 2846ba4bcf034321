import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationStore } from '../stores/conversation-store.js';

/** The right to write to a conversation, renewed for as long as it is held. */
export class Lease {
  readonly token: number;
  readonly #store: ConversationStore;
  readonly #key: ConversationKey;
  readonly #timer: NodeJS.Timeout;

  private constructor(
    store: ConversationStore,
    key: ConversationKey,
    token: number,
    ttlMs: number,
    onLost: () => void,
  ) {
    this.#store = store;
    this.#key = key;
    this.token = token;
    const renew = async (): Promise<void> => {
      const askedAt = Date.now();
      // A store that fails once is asked again; one that fails for long has let the lease pass.
      const isHeld = await store.renew(key, token, ttlMs).catch(() => undefined);
      if (isHeld === true) renewedAt = askedAt;
      if (isHeld === true || (isHeld === undefined && Date.now() < renewedAt + ttlMs)) return;
      clearInterval(this.#timer);
      onLost();
    };
    let renewedAt = Date.now();
    this.#timer = setInterval(renew, ttlMs / 3);
  }

  /** `undefined`: another host has it, or the conversation is gone. */
  static async take(
    store: ConversationStore,
    key: ConversationKey,
    ttlMs: number,
    onLost: () => void,
  ): Promise<Lease | undefined> {
    const token = await store.acquire(key, ttlMs);
    return token === undefined ? undefined : new Lease(store, key, token, ttlMs, onLost);
  }

  /** A lease that cannot be given back passes by itself. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#store.release(this.#key, this.token).catch(() => {});
  }
}
