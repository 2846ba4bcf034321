import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** So much is what a reader has to take within `slowReaderMs`, however big the event is. */
const PIECE = 64 * 1024;

export interface Pace {
  /** A reader that takes nothing for so long is cut off. */
  readonly slowReaderMs: number;
  /** The connection is gone. Aborted here when the reader is too slow. */
  readonly gone: AbortController;
}

/** Writes as fast as the reader takes it. @throws AbortError the reader is gone, or too slow. */
export async function pacedWrite(to: Writable, chunk: Uint8Array, pace: Pace): Promise<void> {
  for (let start = 0; start < chunk.byteLength; start += PIECE) {
    pace.gone.signal.throwIfAborted();
    if (!to.write(chunk.subarray(start, start + PIECE))) await inTime(to, 'drain', pace);
  }
}

/** Ends it, and resolves when the reader has everything. @throws AbortError as {@link pacedWrite}. */
export async function pacedEnd(to: Writable, pace: Pace): Promise<void> {
  to.end();
  if (!to.writableFinished) await inTime(to, 'finish', pace);
}

async function inTime(to: Writable, event: 'drain' | 'finish', { slowReaderMs, gone }: Pace): Promise<void> {
  // A timer, which nothing but the end of the wait can take away: a signal of a timeout may be collected before it fires.
  const timer = setTimeout(() => gone.abort(), slowReaderMs);
  await once(to, event, { signal: gone.signal }).finally(() => clearTimeout(timer));
}
