import type { Socket } from 'node:net';
import type { Gate } from './gate.js';
import {
  type Read,
  readGreeting,
  readRequest,
  replyFor,
  SOCKS_VERSION,
  SocksReply,
  socksReply,
} from './socks-frames.js';
import { endWith, joinSockets } from './tunnel.js';

const NO_ACCEPTABLE_METHOD = 0xff;

/** Serves one SOCKS5 client: no authentication, CONNECT only. `handshakeMs` is for all of the handshake. */
export async function serveSocks(
  gate: Gate,
  { handshakeMs, halfClosedMs }: { readonly handshakeMs: number; readonly halfClosedMs: number },
  client: Socket,
): Promise<void> {
  client.on('error', () => client.destroy());
  const timer = setTimeout(() => client.destroy(), handshakeMs);
  client.once('close', () => clearTimeout(timer));
  const greeting = await readFrame(client, readGreeting);
  if (greeting === undefined) return;
  if (!greeting.value) {
    gate.refuse('socks', 'The client offers no way without authentication');
    endWith(client, Uint8Array.of(SOCKS_VERSION, NO_ACCEPTABLE_METHOD));
    return;
  }
  client.write(Uint8Array.of(SOCKS_VERSION, 0));
  const request = await readFrame(client, readRequest);
  clearTimeout(timer);
  if (request === undefined) return;
  if ('refusal' in request.value) {
    gate.refuse('socks', 'Not a SOCKS5 CONNECT request for a host');
    endWith(client, socksReply(request.value.refusal));
    return;
  }
  const passage = await gate.pass('socks', request.value.target);
  if (passage.kind !== 'open') {
    const isRefused = passage.kind === 'refused';
    endWith(client, socksReply(isRefused ? SocksReply.notAllowed : replyFor(passage.code)));
    return;
  }
  if (client.destroyed) {
    passage.socket.destroy();
    return;
  }
  client.write(socksReply(SocksReply.succeeded));
  joinSockets(client, passage.socket, halfClosedMs);
}

/** Takes one frame from the stream and leaves what follows in it. `undefined`: the client left. */
function readFrame<T>(client: Socket, read: (bytes: Buffer) => Read<T>): Promise<Read<T>> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const settle = (frame: Read<T>): void => {
      client.off('data', onData);
      client.off('close', onEnd);
      client.off('end', onEnd);
      client.pause();
      if (frame === undefined) client.destroy();
      else if (bytes.length > frame.length) client.unshift(bytes.subarray(frame.length));
      resolve(frame);
    };
    const onData = (chunk: Buffer): void => {
      // A frame has fewer than 300 bytes, and a chunk is bounded by the socket.
      bytes = Buffer.concat([bytes, chunk]);
      const frame = read(bytes);
      if (frame !== undefined) settle(frame);
    };
    const onEnd = (): void => settle(undefined);
    client.on('data', onData);
    client.once('end', onEnd);
    client.once('close', onEnd);
    client.resume();
  });
}
