import { type ConversationKey, keyText } from '../stores/conversation-key.js';
import type { WakeUpStore } from './wake-up-store.js';

/** Conversations that are looked at in one go, besides those whose prompt could not be sent at the last look. */
const AT_ONCE = 1_000;

export interface WakeUpClockParams {
  readonly store: WakeUpStore;
  readonly everyMs: number;
  /** Sends what is due in a conversation. False: it was not sent, and is tried again. Must not reject. */
  readonly fire: (key: ConversationKey) => Promise<boolean>;
  readonly onFailure: () => void;
}

/**
 * Looks from time to time for prompts that are due and that no process sends, until it is closed. A conversation whose process
 * is slow to start, or whose prompt has to wait, holds up no other.
 */
export class WakeUpClock {
  readonly #params: WakeUpClockParams;
  readonly #timer: NodeJS.Timeout;
  readonly #firing = new Map<string, Promise<void>>();
  /** Those that could not be sent. The store names them first at each look. */
  readonly #waiting = new Set<string>();
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(params: WakeUpClockParams) {
    this.#params = params;
    this.#timer = setInterval(() => void this.look(), params.everyMs).unref();
  }

  /** One at a time. Does not wait for what it sends. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** From now on nothing more is sent. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  /** Resolves when nothing is on its way. */
  async settled(): Promise<void> {
    await this.#looking;
    await Promise.all(this.#firing.values());
  }

  async #look(): Promise<void> {
    const { store, onFailure } = this.#params;
    if (this.#isClosed) return;
    try {
      const keys = await store.due(Date.now(), AT_ONCE + this.#waiting.size + this.#firing.size);
      const names = new Set(keys.map(keyText));
      for (const name of this.#waiting) if (!names.has(name)) this.#waiting.delete(name);
      for (const key of keys) this.#fire(key);
    } catch {
      // Looked at again soon.
      onFailure();
    }
  }

  #fire(key: ConversationKey): void {
    const name = keyText(key);
    if (this.#isClosed || this.#firing.has(name)) return;
    const firing = this.#params.fire(key).then((isSent) => {
      this.#firing.delete(name);
      if (isSent) this.#waiting.delete(name);
      else this.#waiting.add(name);
    });
    this.#firing.set(name, firing);
  }
}
