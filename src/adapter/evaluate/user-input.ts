import type { SDKUserMessage } from '../../index.js';

/** User messages, one at a time, for as long as nobody ends them. */
export class UserInput implements AsyncIterable<SDKUserMessage> {
  readonly #queue: SDKUserMessage[] = [];
  readonly #sessionId: string;
  #wake = (): void => {};
  #ended = false;

  /** @param sessionId - Goes into each frame. The CLI does not act on it. */
  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  send(content: string): void {
    this.#queue.push({
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      session_id: this.#sessionId,
    });
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<SDKUserMessage> {
    for (;;) {
      const next = this.#queue.shift();
      if (next !== undefined) yield next;
      else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
