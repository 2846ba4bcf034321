import type { PermissionMode } from '../../../control/permission-types.js';

/** What tools may do. Rules are written `Tool` or `Tool(pattern)`. Open: unknown keys reach the CLI. */
export interface PermissionSettings {
  allow?: string[];
  deny?: string[];
  ask?: string[];
  /** The mode that sessions start in. */
  defaultMode?: PermissionMode;
  disableBypassPermissionsMode?: 'disable';
  disableAutoMode?: 'disable';
  /** Where a question would come, the answer is no. */
  denyInsteadOfPrompting?: boolean;
  additionalDirectories?: string[];
  blockReadsOutsideWorkingDirectories?: boolean;
  blockWritesOutsideWorkingDirectories?: boolean;
  /** Paths that may be read although they are outside. */
  blockReadsExemptPaths?: string[];
  workingDirectoriesAsGiven?: string[];
  workingDirectoriesExclude?: string[];
  [setting: string]: unknown;
}

/** How the `auto` mode judges, in sentences that its classifier reads. */
export interface AutoModeSettings {
  allow?: string[];
  soft_deny?: string[];
  hard_deny?: string[];
  environment?: string[];
  classifyAllShell?: boolean;
}
