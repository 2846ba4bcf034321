import { InvalidOptionError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { toTimerLimit } from '../util/timer-limit.js';

/** For requests that the CLI answers only when the work is done. Milliseconds. */
export const WORK_TIMEOUT_MS = 600_000;

const WAITS_FOR_WORK: ReadonlySet<string> = new Set([
  'mcp_reconnect',
  'mcp_set_servers',
  'mcp_toggle',
  'mcp_call',
  'set_model',
  'reload_plugins',
  'get_context_usage',
  'side_question',
]);

/**
 * How long to wait for the answer to one control request.
 *
 * @param ownMs - The call's `timeoutMs`; it wins. `0` or `Infinity`: no limit.
 * @param controlTimeoutMs - The session's limit. Requests that wait for work get at least 600 s.
 * @returns milliseconds, `Infinity` for no limit.
 * @throws InvalidOptionError `ownMs` is negative or not a number.
 */
export function requestTimeoutMs(
  subtype: string,
  ownMs: number | undefined,
  controlTimeoutMs: number,
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
  const limit = toTimerLimit(controlTimeoutMs);
  return WAITS_FOR_WORK.has(subtype) ? Math.max(WORK_TIMEOUT_MS, limit) : limit;
}
