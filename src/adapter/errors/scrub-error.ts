import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import type { Redact } from '../logging/redact.js';

/**
 * `partial` and `rawOutput` are the caller's: what the model said. `report` was redacted when it was made. The others are
 * words of ours, and callers branch on them.
 */
const LEFT_ALONE = new Set('cause partial rawOutput report name errorClass phase'.split(' '));
/** Of a `RetryAdvice`. */
const ADVICE_WORDS = new Set(['retry']);

/**
 * Takes secrets out of an error of the SDK, in place: it becomes the `cause` of ours, and what the CLI wrote to stderr
 * stands in its message. Other errors belong to whoever threw them.
 */
export function scrubError(error: unknown, redact: Redact, seen = new Set<unknown>()): void {
  if (!isClaudeSDKError(error) || seen.has(error)) return;
  seen.add(error);
  for (const key of ['message', 'stack', ...Object.keys(error)]) {
    const value: unknown = Reflect.get(error, key);
    if (LEFT_ALONE.has(key) || value === undefined) continue;
    const clean = isPlain(value) ? redact.value(value, ADVICE_WORDS) : value;
    if (clean !== value) Reflect.defineProperty(error, key, { value: clean });
  }
  scrubError(error.cause, redact, seen);
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return true;
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
