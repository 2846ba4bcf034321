import type { SessionStoreCall } from '../../errors/session-errors.js';
import { SessionStoreError } from '../../errors.js';
import { errorText } from '../../util/error-text.js';

/**
 * What a call to the store gives. The session ends with what it throws, so that must say which call it was.
 *
 * @throws SessionStoreError it rejected (`cause`), or what the call itself says of it; the signal's reason when it aborted.
 */
export async function namingCall<T>(
  call: SessionStoreCall,
  answer: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SessionStoreError || signal.aborted) throw error;
    throw new SessionStoreError(call, 'failed', { detail: errorText(error), cause: error });
  }
}
