import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How long a client that was refused may take to read why. */
const LAST_WORDS_MS = 1_000;

/** Joins two connections until both have ended. `pipe` keeps a fast side from filling the memory of a slow one. */
export function joinSockets(client: Socket, upstream: Socket, halfClosedMs: number): void {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.once('end', () => {
      from.setTimeout(halfClosedMs, () => from.destroy());
      to.setTimeout(halfClosedMs, () => to.destroy());
    });
    // After an orderly end what is still buffered for the other side is delivered; the timers above bound that.
    from.once('close', () => {
      if (!from.readableEnded) to.destroy();
    });
  }
  client.resume();
}

/** Says a last thing, and closes whatever the client does. */
export function endWith(client: Duplex, bytes: string | Uint8Array): void {
  if (client.destroyed) return;
  const timer = setTimeout(() => client.destroy(), LAST_WORDS_MS);
  client.once('close', () => clearTimeout(timer));
  client.on('error', () => client.destroy());
  client.end(bytes);
  // Bytes that were never read would turn the end into a reset, which can overtake the words.
  client.resume();
}
