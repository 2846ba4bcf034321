import { type JsonObject, stringField } from '../../util/json.js';
import type { RetryAdvice } from './adapter-error.js';
import { advise, RESUME } from './retry-advice.js';

/** What a failed request to the API comes down to. */
export type ApiFailure =
  | 'rate_limit'
  | 'billing'
  | 'authentication'
  | 'context_overflow'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'connection_failed'
  | 'unknown';

/** The CLI's word for it. A map: an odd word, such as `constructor`, must find nothing. */
const BY_WORD = new Map<string | undefined, ApiFailure>([
  ['billing_error', 'billing'],
  ['rate_limit', 'rate_limit'],
  ['overloaded', 'rate_limit'],
  ['authentication_failed', 'authentication'],
  ['oauth_org_not_allowed', 'authentication'],
  ['account_on_hold', 'authentication'],
  ['verification_required', 'authentication'],
  ['cloud_credential_error', 'authentication'],
  ['model_not_found', 'model_not_found'],
  ['invalid_request', 'invalid_request'],
]);

const BY_STATUS = new Map<unknown, ApiFailure>([
  [401, 'authentication'],
  [402, 'billing'],
  [403, 'authentication'],
  [404, 'model_not_found'],
  [429, 'rate_limit'],
  [529, 'rate_limit'],
]);

const OVERFLOW = new Set<unknown>(['prompt_too_long', 'blocking_limit', 'rapid_refill_breaker']);

/** Reads an error result. The CLI files an overload under `server_error` and lack of credit under the status 400. */
export function apiFailure(result: JsonObject, assistantError: string | undefined): ApiFailure {
  const status = result.api_error_status;
  const errorType = stringField(result, 'api_error_type');
  if (result.api_error === 'connection_failed') return 'connection_failed';
  if (OVERFLOW.has(result.terminal_reason)) return 'context_overflow';
  if (errorType === 'billing_error' || isAboutCredit(result)) return 'billing';
  if (status === 529 || errorType === 'overloaded_error') return 'rate_limit';
  const known = BY_WORD.get(assistantError) ?? BY_STATUS.get(status);
  if (known !== undefined) return known;
  if (typeof status === 'number') return status >= 500 ? 'server_error' : 'invalid_request';
  // The CLI blames the server although no HTTP answer came: it timed out.
  return assistantError === 'server_error' ? 'connection_failed' : 'unknown';
}

/** Nothing but the text says so when the assistant message was not seen. */
function isAboutCredit(result: JsonObject): boolean {
  return /credit balance is too low/i.test(stringField(result, 'result') ?? '');
}

const AFTER_CHANGE: Partial<Record<ApiFailure, string>> = {
  billing: 'Add credit to the account; until then every call fails.',
  authentication: 'Check the API key or the login, and what it may use.',
  context_overflow: 'Make the prompt, its attachments or the tool list smaller.',
  invalid_request: 'Change what the API names; the same request is refused again.',
  model_not_found: 'Choose a model that exists and that the key may use.',
};

/** @param turn - `isUntouched`: it failed before a tool could have run, so a repetition does nothing twice. */
export function apiAdvice(
  failure: ApiFailure,
  turn: { readonly isUntouched: boolean; readonly retryAfterMs: number | null },
): RetryAdvice {
  const change = AFTER_CHANGE[failure];
  if (change !== undefined) return advise('after_change', change);
  return turn.isUntouched
    ? advise('safe', 'Wait, then repeat the call.', turn.retryAfterMs)
    : advise('unsafe', `Wait. ${RESUME}`, turn.retryAfterMs);
}
