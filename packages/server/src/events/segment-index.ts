import { type FileHandle, open, stat } from 'node:fs/promises';
import { unlessMissing } from '../stores/file-errors.js';

/** A place is remembered for each so many lines. */
const STRIDE = 64;
const CHUNK = 64 * 1024;
const NEWLINE = 10;

/**
 * Where the lines of one file begin, so that a page of it is read and nothing else. Only what was appended since the last
 * look is looked at. Whole lines count: what a crash left at the end does not.
 */
export class SegmentIndex {
  readonly #path: string;
  /** Where line `n * STRIDE` begins. */
  #marks: number[] = [0];
  /** Of whole lines. */
  #bytes = 0;
  #lines = 0;
  /** Of the file, as far as it was looked at. */
  #seen = 0;
  /** The number that the file system has for it. */
  #file: number | undefined;
  #looking: Promise<boolean> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  get lines(): number {
    return this.#lines;
  }

  /** @returns false where there is no such file. Everybody who asks while it looks shares the answer. */
  look(): Promise<boolean> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Lines as text. `undefined` where the file has gone meanwhile. To be called after {@link look}. */
  async read(start: number, count: number): Promise<readonly string[] | undefined> {
    const end = Math.min(this.#lines, start + count);
    if (end <= start) return [];
    const mark = Math.floor(start / STRIDE);
    const from = this.#marks[mark] ?? 0;
    const to = this.#marks[Math.ceil(end / STRIDE)] ?? this.#bytes;
    const handle = await unlessMissing(open(this.#path, 'r'));
    if (handle === undefined) return undefined;
    try {
      const text = (await readBytes(handle, from, to)).toString('utf8');
      const skip = start - mark * STRIDE;
      return text.split('\n').slice(skip, skip + end - start);
    } finally {
      await handle.close();
    }
  }

  async #look(): Promise<boolean> {
    const found = await unlessMissing(stat(this.#path));
    if (found === undefined) return false;
    const { size, ino } = found;
    if (size === this.#seen && ino === this.#file) return true;
    // It was cut off after a crash, or a host that took over has put another one in its place.
    if (size < this.#seen || ino !== this.#file) this.#forget();
    this.#file = ino;
    const handle = await unlessMissing(open(this.#path, 'r'));
    if (handle === undefined) return false;
    try {
      for (let at = this.#bytes; at < size; ) {
        const chunk = await readBytes(handle, at, Math.min(size, at + CHUNK));
        if (chunk.length === 0) break;
        this.#count(chunk, at);
        at += chunk.length;
      }
      this.#seen = size;
    } finally {
      await handle.close();
    }
    return true;
  }

  #count(chunk: Buffer, at: number): void {
    for (let index = chunk.indexOf(NEWLINE); index >= 0; index = chunk.indexOf(NEWLINE, index + 1)) {
      this.#lines += 1;
      this.#bytes = at + index + 1;
      if (this.#lines % STRIDE === 0) this.#marks.push(this.#bytes);
    }
  }

  #forget(): void {
    this.#marks = [0];
    this.#bytes = 0;
    this.#lines = 0;
    this.#seen = 0;
  }
}

async function readBytes(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(to - from);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
