import { InvalidOptionError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { isAbortSignal } from '../util/on-abort.js';
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
