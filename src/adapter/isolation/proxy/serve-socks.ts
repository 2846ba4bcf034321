import type { Socket } from 'node:net';
import { canonicalHost, isPort } from '../network-policy.js';
import { endWith, type Gate, joinSockets, type ProxyTarget } from './gate.js';

const NO_ACCEPTABLE_METHOD = 0xff;

/** Serves one SOCKS5 client (RFC 1928): no authentication, CONNECT only. `handshakeMs` limits the whole handshake. */
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

/** Reads one frame and leaves the rest in the stream. `undefined`: the client left. */
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
      // Bounded: a frame has fewer than 300 bytes, and the socket bounds a chunk.
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

export const SOCKS_VERSION = 5;
const SocksReply = {
  succeeded: 0,
  failure: 1,
  notAllowed: 2,
  networkUnreachable: 3,
  hostUnreachable: 4,
  connectionRefused: 5,
  commandNotSupported: 7,
  addressTypeNotSupported: 8,
} as const;

const NO_AUTHENTICATION = 0;
const CONNECT = 1;

/** `undefined`: more bytes are needed. */
type Read<T> = { readonly value: T; readonly length: number } | undefined;

/** Whether the greeting is valid and offers no authentication. */
function readGreeting(bytes: Buffer): Read<boolean> {
  if (bytes.length < 2) return undefined;
  const length = 2 + (bytes[1] ?? 0);
  if (bytes.length < length) return undefined;
  const isOurs = bytes[0] === SOCKS_VERSION;
  return { value: isOurs && bytes.subarray(2, length).includes(NO_AUTHENTICATION), length };
}

type SocksRequest =
  | { readonly target: ProxyTarget }
  /** The code for the reply. */
  | { readonly refusal: number };

function readRequest(bytes: Buffer): Read<SocksRequest> {
  const [version, command, reserved, type] = bytes;
  if (version !== undefined && version !== SOCKS_VERSION) return refusal(SocksReply.failure);
  if (command !== undefined && command !== CONNECT) return refusal(SocksReply.commandNotSupported);
  if (reserved !== undefined && reserved !== 0) return refusal(SocksReply.failure);
  if (type === undefined) return undefined;
  const sizes: Readonly<Record<number, number | undefined>> = { 1: 4, 3: bytes[4], 4: 16 };
  if (!(type in sizes)) return refusal(SocksReply.addressTypeNotSupported);
  const size = sizes[type];
  const start = type === 3 ? 5 : 4;
  if (size === undefined || bytes.length < start + size + 2) return undefined;
  const host = hostOf(type, bytes.subarray(start, start + size));
  const port = bytes.readUInt16BE(start + size);
  if (host === undefined || !isPort(port)) return refusal(SocksReply.failure);
  return { value: { target: { host, port } }, length: start + size + 2 };
}

/** Without the bound address, which clients of CONNECT do not use. */
function socksReply(code: number): Uint8Array {
  return Uint8Array.of(SOCKS_VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0);
}

function replyFor(errorCode: string): number {
  if (errorCode === 'ECONNREFUSED') return SocksReply.connectionRefused;
  if (errorCode === 'ENETUNREACH') return SocksReply.networkUnreachable;
  return SocksReply.hostUnreachable;
}

const refusal = (code: number): Read<SocksRequest> => ({ value: { refusal: code }, length: 0 });

function hostOf(type: number, bytes: Buffer): string | undefined {
  if (type === 1) return canonicalHost([...bytes].join('.'));
  if (type === 4) return canonicalHost((bytes.toString('hex').match(/.{4}/g) ?? []).join(':'));
  // Host names are ASCII on the wire.
  return bytes.some((byte) => byte > 127) ? undefined : canonicalHost(bytes.toString('latin1'));
}
