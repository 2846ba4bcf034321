/** Keeps the end of what is said in sight, unless the reader has scrolled away from it. One layout a frame. */
export class EndKeeper {
  #log;
  #top = 0;
  #height = 0;
  #isAtEnd = true;
  #isAsked = false;

  /** @param {HTMLElement} log */
  constructor(log) {
    this.#log = log;
    log.addEventListener('scroll', () => this.#scrolled(), { passive: true });
  }

  /** What is shown has changed. */
  changed() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => {
      this.#isAsked = false;
      this.#follow();
    });
  }

  /** The reader has written, or opened a conversation. */
  toEnd() {
    this.#isAtEnd = true;
    this.changed();
  }

  #follow() {
    if (!this.#isAtEnd) return;
    const { scrollHeight } = this.#log;
    this.#log.scrollTop = scrollHeight;
    this.#top = this.#log.scrollTop;
    // What has come into sight is now laid out, and may be higher than it was taken for.
    if (scrollHeight !== this.#height) this.changed();
    this.#height = scrollHeight;
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.#log;
    if (scrollHeight - scrollTop - clientHeight < 80) this.#isAtEnd = true;
    else if (scrollTop < this.#top) this.#isAtEnd = false;
    this.#top = scrollTop;
  }
}
