import { AdapterError, type AdapterErrorOptions } from './adapter-error.js';

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
