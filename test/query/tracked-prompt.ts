import type { SDKUserMessage } from '../../src/index.js';

/** A prompt of these items that then stays open, and says what was done with it. */
export class TrackedPrompt implements AsyncIterable<SDKUserMessage> {
  pulled = 0;
  returned = 0;
  readonly #items: readonly unknown[];
  readonly #onReturn: () => unknown;

  /** @param onReturn - What the iterable's `return()` does. */
  constructor(items: readonly unknown[], onReturn: () => unknown = () => {}) {
    this.#items = items;
    this.#onReturn = onReturn;
  }

  [Symbol.asyncIterator](): AsyncIterator<SDKUserMessage> {
    return {
      next: () => {
        const value = this.#items[this.pulled];
        this.pulled += 1;
        if (this.pulled > this.#items.length) return new Promise(() => {});
        // Tests also hold items that the type does not allow.
        return Promise.resolve({ value: value as SDKUserMessage, done: false });
      },
      return: async () => {
        this.returned += 1;
        await this.#onReturn();
        return { value: undefined, done: true };
      },
    };
  }
}

export function userItem(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}
