import { Ajv, type ValidateFunction } from 'ajv';
import type { SessionHost } from '../host/session-host.js';
import { pageFiles } from './page.js';
import { Problem, problemResponse } from './problem.js';
import { findRoute, ROUTES, type Route } from './routes.js';

export interface HandlerOptions {
  readonly host: SessionHost;
  /**
   * Whose request this is, or `undefined` to refuse it. Without this function only programs on this machine are served,
   * all as the tenant `local`.
   */
  readonly authenticate?: (request: Request) => string | undefined | Promise<string | undefined>;
  /** Who may decide about a tool call that waits. @defaultValue whoever `authenticate` says is the tenant */
  readonly mayDecide?: (request: Request, approvalId: string, tenant: string) => boolean | Promise<boolean>;
  /** Names of this server, with the port where it is not the default: others are refused. @defaultValue loopback names */
  readonly allowedHosts?: readonly string[];
  /** Origins of pages that may call, besides those of this server: `https://app.example`. CORS headers are not sent. */
  readonly allowedOrigins?: readonly string[];
  /** @defaultValue 1 MiB */
  readonly maxBodyBytes?: number;
  /** @defaultValue 15_000 */
  readonly heartbeatMs?: number;
  /** @defaultValue 2_000 */
  readonly retryMs?: number;
  /** Serves the web page at `/`, with its files under `/page/`. @defaultValue false */
  readonly page?: boolean;
  /** Hears of every failure, also of those whose text is kept from the client. */
  readonly onError?: (error: unknown, request: Request) => void;
}

/** What the bridge knows about the connection. */
export interface ConnectionInfo {
  readonly remoteAddress?: string | undefined;
}

export interface Handler {
  (request: Request, connection?: ConnectionInfo): Promise<Response>;
  /** Whether it has `authenticate`. */
  readonly authenticates: boolean;
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK_ADDRESS = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

const ajv = new Ajv({ strict: false });
const validators = new Map<Route, ValidateFunction>(
  ROUTES.flatMap((route) => (route.body === undefined ? [] : [[route, ajv.compile(route.body)] as const])),
);

/** A host over HTTP, for every server that speaks the web's `Request` and `Response`. Never rejects. */
export function createHandler(options: HandlerOptions): Handler {
  const { host, heartbeatMs = 15_000, retryMs = 2_000, maxBodyBytes = 1024 * 1024, onError } = options;
  const files = options.page === true ? pageFiles() : undefined;
  const handle = async (request: Request, connection: ConnectionInfo = {}): Promise<Response> => {
    try {
      const url = new URL(request.url);
      assertHost(request, url, options);
      const file = request.method === 'GET' ? files?.get(url.pathname) : undefined;
      // The page says nothing about anybody, and a link on another page may lead to it.
      if (file === undefined) assertOrigin(request, url, options.allowedOrigins ?? []);
      const tenant = await tenantOf(request, url, connection, options);
      if (file !== undefined) return file();
      const { route, params } = findRoute(request.method, url.pathname);
      const body = await bodyOf(request, route, maxBodyBytes);
      const assertMayDecide = async (approvalId: string): Promise<void> => {
        const { mayDecide } = options;
        if (mayDecide !== undefined && (await mayDecide(request, approvalId, tenant)) !== true) {
          throw new Problem('forbidden', 'You may not decide about this call.');
        }
      };
      const stream = { heartbeatMs, retryMs };
      return await route.run({ host, tenant, params, url, request, body, stream, assertMayDecide });
    } catch (error) {
      onError?.(error, request);
      return problemResponse(error);
    }
  };
  return Object.assign(handle, { authenticates: options.authenticate !== undefined });
}

/** Else a page on a name that resolves to this machine (DNS rebinding) could call as a page of this server. */
function assertHost(request: Request, url: URL, { allowedHosts }: HandlerOptions): void {
  const sent = request.headers.get('host') ?? url.host;
  const isAllowed = (name: string): boolean =>
    allowedHosts?.includes(name) ?? LOOPBACK_NAMES.includes(name.replace(/:\d{1,5}$/, ''));
  if (isAllowed(url.host) && isAllowed(sent)) return;
  throw new Problem('forbidden_host', 'This server does not go by that name. Add it to `allowedHosts`.');
}

function assertOrigin(request: Request, url: URL, allowed: readonly string[]): void {
  const origin = request.headers.get('origin');
  const isForeign = origin === null ? request.headers.get('sec-fetch-site') === 'cross-site' : origin !== url.origin;
  if (!isForeign || (origin !== null && allowed.includes(origin))) return;
  throw new Problem('forbidden_origin', 'Pages of other origins may not call. Add theirs to `allowedOrigins`.');
}

async function tenantOf(
  request: Request,
  url: URL,
  { remoteAddress }: ConnectionInfo,
  { authenticate }: HandlerOptions,
): Promise<string> {
  if (authenticate === undefined) {
    const isLocal = LOOPBACK_NAMES.includes(url.hostname) && LOOPBACK_ADDRESS.test(remoteAddress ?? '');
    if (isLocal) return 'local';
    throw new Problem('unauthorized', 'Without `authenticate` only programs on this machine are served.');
  }
  const tenant = await authenticate(request);
  if (typeof tenant !== 'string' || tenant === '') throw new Problem('unauthorized', 'Say who you are.');
  return tenant;
}

async function bodyOf(request: Request, route: Route, maxBytes: number): Promise<unknown> {
  const validate = validators.get(route);
  if (validate === undefined) return undefined;
  // A form of a foreign page cannot send this type.
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Problem('unsupported_media_type', 'Send `application/json`.');
  const body = parse(await textOf(request, maxBytes));
  if (validate(body)) return body;
  throw new Problem('invalid', `The body does not fit: ${ajv.errorsText(validate.errors, { dataVar: 'body' })}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('invalid', 'The body is not JSON.');
  }
}

async function textOf(request: Request, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Problem('body_too_large', `A body may have ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
