/** The fake CLI's stdin and stdout: synchronous reads and writes, which block as a full pipe asks for. */
import { readSync, writeSync } from 'node:fs';
import { idOf } from './frames.mjs';

const STDIN = 0;
const STDOUT = 1;
const CHUNK_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** Frames from stdin, by blocking reads. */
export class Input {
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #rest = '';
  #frames = [];

  /** The next frame; `undefined` at the end of input. */
  next() {
    while (this.#frames.length === 0) {
      if (!this.#read()) return undefined;
    }
    return this.#frames.shift();
  }

  /** Bytes as they come, not looked at. */
  raw() {
    const length = readSync(STDIN, this.#chunk);
    return Buffer.from(this.#chunk.subarray(0, length));
  }

  #read() {
    const length = readSync(STDIN, this.#chunk);
    if (length === 0) return false;
    const lines = (this.#rest + this.#chunk.toString('utf8', 0, length)).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) this.#frames.push(JSON.parse(line));
    return true;
  }
}

/** Control requests as bytes, written in order. */
export class PreparedRequests {
  #bytes;
  /** Where each request begins, and the end of the last. */
  #offsets = [0];
  #written = 0;

  constructor(total, toRequest) {
    const lines = [];
    for (let index = 0; index < total; index += 1) {
      const frame = { type: 'control_request', request_id: idOf(index), request: toRequest(index) };
      const line = Buffer.from(`${JSON.stringify(frame)}\n`);
      lines.push(line);
      this.#offsets.push(this.#offsets.at(-1) + line.length);
    }
    this.#bytes = Buffer.concat(lines);
  }

  /** The next `howMany`, or as many as there are left. */
  write(howMany) {
    const end = Math.min(this.#written + howMany, this.#offsets.length - 1);
    writeAll(this.#bytes.subarray(this.#offsets[this.#written], this.#offsets[end]));
    this.#written = end;
  }
}

export function countLines(chunk) {
  let count = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
    count += 1;
  }
  return count;
}

export function framesIn(chunks) {
  const lines = Buffer.concat(chunks).toString().split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

export function writeFrame(frame) {
  writeAll(Buffer.from(`${JSON.stringify(frame)}\n`));
}

export function writeAll(bytes) {
  for (let start = 0; start < bytes.length; ) {
    start += writeSync(STDOUT, bytes, start, Math.min(CHUNK_BYTES, bytes.length - start));
  }
}
