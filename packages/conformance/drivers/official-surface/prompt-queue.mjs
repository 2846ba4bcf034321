/** The messages of a streaming prompt. A push is done when the SDK has pulled the message. */
export class PromptQueue {
  #items = [];
  #wake = () => {};

  /** Resolves when the SDK has taken the message, or will never take it. */
  push(message) {
    return new Promise((taken) => {
      this.#items.push({ message, taken });
      this.#wake();
    });
  }

  end() {
    this.#items.push(undefined);
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      if (this.#items.length === 0) {
        await new Promise((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      const item = this.#items.shift();
      if (item === undefined) return;
      item.taken();
      yield item.message;
    }
  }

  /** Nobody will pull any more. */
  abandon() {
    for (const item of this.#items.splice(0)) item?.taken();
    this.end();
  }
}
