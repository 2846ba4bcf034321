import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type Direction = 'to the server' | 'from the server';

/** A TCP proxy that cuts a connection after so many bytes, or keeps everything to itself. */
export interface CuttingProxy {
  readonly port: number;
  /** How many bytes went each way since the last call. */
  counts(): Readonly<Record<Direction, number>>;
  /** Cuts the connection that passes this many more bytes in one direction, before the byte after them. Once. */
  cutAfter(bytes: number, direction: Direction): void;
  /** Whether {@link cutAfter} has happened. */
  readonly hasCut: boolean;
  /** From now on nothing gets through, and nobody is told. */
  stall(): void;
  /** Cuts every connection now. */
  cutAll(): void;
}

/** @param targetPort - Of 127.0.0.1. */
export async function cuttingProxy(targetPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let counted: Record<Direction, number> = { 'to the server': 0, 'from the server': 0 };
  let cut: { left: number; readonly direction: Direction } | undefined;
  let isStalled = false;

  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    const end = (): void => {
      client.destroy();
      target.destroy();
    };
    const pass = (from: Socket, to: Socket, direction: Direction): void => {
      sockets.add(from);
      from.on('close', () => sockets.delete(from));
      from.on('error', end);
      from.on('close', end);
      from.on('data', (chunk: Buffer) => {
        if (isStalled) return;
        if (cut === undefined || cut.direction !== direction || chunk.length <= cut.left) {
          if (cut?.direction === direction) cut.left -= chunk.length;
          counted[direction] += chunk.length;
          to.write(chunk);
          return;
        }
        const part = chunk.subarray(0, cut.left);
        cut = undefined;
        // What was let through arrives before the end does.
        if (part.length > 0) to.end(part);
        else to.end();
        from.destroy();
        to.destroySoon();
      });
    };
    pass(client, target, 'to the server');
    pass(target, client, 'from the server');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  return {
    port: address.port,
    counts() {
      const before = counted;
      counted = { 'to the server': 0, 'from the server': 0 };
      return before;
    },
    cutAfter(bytes, direction) {
      cut = { left: bytes, direction };
    },
    get hasCut() {
      return cut === undefined;
    },
    stall() {
      isStalled = true;
    },
    cutAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

export const DIRECTIONS: readonly Direction[] = ['to the server', 'from the server'];
