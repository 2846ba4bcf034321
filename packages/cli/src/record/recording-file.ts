import {
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { codeOf } from '../../../../src/util/error-code.js';
import type { JsonObject } from '../../../../src/util/json.js';

const PRIVATE = 0o600;
const FIRST_LINE_BYTES = 256 * 1024;
const NEWLINE = 10;

/**
 * One recording, open for appending. Several processes may write to one file: the first one writes the first line, and
 * it is complete before anybody can append to it.
 */
export class RecordingFile {
  readonly #fd: number;
  /** When the recording began, in milliseconds since the epoch. */
  readonly startedAt: number;
  #failure: Error | undefined;

  /** @throws Error the file cannot be made or read. */
  constructor(path: string, firstLine: () => JsonObject) {
    createWith(path, firstLine);
    this.#fd = openSync(path, 'a+', PRIVATE);
    this.startedAt = this.#readStart();
    // A recorder that was killed may have left half a line: what follows starts on its own.
    if (!this.#endsWithNewline()) this.append('\n');
  }

  /** What kept the file from being written; recording stopped there, and passing on did not. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Appends whole lines, in one write. */
  append(lines: string): void {
    if (this.#failure !== undefined) return;
    try {
      let bytes = Buffer.from(lines);
      // A file that is opened for appending takes a write as a whole, unless the disk is full.
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(this.#fd, bytes));
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #readStart(): number {
    const buffer = Buffer.alloc(FIRST_LINE_BYTES);
    const length = readSync(this.#fd, buffer, 0, FIRST_LINE_BYTES, 0);
    const date = /"date":"([^"]+)"/.exec(buffer.toString('utf8', 0, length))?.[1];
    return date === undefined ? Date.now() : Date.parse(date);
  }

  #endsWithNewline(): boolean {
    const { size } = fstatSync(this.#fd);
    const last = Buffer.alloc(1);
    readSync(this.#fd, last, 0, 1, size - 1);
    return last[0] === NEWLINE;
  }
}

/** A link appears with its content, or not at all. */
function createWith(path: string, firstLine: () => JsonObject): void {
  if (existsSync(path)) return;
  const draft = `${path}.${process.pid}.tmp`;
  const line = `${JSON.stringify({ t: 0, dir: 'meta', data: firstLine() })}\n`;
  try {
    writeFileSync(draft, line, { mode: PRIVATE });
    linkSync(draft, path);
  } catch (error) {
    // Another process was quicker.
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
