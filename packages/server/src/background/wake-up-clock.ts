import type { ConversationKey } from '../stores/conversation-key.js';
import type { WakeUpStore } from './wake-up-store.js';

/** Conversations that are looked at in one go. Those that wait for a decision are among them, and must not hide others. */
const MAX = 1_000;

export interface WakeUpClockParams {
  readonly store: WakeUpStore;
  readonly everyMs: number;
  /** Must not reject. */
  readonly fire: (key: ConversationKey) => Promise<void>;
  readonly onFailure: () => void;
}

/** Looks from time to time for prompts that are due and that no process sends, until it is closed. */
export class WakeUpClock {
  readonly #params: WakeUpClockParams;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(params: WakeUpClockParams) {
    this.#params = params;
    this.#timer = setInterval(() => void this.look(), params.everyMs).unref();
  }

  /** One at a time. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Resolves when nothing is being started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { store, fire, onFailure } = this.#params;
    if (this.#isClosed) return;
    try {
      const keys = await store.due(Date.now(), MAX);
      await Promise.all(keys.map((key) => (this.#isClosed ? undefined : fire(key))));
    } catch {
      // Looked at again soon.
      onFailure();
    }
  }
}
