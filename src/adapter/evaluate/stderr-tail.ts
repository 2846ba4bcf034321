const MAX_LINES = 20;
const MAX_LINE = 2_000;

/** The last 20 lines of what the CLI wrote to stderr. */
export class StderrTail {
  readonly #lines: string[] = [];
  readonly #clean: (text: string) => string;
  #open = '';

  /** @param clean - Takes secrets out of a line. */
  constructor(clean: (text: string) => string) {
    this.#clean = clean;
  }

  /** @param text - As it came; may begin and end inside a line. */
  add(text: string): void {
    const lines = (this.#open + text).split(/\r?\n/);
    // A line without an end must not grow for ever.
    this.#open = (lines.pop() ?? '').slice(-MAX_LINE);
    for (const line of lines) {
      if (line.trim() !== '') this.#lines.push(this.#clean(line).slice(0, MAX_LINE));
    }
    this.#lines.splice(0, this.#lines.length - MAX_LINES);
  }

  get lines(): string[] {
    const open = this.#open.trim() === '' ? [] : [this.#clean(this.#open)];
    return [...this.#lines, ...open].slice(-MAX_LINES);
  }
}
