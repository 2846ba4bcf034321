import { type ClaudeSDKError, InvalidOptionError, isClaudeSDKError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { errorText } from '../util/error-text.js';
import { isAbortSignal } from '../util/on-abort.js';
import { toTimerLimit } from '../util/timer-limit.js';
import type { RequestOptions } from './controller-options.js';

/**
 * Checks what a caller gave with a request, so that nothing of it fails later, when the request is pending. `null`
 * counts as nothing, for the whole and for the signal. The time limit is checked where it is worked out.
 * @throws InvalidOptionError, or whatever a getter throws.
 */
export function checkRequestOptions(subtype: unknown, options: unknown): RequestOptions {
  if (typeof subtype !== 'string') throw unusable('subtype', 'The subtype of a request must be a string', subtype);
  if (options === undefined || options === null) return {};
  if (typeof options !== 'object') throw unusable('options', `The options of ${subtype} must be an object`, options);
  const { timeoutMs, signal } = options as RequestOptions;
  const hasSignal = signal !== undefined && signal !== null;
  if (hasSignal && !isAbortSignal(signal)) {
    throw unusable('signal', `\`signal\` of ${subtype} must be an AbortSignal`, signal);
  }
  return { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(hasSignal ? { signal } : {}) };
}

function unusable(option: string, rule: string, value: unknown): InvalidOptionError {
  return new InvalidOptionError(option, `${rule}; got ${describeValue(value)}`);
}

/** What to reject a request with that failed before, or while, it was written. */
export function toRequestError(thrown: unknown): ClaudeSDKError {
  if (isClaudeSDKError(thrown)) return thrown;
  return new InvalidOptionError('options', `The request cannot be made: ${errorText(thrown)}`, { cause: thrown });
}

/** Milliseconds, as all limits here. */
const DEFAULT_TIMEOUT_MS = 60_000;
/** The default for requests that the CLI answers only when the work is done. */
export const WORK_TIMEOUT_MS = 600_000;

const WAITS_FOR_WORK: ReadonlySet<string> = new Set([
  'mcp_reconnect',
  'mcp_set_servers',
  'mcp_toggle',
  'mcp_call',
  'reload_plugins',
  'get_context_usage',
  'side_question',
]);

/**
 * How long to wait for the answer to one control request.
 * @param ownMs - The call's `timeoutMs`; it wins. `0` or `Infinity`: no limit.
 * @param controlTimeoutMs - The limit that the caller set for every request. `undefined`: 60 s, and 600 s for requests
 * that wait for work.
 * @returns milliseconds, `Infinity` for no limit.
 * @throws InvalidOptionError `ownMs` is negative or not a number.
 */
export function requestTimeoutMs(
  subtype: string,
  ownMs: number | undefined,
  controlTimeoutMs: number | undefined,
): number {
  if (ownMs !== undefined) {
    if (typeof ownMs !== 'number' || !(ownMs >= 0)) {
      throw new InvalidOptionError(
        'timeoutMs',
        `\`timeoutMs\` of ${subtype} must be a number of milliseconds, 0 or Infinity for no limit; got ${describeValue(ownMs)}`,
      );
    }
    return toTimerLimit(ownMs);
  }
  if (controlTimeoutMs !== undefined) return toTimerLimit(controlTimeoutMs);
  return WAITS_FOR_WORK.has(subtype) ? WORK_TIMEOUT_MS : DEFAULT_TIMEOUT_MS;
}
