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
