import { InvalidOptionError, SessionNotFoundError } from '../../errors.js';

/** Why there is no fork. */
export function forkError(
  sessionId: string,
  reason: 'no-messages' | 'unknown-message',
  upToMessageId: string | undefined,
): InvalidOptionError | SessionNotFoundError {
  return reason === 'no-messages'
    ? new SessionNotFoundError(sessionId, `Session ${sessionId} has no messages to fork`)
    : new InvalidOptionError(
        'upToMessageId',
        `Message ${upToMessageId} not found in session ${sessionId}`,
      );
}
