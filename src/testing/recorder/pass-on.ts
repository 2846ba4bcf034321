import type { Readable, Writable } from 'node:stream';

/**
 * Passes every byte on as it came, no faster than the reader takes it. What `onChunk` does comes after the bytes are
 * on their way.
 *
 * @param onBroken - the reader is gone: nothing more is read.
 */
export function passOn(
  from: Readable,
  to: Writable,
  { onChunk, onEnd, onBroken }: { onChunk(chunk: Buffer): void; onEnd(): void; onBroken(): void },
): void {
  let isOpen = true;
  from.on('data', (chunk: Buffer) => {
    if (isOpen && !to.write(chunk)) {
      from.pause();
      to.once('drain', () => from.resume());
    }
    onChunk(chunk);
  });
  from.on('end', () => {
    if (isOpen) onEnd();
  });
  from.on('error', () => {
    if (isOpen) onEnd();
  });
  to.on('error', () => {
    if (!isOpen) return;
    isOpen = false;
    onBroken();
    // Whoever writes here learns it as it would from the CLI itself.
    from.destroy();
  });
}
