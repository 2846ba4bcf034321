/** The workspace toolkit: workspaces with copies of host files. All of it is public. */

export { formatVfsPath, type VfsPath, vfsPath } from './vfs-path.js';
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
