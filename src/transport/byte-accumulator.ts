/** Also the size of one read, so that the tail of a chunk always fits into the first block. */
const BLOCK_BYTES = 64 * 1024;

/**
 * Collects the bytes of one unfinished line, which may arrive in thousands of chunks.
 *
 * The bytes are copied: a chunk's memory is reused by the next read. They are joined once, when the
 * line is complete, so a line of any length costs linear time. The first block is kept for the next
 * line, so the tail that almost every chunk has costs no allocation.
 */
export class ByteAccumulator {
  readonly #blocks: Buffer[] = [];
  #usedInLast = 0;
  #length = 0;

  /** Bytes held. */
  get length(): number {
    return this.#length;
  }

  /** Copies `source[start, end)` behind what is held. */
  append(source: Buffer, start: number, end: number): void {
    this.#length += end - start;
    let from = start;
    while (from < end) {
      const last = this.#blocks.at(-1);
      if (last === undefined || this.#usedInLast === BLOCK_BYTES) {
        this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
        this.#usedInLast = 0;
        continue;
      }
      const copied = source.copy(last, this.#usedInLast, from, end);
      this.#usedInLast += copied;
      from += copied;
    }
  }

  /** Decodes everything held as UTF-8 (invalid bytes become U+FFFD) and forgets it. */
  take(): string {
    const [first] = this.#blocks;
    if (first === undefined || this.#length === 0) return '';
    const text =
      this.#length <= BLOCK_BYTES
        ? first.toString('utf8', 0, this.#length)
        : Buffer.concat(this.#blocks, this.#length).toString('utf8');
    this.#blocks.length = 1;
    this.#usedInLast = 0;
    this.#length = 0;
    return text;
  }

  /** How it begins, decoded. At most one block. */
  peek(maxBytes: number): string {
    return this.#blocks[0]?.toString('utf8', 0, Math.min(maxBytes, this.#length)) ?? '';
  }

  /** Forgets everything and lets the memory go. */
  clear(): void {
    this.#blocks.length = 0;
    this.#usedInLast = 0;
    this.#length = 0;
  }
}
