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

/** Receives what a {@link LineDecoder} finds. */
export interface LineSink {
  /** Once per line, in order, without its terminator. `bytes` is its length before decoding. */
  onLine(text: string, bytes: number): void;
  /** At most once and last: a line, finished or not, is longer than the limit. `excerpt` is how it begins. */
  onOverflow(excerpt: string): void;
}

/**
 * Cuts a stream of bytes into lines of text. Pure: no I/O, no clock.
 *
 * A line ends with `\n`, `\r\n` or a lone `\r`; U+2028 and U+2029 are ordinary characters. Invalid
 * UTF-8 becomes U+FFFD. Where the bytes are cut into chunks never changes the lines. A chunk's
 * memory may be reused as soon as `push` has returned.
 */
export class LineDecoder {
  readonly #sink: LineSink;
  readonly #maxLineBytes: number;
  readonly #tail = new ByteAccumulator();
  /** The last byte seen was `\r`, so a `\n` that follows is no line of its own. */
  #skipLineFeed = false;
  #stopped = false;

  /** @param maxLineBytes - Bounds one line, terminator not counted. A line of exactly that length passes. */
  constructor(sink: LineSink, maxLineBytes: number) {
    this.#sink = sink;
    // Longer text than this does not fit into one string.
    this.#maxLineBytes = Math.min(maxLineBytes, constants.MAX_STRING_LENGTH);
  }

  push(chunk: Buffer): void {
    if (this.#stopped) return;
    if (this.#skipLineFeed || chunk.includes(CARRIAGE_RETURN)) this.#pushWithReturns(chunk);
    else this.#pushLineFeeds(chunk);
  }

  /** Hands out what stands behind the last terminator. `undefined`: nothing does. */
  end(): { readonly text: string; readonly bytes: number } | undefined {
    const bytes = this.#tail.length;
    if (this.#stopped || bytes === 0) return undefined;
    return { text: this.#tail.take(), bytes };
  }

  /** From now on nothing is decoded or reported, also not the rest of the chunk at hand. */
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

  /** `chunk[start, end)` holds whole lines; the terminator of the last one stands at `end`. */
  #decodeWholeLines(chunk: Buffer, start: number, end: number): void {
    // ASCII: one decoding for all, and a character is a byte. Otherwise line by line, so that
    // one emoji does not turn hundreds of frames into two-byte strings.
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

  /** Taken only where a `\r` is. Byte by byte, so that a chunk of nothing but terminators costs linear time. */
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
 * Collects the bytes of one unfinished line, which may arrive in thousands of chunks.
 *
 * The bytes are copied: a chunk's memory is reused by the next read. They are joined once, when the
 * line is complete, so a line of any length costs linear time. The first blocks are kept for the next
 * line, so the tail that almost every chunk has costs no allocation.
 */
class ByteAccumulator {
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
