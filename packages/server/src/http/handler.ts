import {
  arrayOf,
  assertOptions,
  boolean,
  type Checks,
  custom,
  func,
  integer,
  optional,
  text,
  withMethods,
} from '../checks.js';
import type { ConversationEvent } from '../events/conversation-event.js';
import type { SessionHost } from '../host/session-host.js';
import { bodyOf } from './body.js';
import { assertHost, assertOrigin, HOST_NAME, isFromHere, ORIGIN } from './origin.js';
import { pageFiles, problemPage, wantsPage } from './page.js';
import { isHidden, Problem, problemResponse } from './problem.js';
import { assertQuery } from './query.js';
import { Repeats } from './repeats.js';
import { findRoute } from './routes.js';
import { withoutInternals } from './without-internals.js';

export interface HandlerOptions {
  readonly host: SessionHost;
  /**
   * Whose request this is, or `undefined` to refuse it. Without this function only programs on this machine are served,
   * all as the tenant `local`, and nothing that a proxy has passed on.
   */
  readonly authenticate?: (request: Request) => string | undefined | Promise<string | undefined>;
  /** Who may decide about a tool call that waits. @defaultValue whoever `authenticate` says is the tenant */
  readonly mayDecide?: (request: Request, approvalId: string, tenant: string) => boolean | Promise<boolean>;
  /** Names of this server, with the port where it is not the default: others are refused. @defaultValue loopback names */
  readonly allowedHosts?: readonly string[];
  /**
   * Origins of pages that may call, besides those of this server: `https://app.example`. CORS headers are not sent.
   * Behind a proxy that ends TLS it needs the `https:` origin of this server itself.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Query parameters that `authenticate` or something in front reads, such as `access_token`. Others that a path does not
   * take are refused. @defaultValue none
   */
  readonly allowedQuery?: readonly string[];
  /**
   * `WWW-Authenticate` of a 401, which HTTP asks for: how `authenticate` wants to be called. Browsers open a dialog for
   * `Basic`. @defaultValue `Bearer`
   */
  readonly challenge?: string;
  /**
   * What viewers get of an event; `undefined`: nothing. It must return soon. One that throws ends the stream, and `onError`
   * hears it.
   * @defaultValue {@link withoutInternals}
   */
  readonly show?: (event: ConversationEvent, tenant: string) => ConversationEvent | undefined;
  /** @defaultValue 1 MiB */
  readonly maxBodyBytes?: number;
  /** A stream with no event for so long gets a comment, in milliseconds. @defaultValue 15_000 */
  readonly heartbeatMs?: number;
  /** What a browser waits before it connects again, in milliseconds. @defaultValue 2_000 */
  readonly retryMs?: number;
  /**
   * Serves the web page at `/`, with its files under `/page/`. Its paths are relative, so it works under a prefix that
   * whoever mounts the handler takes away. @defaultValue false
   */
  readonly page?: boolean;
  /**
   * Hears the reasons that are kept from the client: of `store_failed`, `start_failed` and `internal`, also when they end
   * a stream. Not of requests that are refused. One that throws is ignored.
   */
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

const CHALLENGE = custom(
  'a challenge of `WWW-Authenticate`, such as `Bearer` or `Bearer realm="example"`',
  (value) => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+(?: [\x20-\x7e]+)?$/.test(value),
);

const CHECKS: Checks<HandlerOptions> = {
  host: withMethods('what `createSessionHost()` returns', [
    ...['list', 'create', 'get', 'remove', 'send', 'events', 'interrupt', 'stopTask', 'answer', 'approvals', 'decide'],
    'transcript',
  ]),
  authenticate: optional(func('a function that says whose request it is')),
  mayDecide: optional(func()),
  allowedHosts: optional(arrayOf(HOST_NAME)),
  allowedOrigins: optional(arrayOf(ORIGIN)),
  allowedQuery: optional(arrayOf(text('`access_token`'))),
  challenge: optional(CHALLENGE),
  show: optional(func()),
  maxBodyBytes: optional(integer()),
  heartbeatMs: optional(integer()),
  retryMs: optional(integer()),
  page: optional(boolean),
  onError: optional(func()),
};

const UNKNOWN_USER =
  'This server does not know who you are. Sign in where you do it for this site, or send the token that it gave you.';
const ELSEWHERE =
  'This server serves only programs on this machine, and nothing that a proxy passes on. Call it from there, by ' +
  '`localhost`.';

/**
 * A host over HTTP, for every server that speaks the web's `Request` and `Response`. What it returns never rejects.
 * @throws HostError `invalid`: it names the option.
 */
export function createHandler(options: HandlerOptions): Handler {
  assertOptions('createHandler()', options, CHECKS);
  const { host, heartbeatMs = 15_000, retryMs = 2_000, maxBodyBytes = 1024 * 1024 } = options;
  const files = options.page === true ? pageFiles() : undefined;
  const repeats = new Repeats();
  const answer = async (request: Request, connection: ConnectionInfo): Promise<Response> => {
    const url = new URL(request.url);
    assertHost(request, url, options.allowedHosts);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const file = method === 'GET' ? files?.get(url.pathname) : undefined;
    // The page says nothing about anybody, and a link on another page may lead to it.
    if (file === undefined) assertOrigin(request, url, options.allowedOrigins ?? []);
    const tenant = await tenantOf(request, url, connection, options);
    if (tenant === undefined) throw unauthorized(UNKNOWN_USER, options);
    if (file !== undefined) return file();
    const { route, params } = findRoute(method, url.pathname);
    assertQuery(url, route.query ?? {}, options.allowedQuery ?? []);
    const body = await bodyOf(request, route, maxBodyBytes);
    const assertMayDecide = async (approvalId: string): Promise<void> => {
      const { mayDecide } = options;
      if (mayDecide !== undefined && (await mayDecide(request, approvalId, tenant)) !== true) {
        throw new Problem('forbidden', 'You may not decide about this call.');
      }
    };
    const show = (event: ConversationEvent) => (options.show ?? withoutInternals)(event, tenant);
    const stream = { heartbeatMs, retryMs, show, onFailure: (error: unknown) => tell(error, request, options) };
    return await route.run({ host, tenant, params, url, request, body, stream, repeats, assertMayDecide });
  };
  const handle = async (request: Request, connection: ConnectionInfo = {}): Promise<Response> => {
    let response: Response;
    try {
      response = await answer(request, connection);
    } catch (error) {
      tell(error, request, options);
      const isOfPage = files?.has(new URL(request.url).pathname) === true && wantsPage(request);
      response = isOfPage ? await problemPage(error) : problemResponse(error);
    }
    if (request.method !== 'HEAD') return response;
    // Also ends the stream, where it is one.
    await response.body?.cancel();
    return new Response(null, response);
  };
  return Object.assign(handle, { authenticates: options.authenticate !== undefined });
}

function tell(error: unknown, request: Request, { onError }: HandlerOptions): void {
  if (onError === undefined || !isHidden(error)) return;
  const told = async (): Promise<void> => onError(error, request);
  // A log that is down must not take the answer with it.
  void told().catch(() => {});
}

function unauthorized(detail: string, { challenge = 'Bearer' }: HandlerOptions): Problem {
  return new Problem('unauthorized', detail, { 'www-authenticate': challenge });
}

async function tenantOf(
  request: Request,
  url: URL,
  { remoteAddress }: ConnectionInfo,
  options: HandlerOptions,
): Promise<string | undefined> {
  const { authenticate } = options;
  if (authenticate !== undefined) {
    const tenant = await authenticate(request);
    return typeof tenant === 'string' && tenant !== '' ? tenant : undefined;
  }
  if (isFromHere(request, url, remoteAddress)) return 'local';
  throw unauthorized(ELSEWHERE, options);
}
