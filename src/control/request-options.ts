import { type ClaudeSDKError, InvalidOptionError, isClaudeSDKError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { errorText } from '../util/error-text.js';
import type { RequestOptions } from './controller-options.js';

/**
 * Checks what a caller gave with a request, so that nothing of it fails later, when the request is
 * pending. `null` counts as nothing, for the whole and for the signal. The time limit is checked
 * where it is worked out.
 *
 * @throws InvalidOptionError, or whatever a getter throws.
 */
export function checkRequestOptions(subtype: unknown, options: unknown): RequestOptions {
  if (typeof subtype !== 'string') {
    throw new InvalidOptionError(
      'subtype',
      `The subtype of a request must be a string; got ${describeValue(subtype)}`,
    );
  }
  if (options === undefined || options === null) return {};
  if (typeof options !== 'object') {
    throw new InvalidOptionError(
      'options',
      `The options of ${subtype} must be an object; got ${describeValue(options)}`,
    );
  }
  const { timeoutMs, signal } = options as RequestOptions;
  if (!isAbsent(signal) && !isSignal(signal)) {
    throw new InvalidOptionError(
      'signal',
      `\`signal\` of ${subtype} must be an AbortSignal; got ${describeValue(signal)}`,
    );
  }
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(isAbsent(signal) ? {} : { signal }),
  };
}

/** What to reject a request with that failed before, or while, it was written. */
export function toRequestError(thrown: unknown): ClaudeSDKError {
  if (isClaudeSDKError(thrown)) return thrown;
  return new InvalidOptionError('options', `The request cannot be made: ${errorText(thrown)}`, {
    cause: thrown,
  });
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function isSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { aborted, addEventListener, removeEventListener } = value as Partial<AbortSignal>;
  return (
    typeof aborted === 'boolean' &&
    typeof addEventListener === 'function' &&
    typeof removeEventListener === 'function'
  );
}
