import { AbortError } from '../errors.js';

/** The error of a run that its caller's signal stopped; `cause` is the signal's reason. */
export function abortError(signal: AbortSignal | undefined): AbortError {
  return new AbortError('Claude Code process aborted by user', { cause: signal?.reason });
}
