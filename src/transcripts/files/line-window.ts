import type { FileHandle } from 'node:fs/promises';

const WINDOW_BYTES = 1_048_576;

/** Positioned reads that are mostly near each other and mostly go forward: one read serves many lines. */
export class LineWindow {
  readonly #file: FileHandle;
  readonly #buffer = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  #start = 0;
  #end = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** The bytes there when an earlier read brought them, good until the next {@link load}. */
  held(offset: number, length: number): Buffer | undefined {
    if (offset < this.#start || offset + length > this.#end) return undefined;
    return this.#buffer.subarray(offset - this.#start, offset - this.#start + length);
  }

  /** Reads the bytes there and what follows them. Fewer when the file has become shorter. */
  async load(offset: number, length: number): Promise<Buffer> {
    if (length > WINDOW_BYTES) {
      const line = Buffer.allocUnsafeSlow(length);
      return line.subarray(0, await this.#fill(line, offset));
    }
    this.#start = offset;
    this.#end = offset;
    this.#end += await this.#fill(this.#buffer, offset);
    return this.#buffer.subarray(0, Math.min(length, this.#end - offset));
  }

  async #fill(buffer: Buffer, position: number): Promise<number> {
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await this.#file.read(
        buffer,
        length,
        buffer.length - length,
        position + length,
      );
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return length;
  }
}
