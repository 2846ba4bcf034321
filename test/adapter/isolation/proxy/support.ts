import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { DomainRules } from '../../../../src/adapter/isolation/network-policy.js';
import {
  type PolicyProxy,
  type PolicyProxyOptions,
  startPolicyProxy,
} from '../../../../src/adapter/isolation/proxy/policy-proxy.js';

/** Of no machine here: documentation addresses (RFC 5737). */
export const FAR_AWAY = '203.0.113.7';

export interface World extends PolicyProxy {
  /** What the proxy connected to, as `host:port at address`. The connections end at the test's own server. */
  readonly dialed: string[];
  /** Names that were asked for. */
  readonly resolved: string[];
}

/** A proxy whose names all resolve to an address far away, and whose connections all end at a local port. */
export async function startWorld(
  policy: Partial<DomainRules>,
  upstreamPort: number,
  more: Partial<PolicyProxyOptions> & { readonly addresses?: Readonly<Record<string, readonly string[]>> } = {},
): Promise<World> {
  const dialed: string[] = [];
  const resolved: string[] = [];
  const { addresses = {}, ...options } = more;
  const proxy = await startPolicyProxy({
    policy: { allowedDomains: [], allowedPorts: null, allowLocalhost: false, ...policy },
    resolve: async (host) => {
      resolved.push(host);
      return (addresses[host] ?? [FAR_AWAY]).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
    dial: ({ host, port }, list) => {
      dialed.push(`${host}:${port} at ${list.map(({ address }) => address).join(', ')}`);
      return connect({ host: '127.0.0.1', port: upstreamPort, allowHalfOpen: true });
    },
    ...options,
  });
  onTestFinished(() => proxy.close());
  // Not a spread: `refused` is a getter.
  return Object.assign(Object.create(proxy) as PolicyProxy, { dialed, resolved });
}

/** Answers each request with what it got: `METHOD path\nname: value\n…\n\nbody`. */
export async function startEcho(): Promise<{ readonly port: number; readonly requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const pairs = request.rawHeaders.flatMap((each, at, all) => (at % 2 === 0 ? [`${each}: ${all[at + 1]}`] : []));
      const text = [`${request.method} ${request.url}`, ...pairs, '', Buffer.concat(chunks).toString()].join('\n');
      requests.push(text);
      response.setHeader('Proxy-Authenticate', 'x');
      response.end(text);
    });
  });
  return { port: await listen(server), requests };
}

/** A TCP server; its connections are handed over and end with the test. */
export async function startTcp(onSocket: (socket: Socket) => void): Promise<number> {
  return await listen(createTcpServer({ allowHalfOpen: true }, onSocket));
}

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** A raw client of the proxy. */
export class RawClient {
  readonly socket: Socket;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #isOver = false;
  #wake: () => void = () => {};

  constructor(port: number) {
    this.socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    this.socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake();
    });
    const over = (): void => {
      this.#isOver = true;
      this.#wake();
    };
    this.socket.on('error', over);
    this.socket.on('end', over);
    this.socket.on('close', over);
    onTestFinished(() => {
      this.socket.destroy();
    });
  }

  write(bytes: string | Uint8Array): this {
    if (!this.socket.destroyed) this.socket.write(bytes);
    return this;
  }

  /** Everything that came, once it holds `length` bytes or the other side has ended. */
  async read(length = Number.POSITIVE_INFINITY): Promise<Buffer> {
    while (this.#length < length && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return Buffer.concat(this.#chunks);
  }

  async text(): Promise<string> {
    return (await this.read()).toString('latin1');
  }
}

export const connectTo = (authority: string): string => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;

export const get = (url: string, ...headers: string[]): string =>
  [`GET ${url} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n');

export const GREETING = Uint8Array.of(5, 1, 0);

/** A SOCKS5 CONNECT request for a name. */
export function socksFor(host: string | Uint8Array, port: number): Uint8Array {
  const name = typeof host === 'string' ? Buffer.from(host, 'latin1') : Buffer.from(host);
  return Buffer.concat([Uint8Array.of(5, 1, 0, 3, name.length), name, Uint8Array.of(port >> 8, port & 255)]);
}

/** The status line of CONNECT, or the code of the SOCKS answer. */
export async function tryConnect(port: number, host: string, target: number): Promise<string> {
  const client = new RawClient(port).write(connectTo(`${host}:${target}`));
  const line = (await client.read(12)).toString('latin1').slice(9, 12);
  client.socket.destroy();
  return line;
}

export async function trySocks(port: number, host: string, target: number): Promise<number | undefined> {
  const client = new RawClient(port).write(GREETING).write(socksFor(host, target));
  const code = (await client.read(12))[3];
  client.socket.destroy();
  return code;
}

export async function tryHttp(port: number, host: string, target: number): Promise<string> {
  const text = await new RawClient(port).write(get(`http://${host}:${target}/`)).text();
  return text.slice(9, 12);
}
