import type { SDKUserMessage } from '../../../src/parser/message.js';
import { createDeferred } from '../../../src/util/deferred.js';

export function userMessage(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' };
}

/** Streaming input that holds the next message back until the turn before it is over. */
export class UserTurns implements AsyncIterable<SDKUserMessage> {
  readonly #texts: readonly string[];
  #turnOver = createDeferred<void>();

  constructor(...texts: readonly string[]) {
    this.#texts = texts;
  }

  /** Call it at each result. */
  next(): void {
    this.#turnOver.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage, void> {
    for (const text of this.#texts) {
      yield userMessage(text);
      await this.#turnOver.promise;
      this.#turnOver = createDeferred<void>();
    }
  }
}
