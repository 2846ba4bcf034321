import { ClaudeSDKError, type ClaudeSDKErrorOptions } from './claude-sdk-error.js';

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
 * returned something that is no answer.
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
