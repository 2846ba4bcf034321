import { ClaudeSDKError, type ClaudeSDKErrorOptions } from './claude-sdk-error.js';

/** There is no such session where it was looked for, or nothing in it that could be used. */
export class SessionNotFoundError extends ClaudeSDKError {
  override name = 'SessionNotFoundError';
  readonly sessionId: string;

  constructor(sessionId: string, message: string, options: ClaudeSDKErrorOptions = {}) {
    super(message, 'session_not_found', options);
    this.sessionId = sessionId;
  }
}

/** The system refused to read or change a file of a session. `code` is what it said, such as `EACCES`. */
export class SessionFileError extends ClaudeSDKError {
  override name = 'SessionFileError';
  readonly sessionId: string;
  readonly path: string;

  constructor(
    sessionId: string,
    path: string,
    message: string,
    options: ClaudeSDKErrorOptions = {},
  ) {
    super(message, 'session_file_failed', options);
    this.sessionId = sessionId;
    this.path = path;
  }
}
