import { InvalidOptionError } from '../errors.js';

/** For requests that the CLI answers only when the work is done. Milliseconds. */
const WORK_TIMEOUT_MS = 600_000;

/** The longest delay a timer takes; beyond it Node would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

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
        `\`timeoutMs\` of ${subtype} must be a number of milliseconds, 0 or Infinity for no limit; got ${String(ownMs)}`,
      );
    }
    return toLimit(ownMs);
  }
  const limit = toLimit(controlTimeoutMs);
  return WAITS_FOR_WORK.has(subtype) ? Math.max(WORK_TIMEOUT_MS, limit) : limit;
}

/** `0` and everything a timer cannot hold count as no limit. */
export function toLimit(ms: number): number {
  return ms === 0 || ms > MAX_TIMER_MS ? Number.POSITIVE_INFINITY : ms;
}
