import { type IncomingMessage, request, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { canonicalHost, hostInUrl, isPort } from '../network-policy.js';
import { endWith, type Gate, joinSockets, type Passage, type ProxyTarget } from './gate.js';

const MAX_RESPONSE_HEADER_BYTES = 65_536;
const HTTP_DEFAULT_PORT = 80;

/** Forwards one plain HTTP request over its own connection. Redirects go back to the client, which has to ask again. */
export async function forwardRequest(gate: Gate, message: IncomingMessage, response: ServerResponse): Promise<void> {
  message.on('error', () => response.destroy());
  const target = parseAbsoluteForm(message.url ?? '');
  if (target === undefined || countHeader(message.rawHeaders, 'host') > 1) {
    const reason = 'This proxy takes absolute http URLs, CONNECT and SOCKS5';
    gate.refuse('http', reason);
    respond(response, 400, reason);
    return;
  }
  if (hidesFraming(message.rawHeaders)) {
    const reason = '`Connection` names a header that frames or addresses the request';
    gate.refuse('http', reason, target);
    respond(response, 400, reason);
    return;
  }
  const passage = await gate.pass('http', target);
  if (passage.kind !== 'open') {
    respond(response, statusOf(passage), explain(passage, target));
    return;
  }
  if (response.destroyed) passage.socket.destroy();
  else exchange(passage.socket, target, message, response);
}

function exchange(socket: Socket, target: HttpTarget, message: IncomingMessage, response: ServerResponse): void {
  const fail = (): void => {
    socket.destroy();
    if (response.headersSent) response.destroy();
    else respond(response, 502, `No valid answer from ${target.host}:${target.port}`);
  };
  try {
    const upstream = request({
      // No `agent`: any value, also `false`, would ignore this socket and connect by itself.
      createConnection: () => socket,
      method: message.method,
      path: target.path,
      headers: headersFor(target, message),
      maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
    });
    upstream.on('error', fail);
    upstream.on('response', (answer) => {
      try {
        const headers = endToEndHeaders(answer.rawHeaders);
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
        pipeline(answer, response, () => socket.destroy());
      } catch {
        fail();
      }
    });
    response.once('close', () => upstream.destroy());
    pipeline(message, upstream, () => {});
  } catch {
    fail();
  }
}

/** `Host` is the checked host, whatever the client sent. */
function headersFor(target: HttpTarget, { rawHeaders, headers }: IncomingMessage): string[] {
  const { host, port } = target;
  const authority = hostInUrl(host) + (port === HTTP_DEFAULT_PORT ? '' : `:${port}`);
  // Node frames the body of a GET or similar only on request.
  const framing = headers['transfer-encoding'] === undefined ? [] : ['Transfer-Encoding', 'chunked'];
  return ['Host', authority, ...framing, ...endToEndHeaders(rawHeaders, ['host', 'expect'])];
}

/** Opens a tunnel for a CONNECT request. */
export async function openTunnel(
  gate: Gate,
  halfClosedMs: number,
  { url = '' }: IncomingMessage,
  client: Socket,
  head: Buffer,
): Promise<void> {
  client.on('error', () => client.destroy());
  client.pause();
  const target = readAuthority(url);
  if (target === undefined) {
    const reason = 'CONNECT needs `host:port`';
    gate.refuse('connect', reason);
    endWith(client, plainResponse(400, reason));
    return;
  }
  const passage = await gate.pass('connect', target);
  if (passage.kind !== 'open') {
    endWith(client, plainResponse(statusOf(passage), explain(passage, target)));
    return;
  }
  if (client.destroyed) {
    passage.socket.destroy();
    return;
  }
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) passage.socket.write(head);
  joinSockets(client, passage.socket, halfClosedMs);
}

function statusOf(passage: Exclude<Passage, { kind: 'open' }>): number {
  if (passage.kind === 'refused') return 403;
  return passage.code === 'ETIMEDOUT' ? 504 : 502;
}

function explain(passage: Exclude<Passage, { kind: 'open' }>, { host, port }: ProxyTarget): string {
  const why = passage.kind === 'refused' ? `refused: ${passage.reason}` : `failed: ${passage.code}`;
  return `Connection to ${hostInUrl(host)}:${port} ${why}`;
}

function respond(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'Content-Type': 'text/plain', Connection: 'close' });
  response.end(`${text}\n`);
}

function plainResponse(status: number, text: string): string {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain\r\n`;
  return `${head}Content-Length: ${text.length + 1}\r\nConnection: close\r\n\r\n${text}\n`;
}

interface HttpTarget extends ProxyTarget {
  /** Path and query, unchanged. */
  readonly path: string;
}

/** No user info, no fragment, no backslash: URL parsers disagree about the end of the host before them. */
const ABSOLUTE_FORM = /^http:\/\/([^/?#\\@\s]+)([/?][^\s#\\]*)?$/i;
const AUTHORITY = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i;

/** The target of a plain HTTP request to a proxy: `http://host[:port]/path`. */
function parseAbsoluteForm(text: string): HttpTarget | undefined {
  const match = ABSOLUTE_FORM.exec(text);
  if (match === null) return undefined;
  const target = readAuthority(match[1] ?? '', HTTP_DEFAULT_PORT);
  if (target === undefined) return undefined;
  const path = match[2] ?? '/';
  return { ...target, path: path.startsWith('?') ? `/${path}` : path };
}

/** `host:port`. Without a default the port is required. */
function readAuthority(text: string, defaultPort?: number): ProxyTarget | undefined {
  const match = AUTHORITY.exec(text);
  if (match === null) return undefined;
  const host = canonicalHost(match[1] ?? '');
  const port = match[2] === undefined ? defaultPort : Number(match[2]);
  return host !== undefined && port !== undefined && isPort(port) ? { host, port } : undefined;
}

/** Headers for the next hop only (RFC 9110, 7.6.1), and those for proxies. */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** Headers that frame or address the message. They are never connection options, whatever `Connection` says. */
const NEVER_OPTIONS = ['content-length', 'transfer-encoding', 'host'];

/**
 * Whether `Connection` names a header that frames or addresses the message. No honest client sends that: the server
 * would take a body without its length for the next request, which was not checked.
 */
function hidesFraming(raw: readonly string[]): boolean {
  const options = connectionOptions(toPairs(raw));
  return NEVER_OPTIONS.some((name) => options.includes(name));
}

/** `[name, value, name, value, …]` without hop-by-hop headers and those that `Connection` names. */
function endToEndHeaders(raw: readonly string[], also: readonly string[] = []): string[] {
  const pairs = toPairs(raw);
  const named = connectionOptions(pairs).filter((name) => !NEVER_OPTIONS.includes(name));
  const dropped = new Set([...HOP_BY_HOP, ...named, ...also]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

function countHeader(raw: readonly string[], wanted: string): number {
  return toPairs(raw).filter(([name]) => name.toLowerCase() === wanted).length;
}

function connectionOptions(pairs: readonly (readonly [name: string, value: string])[]): string[] {
  return pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((each) => each.trim().toLowerCase()));
}

function toPairs(raw: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return pairs;
}
