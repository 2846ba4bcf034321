import { ClaudeSDKError, type ClaudeSDKErrorOptions, type ErrorClass } from '../../errors/claude-sdk-error.js';
import type { RetryAdvice, RunReport } from '../report/run-report.js';

/** @param retryAfterMs - Milliseconds; `null` when unknown. */
export function advise(retry: RetryAdvice['retry'], action: string, retryAfterMs: number | null = null): RetryAdvice {
  return { retry, retryAfterMs, action };
}

export const RESUME =
  'Resume the session of `partial.cliSessionId`, or repeat the call when doing the work twice does no harm.';

export interface AdapterErrorOptions extends ClaudeSDKErrorOptions {
  readonly retryAdvice?: RetryAdvice;
}

/** Base of every error of the adapter layer, and a `ClaudeSDKError`. */
export class AdapterError extends ClaudeSDKError {
  override name = 'AdapterError';
  readonly retryAdvice: RetryAdvice;
  /** What is known of the run that failed. `undefined` when it failed outside of a run. */
  report: RunReport | undefined = undefined;

  constructor(message: string, errorClass: ErrorClass, options: AdapterErrorOptions = {}) {
    super(message, errorClass, options);
    this.retryAdvice =
      options.retryAdvice ?? advise('after_change', 'Change what the message names; the same call fails again.');
  }
}

/** A configuration that cannot be used, or a machine that cannot give what it asks for. Nothing was sent to a model. */
export class AdapterConfigError extends AdapterError {
  override name = 'AdapterConfigError';
  /** Paths of the fields, such as `isolation.sandbox.required`. */
  readonly fields: readonly string[];

  constructor(message: string, fields: readonly string[], options: AdapterErrorOptions = {}) {
    super(message, 'adapter_config_invalid', options);
    this.fields = fields;
  }
}

/** Model parameters that the CLI has no counterpart for and whose loss would change results. */
export class UnsupportedParameterError extends AdapterError {
  override name = 'UnsupportedParameterError';
  /** Their names, in alphabetical order. */
  readonly fields: readonly string[];

  constructor(fields: readonly string[]) {
    const sorted = [...fields].sort();
    super(
      `Claude Code has no counterpart for ${sorted.map((name) => `\`${name}\``).join(', ')}`,
      'unsupported_parameter',
      { hint: 'Leave them out.' },
    );
    this.fields = sorted;
  }
}

/** A path that leaves its root, by whatever way. Nothing outside was read or written. */
export class WorkspaceSecurityError extends AdapterError {
  override name = 'WorkspaceSecurityError';
  readonly path: string;

  constructor(path: string, message: string, options: AdapterErrorOptions = {}) {
    super(message, 'workspace_refused', options);
    this.path = path;
  }
}

/** A mount is larger than its `maxBytes`. */
export class WorkspaceBudgetExceededError extends AdapterError {
  override name = 'WorkspaceBudgetExceededError';
  /** The file that would have passed the limit. */
  readonly path: string;

  constructor(path: string, message: string, options: AdapterErrorOptions = {}) {
    super(message, 'workspace_budget_exceeded', options);
    this.path = path;
  }
}

/** What is to be mounted does not exist. */
export class WorkspaceSourceMissingError extends AdapterError {
  override name = 'WorkspaceSourceMissingError';
  readonly path: string;

  constructor(path: string, message: string, options: AdapterErrorOptions = {}) {
    super(message, 'workspace_source_missing', options);
    this.path = path;
  }
}

/** A file that `writeBackToHost()` keeps as the host has it. */
export interface WriteBackConflict {
  /** Below the workspace, with `/`. */
  readonly path: string;
  /** Absolute. */
  readonly hostPath: string;
  /**
   * What happened on the host since the file was mounted, or last written back. `not_a_file`: a folder, a device or the
   * like has its name, or a file has the name of a folder above it. `unreadable`: it is not known whether it changed.
   */
  readonly reason: 'edited' | 'deleted' | 'created' | 'mode_changed' | 'not_a_file' | 'unreadable';
}

/**
 * Files of the host changed since they were mounted, and `writeBackToHost()` was told to write all or nothing: nothing
 * was written.
 */
export class WorkspaceConflictError extends AdapterError {
  override name = 'WorkspaceConflictError';
  readonly conflicts: readonly WriteBackConflict[];

  constructor(conflicts: readonly WriteBackConflict[], message: string, options: AdapterErrorOptions = {}) {
    super(message, 'workspace_conflict', options);
    this.conflicts = conflicts;
  }
}
