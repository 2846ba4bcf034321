import { errorText } from '../util/error-text.js';

const MARK: unique symbol = Symbol.for('claudewire.error');

/** Stable within a major version. Where the official SDK has a name for a failure, it is that name. */
export type ErrorClass =
  | 'aborted'
  | 'connection_failed'
  | 'query_closed'
  | 'not_connected'
  | 'executable_not_found'
  | 'executable_launch_failed'
  | 'cli_version_unsupported'
  | 'process_error'
  | 'process_exited_nonzero'
  | 'process_killed_by_signal'
  | 'error_result'
  | 'frame_invalid'
  | 'frame_too_large'
  | 'message_invalid'
  | 'claim_failed'
  | 'control_request_failed'
  | 'control_request_timeout'
  | 'initialize_timeout'
  | 'idle_timeout'
  | 'deadline_exceeded'
  | 'queue_limit_exceeded'
  | 'spool_failed'
  | 'prompt_failed'
  | 'incomplete_stream'
  | 'invalid_option'
  | 'session_not_found'
  | 'session_file_failed'
  | 'session_store_failed'
  | 'session_store_timeout'
  | 'not_supported'
  | AdapterErrorClass;

/** Of the errors of `claudewire/adapter`. */
export type AdapterErrorClass =
  | 'adapter_config_invalid'
  | 'unsupported_parameter'
  | 'value_invalid'
  | 'prompt_invalid'
  | 'prompt_render_failed'
  | 'visibility_expansion_required'
  | 'evaluation_failed'
  | 'throttled'
  | 'budget_exhausted'
  | 'output_invalid'
  | 'workspace_refused'
  | 'workspace_budget_exceeded'
  | 'workspace_source_missing'
  | 'workspace_conflict';

export interface ClaudeSDKErrorOptions {
  cause?: unknown;
  /** What to try next, as one sentence. */
  readonly hint?: string;
  /** What Node or the CLI called it, such as `ENOENT`. */
  readonly code?: string;
}

/**
 * Base of every error of this package. What your own `spawnClaudeCodeProcess` throws, or the `sessionStore` of functions
 * such as `listSessions()`, comes as it is. Branch on `errorClass`. Use {@link isClaudeSDKError} rather than `instanceof`
 * when two copies of the package may be installed.
 */
export class ClaudeSDKError extends Error {
  override name = 'ClaudeSDKError';
  readonly errorClass: ErrorClass;
  readonly hint: string | undefined;
  /** What Node or the CLI called it, such as `ENOENT`. */
  declare readonly code?: string;

  constructor(message: string, errorClass: ErrorClass, options: ClaudeSDKErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.errorClass = errorClass;
    this.hint = options.hint;
    if (options.code !== undefined) this.code = options.code;
  }

  get [MARK](): true {
    return true;
  }

  /**
   * A plain object for logs: name, message, errorClass, code, hint, the class's own fields, and the cause's message.
   */
  toJSON(): Record<string, unknown> {
    const { name, message, cause, ...own } = this;
    return {
      ...own,
      name,
      message,
      // Test runners put copies without a prototype in the place of causes.
      ...(cause === undefined ? {} : { cause: errorText(cause) }),
    };
  }
}

/** True for every error of this package, also one thrown by another installed copy of it. */
export function isClaudeSDKError(value: unknown): value is ClaudeSDKError {
  try {
    return typeof value === 'object' && value !== null && MARK in value;
  } catch {
    // A proxy that throws is not our error, and the check must not throw.
    return false;
  }
}
