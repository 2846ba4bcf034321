import { HostError, type HostErrorCode } from '../errors.js';

/** `code` of an `application/problem+json` answer. Stable within a major version. */
export type ProblemCode =
  | HostErrorCode
  | 'unauthorized'
  | 'forbidden_host'
  | 'forbidden_origin'
  | 'unknown_route'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'body_too_large'
  | 'internal';

export const STATUS: Readonly<Record<ProblemCode, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden_host: 403,
  forbidden_origin: 403,
  forbidden: 403,
  not_found: 404,
  unknown_route: 404,
  method_not_allowed: 405,
  conflict: 409,
  // Not 429, which clients repeat by themselves: only a deletion helps.
  limit_reached: 403,
  expired: 410,
  body_too_large: 413,
  unsupported_media_type: 415,
  internal: 500,
  store_failed: 500,
  start_failed: 502,
  busy: 503,
  draining: 503,
};

/** A request that is refused. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.code = code;
    this.headers = headers;
  }
}

/** What a failed process or store said may name paths of this machine, so it goes to the caller's log alone. */
const HIDDEN: Partial<Record<ProblemCode, string>> = {
  internal: 'The server failed.',
  start_failed: 'Claude Code did not start, or did not take the message.',
  store_failed: 'A store of the server failed.',
};

function codeOf(error: unknown): ProblemCode {
  return error instanceof Problem || error instanceof HostError ? error.code : 'internal';
}

/** Whether the client is not told the reason. */
export function isHidden(error: unknown): boolean {
  return HIDDEN[codeOf(error)] !== undefined;
}

export function problemResponse(error: unknown): Response {
  const code = codeOf(error);
  const said = error instanceof HostError ? error.forClients : error instanceof Error ? error.message : '';
  const detail = HIDDEN[code] ?? said;
  const retryAfterMs = error instanceof HostError ? error.retryAfterMs : undefined;
  return json(
    { type: 'about:blank', title: code, status: STATUS[code], code, detail },
    {
      status: STATUS[code],
      headers: {
        ...(error instanceof Problem ? error.headers : {}),
        ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
        'content-type': 'application/problem+json',
      },
    },
  );
}

export function json(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
) {
  const all = new Headers({ 'content-type': 'application/json' });
  new Headers(headers).forEach((value, name) => void all.set(name, value));
  all.set('cache-control', 'no-store');
  all.set('x-content-type-options', 'nosniff');
  return new Response(JSON.stringify(body), { status, headers: all });
}
