import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { LiveUpdate } from '../render/packed.js';

/** What a page may fall behind before it is cut off. It connects again and gets everything. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
const MAX_PAGES = 32;

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': "frame-ancestors 'none'",
} as const;

export interface LiveSource {
  page(): Iterable<string>;
  updateFrom(frame: number): LiveUpdate;
}

export interface LiveServer {
  /** With the token: who has it sees everything. */
  readonly url: string;
  send(update: LiveUpdate): void;
  close(): Promise<void>;
}

/** Serves a page on this machine, to whoever knows the address. */
export async function serveLive(source: LiveSource): Promise<LiveServer> {
  const token = randomBytes(24).toString('base64url');
  const pages = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    answer({ request, response, source, token, port, pages });
  });
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/${token}/`,
    send: (update) => {
      const event = eventOf(update);
      for (const page of pages) {
        if (page.writableLength > MAX_WAITING_BYTES) page.destroy();
        else page.write(event);
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly source: LiveSource;
  readonly token: string;
  readonly port: number;
  readonly pages: Set<ServerResponse>;
}

function answer({ request, response, source, token, port, pages }: Asked): void {
  const [pathname = '', search] = (request.url ?? '').split('?', 2);
  const refusal = refusalOf(request, pathname, token, port);
  const path = pathname.slice(token.length + 2);
  const from = Number(new URLSearchParams(search).get('from'));
  if (refusal !== undefined) refuse(response, ...refusal);
  else if (path === '') {
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' });
    // A page that cannot be made, or that nobody waits for any more, ends this answer alone.
    pipeline(Readable.from(source.page()), response, () => {});
  } else if (path !== 'events') refuse(response, 404, 'not found');
  else if (pages.size >= MAX_PAGES) refuse(response, 503, 'too many pages');
  else if (!Number.isSafeInteger(from) || from < 0) refuse(response, 400, '`from` must be a number of frames');
  else {
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
    response.write(`retry: 1000\n\n${eventOf(source.updateFrom(from))}`);
    pages.add(response);
    response.on('close', () => pages.delete(response));
  }
}

function refusalOf(
  { headers, method }: IncomingMessage,
  pathname: string,
  token: string,
  port: number,
): readonly [number, string] | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  // A page of elsewhere can have its name point here, but it cannot hide that name.
  if (!names.includes(headers.host ?? '')) return [403, 'wrong host'];
  // Absent where the address is opened, and when the page reads its events.
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) return [403, 'wrong origin'];
  if (!isSame(pathname.slice(0, token.length + 2), `/${token}/`)) return [404, 'not found'];
  return method === 'GET' ? undefined : [405, 'GET only'];
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'text/plain' }).end(`${text}\n`);
}

function isSame(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function eventOf(update: LiveUpdate): string {
  // JSON has no line breaks.
  return `data: ${JSON.stringify(update)}\n\n`;
}
