import { once } from 'node:events';
import { closeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cuts } from '../scenario/scenario-types.js';

const DEFAULT_GAP_MS = 5;
const STDOUT = 1;

/** Writes to stdout or stderr: whole, or in pieces that reach the reader one by one. */
export class PieceWriter {
  readonly #stream: Writable;
  #isClosed = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    // The reader has gone: what is written from now on is lost, as it is for the CLI.
    stream.on('error', () => {
      this.#isClosed = true;
    });
  }

  /** Resolves when the pipe takes more. */
  async write(bytes: Uint8Array | string, cuts: Cuts = {}): Promise<void> {
    if (cuts.cut === undefined) return this.#push(bytes);
    const whole = Buffer.from(bytes);
    let start = 0;
    for (const end of [...offsets(cuts.cut, whole.length), whole.length]) {
      await this.#push(whole.subarray(start, end));
      // The pause lets the reader wake up, so that it sees this piece alone.
      if (end < whole.length) await delay(cuts.gapMs ?? DEFAULT_GAP_MS);
      start = end;
    }
  }

  /** Resolves when everything has left, or the reader is gone. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed) resolve();
      else this.#stream.write('', () => resolve());
    });
  }

  /** Gives the reader its end of file after what was written. */
  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    // Node never closes the descriptor of `process.stdout`, not even on `destroy()`.
    closeSync(STDOUT);
  }

  async #push(bytes: Uint8Array | string): Promise<void> {
    if (this.#isClosed || this.#stream.write(bytes)) return;
    // 'close' too: a reader that goes away must not leave the play waiting.
    const waiting = new AbortController();
    await Promise.race([
      once(this.#stream, 'drain', { signal: waiting.signal }).catch(() => {}),
      once(this.#stream, 'close', { signal: waiting.signal }).catch(() => {}),
    ]);
    waiting.abort();
  }
}

function offsets(cut: number | readonly number[], length: number): readonly number[] {
  if (typeof cut !== 'number') return cut.filter((at) => at < length);
  return Array.from({ length: Math.ceil(length / cut) - 1 }, (_, index) => (index + 1) * cut);
}
