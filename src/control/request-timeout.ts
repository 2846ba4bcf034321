import { InvalidOptionError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { toTimerLimit } from '../util/timer-limit.js';

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
  // Wait for a person, or for a service.
  'claude_oauth_callback',
  'claude_oauth_wait_for_completion',
  'mcp_oauth_callback_url',
  'submit_feedback',
  'ultrareview_launch',
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
