import { canonicalHost } from '../host-name.js';
import { isPort, type ProxyTarget } from './authority.js';

/** RFC 1928. */
export const SOCKS_VERSION = 5;
export const SocksReply = {
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
export type Read<T> = { readonly value: T; readonly length: number } | undefined;

/** Whether the greeting is sound and offers to do without authentication. */
export function readGreeting(bytes: Buffer): Read<boolean> {
  if (bytes.length < 2) return undefined;
  const length = 2 + (bytes[1] ?? 0);
  if (bytes.length < length) return undefined;
  const isOurs = bytes[0] === SOCKS_VERSION;
  return { value: isOurs && bytes.subarray(2, length).includes(NO_AUTHENTICATION), length };
}

export type SocksRequest =
  | { readonly target: ProxyTarget }
  /** The code of the answer. */
  | { readonly refusal: number };

export function readRequest(bytes: Buffer): Read<SocksRequest> {
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

/** The bound address is not told: clients of CONNECT have no use for it. */
export function socksReply(code: number): Uint8Array {
  return Uint8Array.of(SOCKS_VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0);
}

export function replyFor(errorCode: string): number {
  if (errorCode === 'ECONNREFUSED') return SocksReply.connectionRefused;
  if (errorCode === 'ENETUNREACH') return SocksReply.networkUnreachable;
  return SocksReply.hostUnreachable;
}

const refusal = (code: number): Read<SocksRequest> => ({ value: { refusal: code }, length: 0 });

function hostOf(type: number, bytes: Buffer): string | undefined {
  if (type === 1) return canonicalHost([...bytes].join('.'));
  if (type === 4) return canonicalHost((bytes.toString('hex').match(/.{4}/g) ?? []).join(':'));
  // A byte above 127 is no character of a host name on the wire.
  return bytes.some((byte) => byte > 127) ? undefined : canonicalHost(bytes.toString('latin1'));
}
