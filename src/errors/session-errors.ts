import { ClaudeSDKError, type ClaudeSDKErrorOptions } from './claude-sdk-error.js';

/** The session was not found, or has nothing in it that can be used. */
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

  constructor(sessionId: string, path: string, message: string, options: ClaudeSDKErrorOptions = {}) {
    super(message, 'session_file_failed', options);
    this.sessionId = sessionId;
    this.path = path;
  }
}

/** What a store was asked, as far as it was about one session. */
export interface SessionStoreCall {
  /** The store's method, such as `load`. */
  readonly method: string;
  readonly sessionId?: string | undefined;
  readonly subpath?: string | undefined;
}

export interface SessionStoreErrorOptions extends ClaudeSDKErrorOptions {
  readonly errorClass?: 'session_store_failed' | 'session_store_timeout';
  /** Ends the message: what the store itself said. */
  readonly detail?: string;
}

/**
 * A `SessionStore` could not be used: a method rejected (`cause` is what it rejected with), gave no answer in time, or
 * returned something unusable.
 */
export class SessionStoreError extends ClaudeSDKError {
  override name = 'SessionStoreError';
  /** The store's method, such as `load`. */
  readonly method: string;
  readonly sessionId: string | undefined;
  readonly subpath: string | undefined;

  /** @param problem - Said after the method's name: `timed out after 60000ms`. */
  constructor(call: SessionStoreCall, problem: string, options: SessionStoreErrorOptions = {}) {
    const { method, sessionId, subpath } = call;
    const session = sessionId === undefined ? '' : ` for session ${sessionId}`;
    const part = subpath === undefined ? '' : ` subpath ${subpath}`;
    const detail = options.detail === undefined ? '' : `: ${options.detail}`;
    super(
      `SessionStore.${method}() ${problem}${session}${part}${detail}`,
      options.errorClass ?? 'session_store_failed',
      options,
    );
    this.method = method;
    this.sessionId = sessionId;
    this.subpath = subpath;
  }
}
