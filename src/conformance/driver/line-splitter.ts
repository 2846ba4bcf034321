/** Cuts bytes into lines. A line is kept in pieces until its newline comes. */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** Length of what came after the last newline. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What came after the last newline, to show it. */
  get rest(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }

  /** The lines that this chunk completes. */
  *push(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      this.#pieces.push(chunk.subarray(from, at));
      const line = Buffer.concat(this.#pieces).toString('utf8');
      this.#pieces = [];
      this.#bytes = 0;
      from = at + 1;
      yield line;
    }
    this.#pieces.push(chunk.subarray(from));
    this.#bytes += chunk.length - from;
  }
}
