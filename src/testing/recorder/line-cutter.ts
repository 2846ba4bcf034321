const NEWLINE = 10;
/** A longer line is passed on like any other, and left out of the recording. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** One line without its newline; `undefined` text for a line that is too long to keep. */
export interface CutLine {
  readonly text: string | undefined;
  readonly bytes: number;
  /** The stream ended before its newline came. */
  readonly isPartial?: true;
}

/** Cuts bytes into lines. A line's bytes are joined once, when its newline comes. */
export class LineCutter {
  readonly #onLine: (line: CutLine) => void;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(onLine: (line: CutLine) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      this.#add(chunk.subarray(start, end));
      this.#emit();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** Hands over what stands after the last newline. */
  end(): void {
    if (this.#bytes > 0) this.#emit(true);
  }

  #add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > MAX_LINE_BYTES) this.#parts = [];
    else this.#parts.push(part);
  }

  #emit(isPartial = false): void {
    const { length } = this.#parts;
    const whole = length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    const bytes = this.#bytes;
    this.#parts = [];
    this.#bytes = 0;
    this.#onLine({
      text: bytes > MAX_LINE_BYTES ? undefined : (whole?.toString('utf8') ?? ''),
      bytes,
      ...(isPartial ? { isPartial } : {}),
    });
  }
}
