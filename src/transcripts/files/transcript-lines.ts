import type { FileHandle } from 'node:fs/promises';
import { parseJsonObject } from '../../util/json.js';
import type { TranscriptEntry } from '../transcript/entry.js';

const CHUNK_BYTES = 512 * 1024;
const NEWLINE = 0x0a;

/** Longer lines are skipped: they do not fit a string. The CLI's longest hold an image or a file, some tens of MiB. */
const MAX_LINE_BYTES = 256 * 1_048_576;

/** One line, not empty. */
export interface TranscriptLine {
  /** Without the newline. A view of the reader's buffer, valid until the next batch. */
  readonly bytes: Buffer;
  /** Its offset in the file. */
  readonly offset: number;
}

/** The lines that end in one chunk of a file. */
export interface LineBatch {
  readonly lines: readonly TranscriptLine[];
  /** Offset of the first byte after the last of them. */
  readonly end: number;
}

export interface LinesOptions {
  /** @defaultValue `0` */
  readonly start?: number;
  /** False: text after the last newline is left out. @defaultValue `true` */
  readonly isLastWhole?: boolean;
  readonly maxLineBytes?: number;
}

/** Reads the lines of a file from `start` to its end, a chunk at a time. */
export async function* transcriptLines(
  file: FileHandle,
  { start = 0, isLastWhole = true, maxLineBytes = MAX_LINE_BYTES }: LinesOptions = {},
): AsyncGenerator<LineBatch, void, void> {
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  const open = new OpenLine(maxLineBytes);
  let position = start;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    const lines: TranscriptLine[] = [];
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from);
      if (end === -1 || end >= bytesRead) break;
      const bytes = open.close(chunk.subarray(from, end));
      if (bytes !== undefined) lines.push({ bytes, offset: position + end - bytes.length });
      from = end + 1;
    }
    if (from > 0) yield { lines, end: position + from };
    if (from < bytesRead) open.add(chunk.subarray(from, bytesRead));
    position += bytesRead;
  }
  const last = isLastWhole ? open.close(chunk.subarray(0, 0)) : undefined;
  if (last === undefined) return;
  yield { lines: [{ bytes: last, offset: position - last.length }], end: position };
}

/** The entries of a batch. */
export function entriesOf({ lines }: LineBatch): TranscriptEntry[] {
  return lines.flatMap(({ bytes }) => parseLine(bytes) ?? []);
}

/** The entry on a line; `undefined` for anything else, such as a line that a crash cut. */
export function parseLine(line: Buffer | string): TranscriptEntry | undefined {
  // `type` is not checked: callers compare it with the types they know.
  return parseJsonObject(withoutNuls(line.toString())) as TranscriptEntry | undefined;
}

/** A machine that lost its power leaves NULs at the end of a file, and the next line is written behind them. */
function withoutNuls(text: string): string {
  if (text[0] !== '\0') return text;
  let from = 1;
  while (text[from] === '\0') from += 1;
  return text.slice(from);
}

/** A line whose end has not been read. Its parts are joined once. */
class OpenLine {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes) this.#parts = [];
    else this.#parts.push(Buffer.from(part));
  }

  /** The whole line. `undefined` for an empty one and for one that is too long. */
  close(part: Buffer): Buffer | undefined {
    const length = this.#length + part.length;
    const bytes = this.#parts.length === 0 ? part : Buffer.concat([...this.#parts, part], length);
    this.#parts = [];
    this.#length = 0;
    return length === 0 || length > this.#maxBytes ? undefined : bytes;
  }
}
