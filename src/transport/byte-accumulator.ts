/** Also the size of one read, so that the tail of a chunk always fits into the first block. */
const BLOCK_BYTES = 64 * 1024;
/** Blocks that are kept for the next line: lines of some 100 KB cost no allocation either. */
const KEPT_BLOCKS = 4;
const SCRATCH_BYTES = 1024 * 1024;

/** Where lines of more than one block are joined. One for all sessions, since a line is decoded at once. */
let scratch: Buffer | undefined;

/**
 * Collects the bytes of one unfinished line, which may arrive in thousands of chunks.
 *
 * The bytes are copied: a chunk's memory is reused by the next read. They are joined once, when the
 * line is complete, so a line of any length costs linear time. The first blocks are kept for the next
 * line, so the tail that almost every chunk has costs no allocation.
 */
export class ByteAccumulator {
  readonly #blocks: Buffer[] = [];
  /** Blocks that hold something. */
  #usedBlocks = 0;
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
      const last = this.#blocks[this.#usedBlocks - 1];
      if (last === undefined || this.#usedInLast === BLOCK_BYTES) {
        if (this.#usedBlocks === this.#blocks.length) {
          this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
        }
        this.#usedBlocks += 1;
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
    const length = this.#length;
    if (first === undefined || length === 0) return '';
    const text = (length <= BLOCK_BYTES ? first : this.#joined()).toString('utf8', 0, length);
    this.#blocks.length = Math.min(this.#blocks.length, KEPT_BLOCKS);
    this.#usedBlocks = 0;
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
    this.#usedBlocks = 0;
    this.#usedInLast = 0;
    this.#length = 0;
  }

  /** Everything held, from the begin of a buffer that the next line may overwrite. */
  #joined(): Buffer {
    const used = this.#blocks.slice(0, this.#usedBlocks);
    if (this.#length > SCRATCH_BYTES) return Buffer.concat(used, this.#length);
    scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES);
    let at = 0;
    for (const block of used)
      at += block.copy(scratch, at, 0, Math.min(BLOCK_BYTES, this.#length - at));
    return scratch;
  }
}
