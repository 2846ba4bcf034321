import { constants, isAscii } from 'node:buffer';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const EXCERPT_BYTES = 100;
/** As long as one read, so that the tail of a chunk always fits into the first block. */
const BLOCK_BYTES = 64 * 1024;
/** Kept for the next line, so that lines of some 100 KB need no allocation. */
const KEPT_BLOCKS = 4;
const SCRATCH_BYTES = 1024 * 1024;

/** For joining lines of more than one block. All sessions share it, because a joined line is decoded at once. */
let scratch: Buffer | undefined;

/** Receives the lines of a {@link LineDecoder}. */
export interface LineSink {
  /** Once per line, in order, without its terminator. `bytes` is its length before decoding. */
  onLine(text: string, bytes: number): void;
  /** At most once and last: a line is longer than the limit. `excerpt` is its beginning. */
  onOverflow(excerpt: string): void;
}

/**
 * Cuts a stream of bytes into lines of text. Pure: no I/O, no clock. A line ends with `\n`, `\r\n` or a lone `\r`;
 * U+2028 and U+2029 are ordinary characters. Invalid UTF-8 becomes U+FFFD. The lines do not depend on how the bytes are
 * cut into chunks. The memory of a chunk may be reused as soon as `push` has returned.
 */
export class LineDecoder {
  readonly #sink: LineSink;
  readonly #maxLineBytes: number;
  readonly #tail = new ByteAccumulator();
  /** The last byte was `\r`, so a `\n` right after it does not end another line. */
  #skipLineFeed = false;
  #stopped = false;

  /** @param maxLineBytes - The longest line, without its terminator. */
  constructor(sink: LineSink, maxLineBytes: number) {
    this.#sink = sink;
    // A string cannot be longer than this.
    this.#maxLineBytes = Math.min(maxLineBytes, constants.MAX_STRING_LENGTH);
  }

  push(chunk: Buffer): void {
    if (this.#stopped) return;
    if (this.#skipLineFeed || chunk.includes(CARRIAGE_RETURN)) this.#pushWithReturns(chunk);
    else this.#pushLineFeeds(chunk);
  }

  /** Returns the text after the last terminator. `undefined`: there is none. */
  end(): { readonly text: string; readonly bytes: number } | undefined {
    const bytes = this.#tail.length;
    if (this.#stopped || bytes === 0) return undefined;
    return { text: this.#tail.take(), bytes };
  }

  /** Drops everything from now on, including the rest of the current chunk. */
  stop(): void {
    this.#stopped = true;
    this.#tail.clear();
  }

  #pushLineFeeds(chunk: Buffer): void {
    let start = 0;
    if (this.#tail.length > 0) {
      const lineFeed = chunk.indexOf(LINE_FEED);
      if (lineFeed === -1) {
        this.#keep(chunk, 0, chunk.length);
        return;
      }
      this.#finishTail(chunk, 0, lineFeed);
      start = lineFeed + 1;
    }
    const last = chunk.lastIndexOf(LINE_FEED);
    if (last >= start) {
      this.#decodeWholeLines(chunk, start, last);
      start = last + 1;
    }
    if (start < chunk.length) this.#keep(chunk, start, chunk.length);
  }

  /** `chunk[start, end)` has whole lines. The terminator of the last one is at `end`. */
  #decodeWholeLines(chunk: Buffer, start: number, end: number): void {
    // ASCII is decoded at once, because a character is a byte. Other text is decoded line by line,
    // so that one emoji does not turn hundreds of frames into two-byte strings.
    if (isAscii(chunk.subarray(start, end))) {
      const text = chunk.toString('latin1', start, end);
      let from = 0;
      let lineFeed = text.indexOf('\n');
      while (lineFeed !== -1 && !this.#stopped) {
        this.#emit(text.slice(from, lineFeed), lineFeed - from);
        from = lineFeed + 1;
        lineFeed = text.indexOf('\n', from);
      }
      this.#emit(from === 0 ? text : text.slice(from), text.length - from);
      return;
    }
    let from = start;
    while (from <= end && !this.#stopped) {
      const lineFeed = chunk.indexOf(LINE_FEED, from);
      this.#emit(chunk.toString('utf8', from, lineFeed), lineFeed - from);
      from = lineFeed + 1;
    }
  }

  /** Only for chunks with a `\r`. Byte by byte, so that a chunk of terminators takes linear time. */
  #pushWithReturns(chunk: Buffer): void {
    let start = 0;
    let isAfterReturn = this.#skipLineFeed;
    for (let at = 0; at < chunk.length && !this.#stopped; at += 1) {
      const byte = chunk[at];
      const isLineFeed = byte === LINE_FEED;
      const isReturn = byte === CARRIAGE_RETURN;
      if (isLineFeed || isReturn) {
        if (!(isLineFeed && isAfterReturn)) this.#finishLine(chunk, start, at);
        start = at + 1;
      }
      isAfterReturn = isReturn;
    }
    this.#skipLineFeed = isAfterReturn;
    if (start < chunk.length) this.#keep(chunk, start, chunk.length);
  }

  #finishLine(chunk: Buffer, start: number, end: number): void {
    if (this.#tail.length > 0) this.#finishTail(chunk, start, end);
    else this.#emit(start === end ? '' : chunk.toString('utf8', start, end), end - start);
  }

  #finishTail(chunk: Buffer, start: number, end: number): void {
    this.#keep(chunk, start, end);
    if (this.#stopped) return;
    const bytes = this.#tail.length;
    this.#sink.onLine(this.#tail.take(), bytes);
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    if (this.#stopped) return;
    if (this.#tail.length + end - start > this.#maxLineBytes) {
      this.#tail.append(chunk, start, Math.min(end, start + EXCERPT_BYTES));
      this.#overflow(this.#tail.peek(EXCERPT_BYTES));
      return;
    }
    this.#tail.append(chunk, start, end);
  }

  #emit(text: string, bytes: number): void {
    if (this.#stopped) return;
    if (bytes > this.#maxLineBytes) this.#overflow(text);
    else this.#sink.onLine(text, bytes);
  }

  #overflow(text: string): void {
    this.stop();
    this.#sink.onOverflow(text.slice(0, EXCERPT_BYTES));
  }
}

/**
 * Collects the bytes of one unfinished line, which may arrive in thousands of chunks. It copies the bytes, because the
 * next read reuses the memory of the chunk, and joins them once, so that a line of any length takes linear time. It
 * keeps the first blocks for the next line: almost every chunk ends in the middle of a line, and that should cost no
 * allocation.
 */
class ByteAccumulator {
  readonly #blocks: Buffer[] = [];
  /** Blocks with content. */
  #usedBlocks = 0;
  #usedInLast = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends a copy of `source[start, end)`. */
  append(source: Buffer, start: number, end: number): void {
    this.#length += end - start;
    let from = start;
    while (from < end) {
      const last = this.#blocks[this.#usedBlocks - 1];
      if (last === undefined || this.#usedInLast === BLOCK_BYTES) {
        if (this.#usedBlocks === this.#blocks.length) this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
        this.#usedBlocks += 1;
        this.#usedInLast = 0;
        continue;
      }
      const copied = source.copy(last, this.#usedInLast, from, end);
      this.#usedInLast += copied;
      from += copied;
    }
  }

  /** Returns the content decoded as UTF-8 (invalid bytes become U+FFFD), and forgets it. */
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

  /** The beginning, decoded. At most one block. */
  peek(maxBytes: number): string {
    return this.#blocks[0]?.toString('utf8', 0, Math.min(maxBytes, this.#length)) ?? '';
  }

  /** Forgets the content and frees the memory. */
  clear(): void {
    this.#blocks.length = 0;
    this.#usedBlocks = 0;
    this.#usedInLast = 0;
    this.#length = 0;
  }

  /** The content at the start of a buffer, which the next line may overwrite. */
  #joined(): Buffer {
    const used = this.#blocks.slice(0, this.#usedBlocks);
    if (this.#length > SCRATCH_BYTES) return Buffer.concat(used, this.#length);
    scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES);
    let at = 0;
    for (const block of used) at += block.copy(scratch, at, 0, Math.min(BLOCK_BYTES, this.#length - at));
    return scratch;
  }
}
