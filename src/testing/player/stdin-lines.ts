import type { Readable } from 'node:stream';
import type { LineReceiver } from './play-io.js';

const NEWLINE = 0x0a;

/** Cuts stdin into lines. Decodes a line only when it is whole, so no character is torn. */
export function readLines(stdin: Readable, receiver: LineReceiver): void {
  let pieces: Buffer[] = [];
  stdin.on('data', (chunk: Buffer) => {
    let start = 0;
    for (
      let end = chunk.indexOf(NEWLINE);
      end !== -1;
      start = end + 1, end = chunk.indexOf(NEWLINE, start)
    ) {
      pieces.push(chunk.subarray(start, end));
      const line = Buffer.concat(pieces).toString();
      pieces = [];
      receiver.onLine(line);
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  });
  let hasEnded = false;
  const end = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    receiver.onEof(Buffer.concat(pieces).toString());
  };
  stdin.on('end', end);
  // A writer that was killed: for a CLI that is the end of input too.
  stdin.on('error', end);
}
