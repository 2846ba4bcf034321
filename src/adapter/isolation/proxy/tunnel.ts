import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How long a refused client may take to read the reason. */
const LAST_WORDS_MS = 1_000;

/** Joins two connections until both have ended. `pipe` applies back-pressure in both directions. */
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
    // After an orderly end, buffered bytes still go to the other side. The timers above limit that.
    from.once('close', () => {
      if (!from.readableEnded) to.destroy();
    });
  }
  client.resume();
}

/** Sends the last bytes and closes the connection, whatever the client does. */
export function endWith(client: Duplex, bytes: string | Uint8Array): void {
  if (client.destroyed) return;
  const timer = setTimeout(() => client.destroy(), LAST_WORDS_MS);
  client.once('close', () => clearTimeout(timer));
  client.on('error', () => client.destroy());
  client.end(bytes);
  // Unread input would turn the end into a reset, which can overtake the last bytes.
  client.resume();
}
