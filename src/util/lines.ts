const NEWLINE = 0x0a;

export interface LineLimit {
  readonly maxBytes: number;
  /** Gets the length of a longer line instead of the line. Its bytes are not kept. */
  onTooLong(bytes: number): void;
}

/** Cuts bytes into lines at `\n`. A line is decoded when it is whole, so no character is torn. */
export class LineSplitter {
  readonly #limit: LineLimit | undefined;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(limit?: LineLimit) {
    this.#limit = limit;
  }

  /** Bytes after the last newline. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The lines that this chunk completes, without their newline. */
  *push(chunk: Buffer): Generator<string, void> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      const line = this.takeRest();
      if (line !== undefined) yield line;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** Takes what came after the last newline; `undefined` for a line over the limit. */
  takeRest(): string | undefined {
    const bytes = this.#bytes;
    const [only] = this.#pieces;
    const whole = this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    if (this.#limit === undefined || bytes <= this.#limit.maxBytes) return whole?.toString('utf8') ?? '';
    this.#limit.onTooLong(bytes);
    return undefined;
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length;
    const isTooLong = this.#limit !== undefined && this.#bytes > this.#limit.maxBytes;
    if (isTooLong) this.#pieces = [];
    else this.#pieces.push(piece);
  }
}
