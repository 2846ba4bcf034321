/**
 * Workspaces with copies of host files, and directories that are safe against swapped links. Import this file from
 * outside.
 */

export { AnchoredDirectory } from './anchored-directory.js';
export { removeDirectory } from './remove-directory.js';
export { formatVfsPath, type VfsPath, vfsPath } from './vfs-path.js';
export { closing } from './walk-down.js';
export {
  ClaudeAgentWorkspace,
  DeleteEntry,
  type HostMount,
  type HostMountPreview,
  type OpaqueFile,
  type VfsFile,
  VirtualFileSystem,
  WriteFile,
} from './workspace.js';
export {
  type ChangedFile,
  changedFiles,
  extractModifiedFiles,
  syncWorkspaceToVfs,
  type WorkspaceSync,
} from './workspace-changes.js';
export { ClaudeAgentWorkspaceSection, type WorkspaceSectionOptions } from './workspace-section.js';
export * from './write-back.js';
