import { once } from 'node:events';
import { closeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { OutputSink } from './play-io.js';

/** Standard output or error of this process. */
export class ProcessOutput implements OutputSink {
  readonly #stream: Writable;
  readonly #fd: number;
  #isClosed = false;

  constructor(stream: Writable, fd: number) {
    this.#stream = stream;
    this.#fd = fd;
    // The reader has gone: what is written from now on is lost, as it is for the CLI.
    stream.on('error', () => {
      this.#isClosed = true;
    });
  }

  write(bytes: Uint8Array | string): Promise<void> | undefined {
    return this.#isClosed || this.#stream.write(bytes) ? undefined : this.#drained();
  }

  flush(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed) resolve();
      else this.#stream.write('', () => resolve());
    });
  }

  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    // Node never closes the descriptor of `process.stdout`, not even on `destroy()`.
    closeSync(this.#fd);
  }

  async #drained(): Promise<void> {
    // 'close' too: a reader that goes away must not leave the play waiting.
    const waiting = new AbortController();
    await Promise.race([
      once(this.#stream, 'drain', { signal: waiting.signal }).catch(() => {}),
      once(this.#stream, 'close', { signal: waiting.signal }).catch(() => {}),
    ]);
    waiting.abort();
  }
}
