import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { assertOptions, type Checks, func, integer, optional, text } from '../checks.js';
import { HostError } from '../errors.js';
import { Connection } from './connection.js';
import type { Handler } from './handler.js';
import { type Pace, pacedEnd, pacedWrite } from './paced-write.js';

export interface ServeOptions {
  readonly handler: Handler;
  /** 0: any that is free. */
  readonly port: number;
  /** The interface. Without `authenticate` of the handler it must be a loopback one. @defaultValue '127.0.0.1' */
  readonly host?: string;
  /**
   * Above it connections are reset without an answer. Each stream has one, so it should be well above `limits.viewers` of
   * the host: then a stream too many is refused with 503, and requests find room. Each needs a descriptor (`ulimit -n`).
   * @defaultValue 4_096
   */
  readonly maxConnections?: number;
  /** For the headers of a request, in milliseconds. @defaultValue 10_000 */
  readonly headersTimeoutMs?: number;
  /** For a whole request. @defaultValue 30_000 */
  readonly requestTimeoutMs?: number;
  /** A reader that takes nothing for so long is cut off, in milliseconds. @defaultValue 60_000 */
  readonly slowReaderMs?: number;
}

export interface RunningServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /**
   * Ends every connection, those with an open answer after a second. Resolves when all are gone, also for a second call.
   * Drain the host first: that ends its streams.
   */
  close(): Promise<void>;
}

const CHECKS: Checks<ServeOptions> = {
  handler: func('what `createHandler()` returns'),
  port: integer(0, 65_535),
  host: optional(text('`127.0.0.1`')),
  maxConnections: optional(integer()),
  headersTimeoutMs: optional(integer()),
  requestTimeoutMs: optional(integer()),
  slowReaderMs: optional(integer()),
};

const BACKLOG = 4_096;
/** For answers that are being written when the server closes: a stream that was cut looks like an error. */
const CLOSE_MS = 1_000;

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/**
 * A handler on `node:http`.
 * @throws HostError `invalid`: it would listen to the network without authentication, or an option cannot be used.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  assertOptions('serve()', options, CHECKS);
  const { handler, port, host = '127.0.0.1', maxConnections = 4_096, slowReaderMs = 60_000 } = options;
  if (!handler.authenticates && !LOOPBACK.includes(host)) {
    throw new HostError('invalid', `Without \`authenticate\` the server listens on loopback only, not on ${host}.`);
  }
  const { headersTimeoutMs = 10_000, requestTimeoutMs = 30_000 } = options;
  const connections = new WeakMap<Socket, Connection>();
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(headersTimeoutMs, 5_000),
      maxHeaderSize: 16 * 1024,
      requireHostHeader: true,
    },
    (incoming, outgoing) => {
      connections.get(incoming.socket)?.take(async (gone) => {
        // The connection is gone, or the reader was too slow.
        await answer(handler, incoming, outgoing, { slowReaderMs, gone }).catch(() => outgoing.destroy());
      });
    },
  );
  server.on('connection', (socket) => void connections.set(socket, new Connection(socket)));
  server.maxConnections = maxConnections;
  // A thousand clients that connect again at once wait in the queue of the system, which bounds it by `somaxconn`.
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, 'listening');
  // It listens on TCP, so the address is one of TCP.
  const address = server.address() as AddressInfo;
  const closeServer = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    await closed;
    clearTimeout(timer);
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= closeServer();
    return closing;
  };
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, close, [Symbol.asyncDispose]: close };
}

async function answer(handler: Handler, incoming: IncomingMessage, outgoing: ServerResponse, pace: Pace) {
  const request = requestOf(incoming, pace.gone.signal);
  if (request === undefined) {
    outgoing.writeHead(400, { connection: 'close' });
    await pacedEnd(outgoing, pace);
    return;
  }
  const response = await handler(request, { remoteAddress: incoming.socket.remoteAddress });
  // A body that was not read is not waited for.
  if (!incoming.complete) outgoing.setHeader('connection', 'close');
  // Not an object of the headers: that would keep only the last `Set-Cookie`.
  outgoing.setHeaders(response.headers).writeHead(response.status);
  for await (const chunk of response.body ?? []) await pacedWrite(outgoing, chunk, pace);
  await pacedEnd(outgoing, pace);
}

/** `undefined` for a request that is none, such as one with two names of the server. */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = 'GET', url = '/', headersDistinct } = incoming;
  const names = headersDistinct.host ?? [];
  const [name = ''] = names;
  if (names.length !== 1 || !/^[\w.:[\]-]{1,255}$/.test(name) || !url.startsWith('/')) return undefined;
  const headers = new Headers();
  for (const [header, values] of Object.entries(headersDistinct)) {
    for (const value of values ?? []) headers.append(header, value);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  try {
    return new Request(`http://${name}${url}`, {
      ...{ method, headers, signal },
      // The types of Node and of the web differ in name only.
      ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' as const } : {}),
    });
  } catch {
    return undefined;
  }
}
