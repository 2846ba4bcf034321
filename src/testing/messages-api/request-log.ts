import type { IncomingHttpHeaders } from 'node:http';
import type { RequestKind } from './request-info.js';
import type { TurnSource } from './turn-queue.js';

/** One request as it arrived, and what became of it. */
export interface LoggedRequest {
  /** Counts from 1. */
  readonly number: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query: string;
  /** Lower-case names. Credentials are replaced by {@link REDACTED}. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded JSON; `undefined` for no body or one that is not JSON. */
  readonly body: unknown;
  /** Only for `POST /v1/messages`. */
  kind?: RequestKind;
  /** Only for `POST /v1/messages`. */
  source?: TurnSource;
  /** The status that was or will be sent; `null` for a turn that hangs. Absent while a turn is computed. */
  status?: number | null;
}

/** Stands where a credential was. */
export const REDACTED = '<redacted>';

const SECRET_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key']);

/** Flattens headers for a log that people read and keep. */
export function redactHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET_HEADERS.has(name) ? REDACTED : Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

/** What happens at the API, as it happens. Small: the requests themselves are in `requests`. */
export type MessagesApiEvent =
  /** An answer was chosen and is about to be sent. */
  | {
      readonly event: 'api_request';
      readonly number: number;
      readonly route: 'messages';
      readonly kind: RequestKind;
      readonly source: TurnSource;
      readonly model: string | undefined;
      readonly stream: boolean;
      /** `null`: the turn hangs. */
      readonly status: number | null;
    }
  | {
      readonly event: 'api_request';
      readonly number: number;
      readonly route: 'count_tokens' | 'probe';
      readonly status: number;
    }
  /** Answered with 404. */
  | { readonly event: 'api_unknown_route'; readonly number: number; readonly method: string; readonly path: string }
  /** The client closed the connection before it had the whole answer. */
  | { readonly event: 'api_client_closed'; readonly number: number }
  /** A function of the script threw, or a limit was passed; answered with an error. */
  | { readonly event: 'api_script_error'; readonly number: number; readonly message: string };
