import type { Session } from '../session/session.js';
import { isLeftOut } from './read-workspace.js';
import { formatVfsPath } from './vfs-path.js';
import { type VfsFile, VirtualFileSystem } from './virtual-file-system.js';
import type { ClaudeAgentWorkspace } from './workspace.js';

/**
 * Path to content of every text file that is new or was changed, as of the last `syncWorkspaceToVfs()`. Paths are below
 * the workspace, with `/`.
 */
export function extractModifiedFiles(
  session: Session,
  workspace: ClaudeAgentWorkspace,
): ReadonlyMap<string, string> {
  return new Map(
    modifiedFiles(session, workspace).map((file) => [formatVfsPath(file.path), file.content]),
  );
}

export function modifiedFiles(
  session: Session,
  workspace: ClaudeAgentWorkspace,
): readonly VfsFile[] {
  const initial = new Set(workspace.vfsSnapshot.files.map(({ path }) => formatVfsPath(path)));
  const files = session.query(VirtualFileSystem).latest()?.files ?? [];
  return files.filter(
    ({ path, version }) =>
      (version > 1 || !initial.has(formatVfsPath(path))) && !path.segments.some(isLeftOut),
  );
}
