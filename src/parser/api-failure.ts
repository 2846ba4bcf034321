import type { SDKAssistantMessageError } from './message.js';

/** The kinds that a failure of the Messages API can come down to. */
export type ApiFailureKind =
  | 'auth'
  | 'billing'
  | 'rate_limited'
  | 'overloaded'
  | 'invalid_request'
  | 'context_overflow'
  | 'model_not_found'
  | 'server_error'
  | 'connection_failed'
  | 'max_output_tokens';

interface ApiFailure {
  /** The `error` of the turn's last assistant message: the CLI's own word. */
  readonly assistantError: SDKAssistantMessageError | undefined;
  readonly status: number | undefined;
  /** The API's `error.type`, such as `overloaded_error`. */
  readonly errorType: string | undefined;
  /** The CLI's `api_error`, such as `connection_failed`. */
  readonly apiError: string | undefined;
  /** What cut the answer off, as {@link TurnFacts.cutBy} or the API's `stop_reason` says. */
  readonly cutBy: unknown;
  readonly text: string;
}

/**
 * Not here: `unknown` says nothing, and the status refines `server_error`. A map: an odd word, such as `constructor`,
 * must find nothing.
 */
const BY_ASSISTANT_ERROR = new Map<SDKAssistantMessageError | undefined, ApiFailureKind>([
  ['authentication_failed', 'auth'],
  ['oauth_org_not_allowed', 'auth'],
  ['account_on_hold', 'auth'],
  ['verification_required', 'auth'],
  ['cloud_credential_error', 'auth'],
  ['billing_error', 'billing'],
  ['rate_limit', 'rate_limited'],
  ['overloaded', 'overloaded'],
  ['model_not_found', 'model_not_found'],
  ['invalid_request', 'invalid_request'],
  ['max_output_tokens', 'max_output_tokens'],
]);

const BY_STATUS = new Map<number, ApiFailureKind>([
  [408, 'connection_failed'],
  [401, 'auth'],
  [402, 'billing'],
  [403, 'auth'],
  [404, 'model_not_found'],
  [429, 'rate_limited'],
]);

/**
 * Names an API failure; the one place that does. In order: what the CLI files under other words (a connection that
 * failed, a full context window, no credit, an overload), the CLI's own word, the text where no word tells, the HTTP
 * status.
 */
export function apiFailureKind(failure: ApiFailure): ApiFailureKind {
  const { assistantError, status, errorType, apiError } = failure;
  if (apiError === 'connection_failed') return 'connection_failed';
  if (isWindowFull(failure)) return 'context_overflow';
  if (errorType === 'billing_error') return 'billing';
  if (status === 529 || errorType === 'overloaded_error') return 'overloaded';
  const named = BY_ASSISTANT_ERROR.get(assistantError) ?? kindOfText(failure);
  if (named !== undefined) return named;
  if (status !== undefined) {
    const known = BY_STATUS.get(status);
    if (known !== undefined) return known;
    return status >= 400 && status < 500 ? 'invalid_request' : 'server_error';
  }
  if (apiError === 'max_output_tokens') return 'max_output_tokens';
  // The CLI blames the server for a time-out too. An error in the middle of a stream it names.
  return assistantError === 'server_error' && !/server error/i.test(failure.text)
    ? 'connection_failed'
    : 'server_error';
}

const WINDOW_IS_FULL = /context window limit|prompt is too long|exceed context limit/i;

/** The words under which the CLI files a full context window, and the statuses. The text decides between them. */
const WINDOW_LABELS: ReadonlySet<unknown> = new Set([undefined, 'unknown', 'invalid_request', 'max_output_tokens']);
const WINDOW_STATUSES: ReadonlySet<unknown> = new Set([undefined, 400, 413]);

function isWindowFull({ assistantError, status, cutBy, text }: ApiFailure): boolean {
  if (cutBy === 'context_window' || cutBy === 'model_context_window_exceeded') return true;
  if (cutBy === 'output_limit') return false;
  return WINDOW_LABELS.has(assistantError) && WINDOW_STATUSES.has(status) && WINDOW_IS_FULL.test(text);
}

/** Vertex without a project, and Foundry without a resource: nothing was sent, and trying again cannot help. */
const LACKS_PROVIDER_SETTING = /no projectId was given|must provide one of the `baseURL` or `resource` arguments/i;

/** Last resort, for a result alone: these failures have no field that tells them from others. */
function kindOfText({ assistantError, text }: ApiFailure): ApiFailureKind | undefined {
  if (assistantError !== undefined && assistantError !== 'unknown') return undefined;
  if (/credit balance is too low/i.test(text)) return 'billing';
  if (/not logged in|invalid api key/i.test(text)) return 'auth';
  if (LACKS_PROVIDER_SETTING.test(text)) return 'auth';
  if (/request timed out|connection (refused|error)/i.test(text)) return 'connection_failed';
  return undefined;
}
