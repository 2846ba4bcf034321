import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { RefusedConnection } from '../../report/run-report.js';
import type { DomainRules } from '../network-policy.js';
import { type Dial, Gate, PROXY_LIMITS, type ProxyLimits, Refusals, type Resolve } from './gate.js';
import { forwardRequest, openTunnel } from './serve-http.js';
import { SOCKS_VERSION, serveSocks } from './serve-socks.js';

const LOOPBACK = '127.0.0.1';
const MAX_SWEEP_MS = 1_000;

export interface PolicyProxyOptions {
  readonly policy: DomainRules;
  /** Resolves names. @defaultValue the system's resolver, with its hosts file */
  readonly resolve?: Resolve;
  /** Opens the connections. @defaultValue TCP */
  readonly dial?: Dial;
  readonly limits?: Partial<ProxyLimits>;
}

export interface PolicyProxy {
  /** On 127.0.0.1, for HTTP, CONNECT and SOCKS5. */
  readonly port: number;
  /** The refusals so far. */
  readonly refused: readonly RefusedConnection[];
  /** Ends every connection. Resolves when the listener and all sockets are gone. Safe to call twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a proxy on the loopback for the connections that the policy admits: plain HTTP, CONNECT and SOCKS5 on one
 * port. It never connects to an address of this machine, unless the policy admits localhost by name.
 * @throws the system's error when it cannot listen.
 */
export async function startPolicyProxy(options: PolicyProxyOptions): Promise<PolicyProxy> {
  const limits = { ...PROXY_LIMITS, ...options.limits };
  const refusals = new Refusals(limits.maxRefusals);
  const sockets = new Set<Socket>();
  const ending = new AbortController();
  let closing: Promise<void> | undefined;
  const onSocket = (socket: Socket): void => {
    // A closing proxy ends late connections at once.
    if (closing !== undefined) socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const { policy, resolve, dial } = options;
  const gate = new Gate({ policy, limits, refusals, resolve, dial, signal: ending.signal, onSocket });

  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.handshakeMs,
    // No limit for a whole request: an upload may take long.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(limits.handshakeMs, MAX_SWEEP_MS),
    keepAlive: true,
  });
  server.maxConnections = limits.maxConnections;
  server.on('request', (request, response) => {
    settle(forwardRequest(gate, request, response), request.socket);
  });
  server.on('connect', (request, socket: Socket, head) => {
    settle(openTunnel(gate, limits.halfClosedMs, request, socket, head), socket);
  });
  const serveHttp = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    onSocket(socket);
    onFirstBytes(socket, limits.handshakeMs, (first) => {
      if (first === SOCKS_VERSION) settle(serveSocks(gate, limits, socket), socket);
      else {
        for (const serve of serveHttp) serve.call(server, socket);
        socket.resume();
      }
    });
  });

  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen({ host: LOOPBACK, port: 0 }, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      ending.abort();
      for (const socket of sockets) socket.destroy();
    });
    return closing;
  };
  return {
    port,
    get refused() {
      return refusals.list();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Unexpected errors close only this client. */
function settle(work: Promise<void>, client: Socket): void {
  work.catch(() => client.destroy());
}

/** Reads the first byte and puts it back. */
function onFirstBytes(socket: Socket, limitMs: number, then: (first: number) => void): void {
  const timer = setTimeout(() => socket.destroy(), limitMs);
  const drop = (): void => {
    socket.destroy();
  };
  socket.on('error', drop);
  socket.once('end', drop);
  socket.once('close', () => clearTimeout(timer));
  socket.once('data', (bytes: Buffer) => {
    clearTimeout(timer);
    socket.off('end', drop);
    socket.pause();
    socket.unshift(bytes);
    then(bytes[0] ?? 0);
  });
}
