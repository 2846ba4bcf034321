import { readFields } from '../options/read-fields.js';
import type { Session } from '../state/index.js';
import { isLeftOut, readWorkspace, type WorkspaceFiles } from './read-workspace.js';
import { requireSession, requireWorkspace } from './require-workspace.js';
import { formatVfsPath } from './vfs-path.js';
import {
  DeleteEntry,
  isExecutable,
  registerVfsReducers,
  type VfsFile,
  VirtualFileSystem,
  WriteFile,
} from './virtual-file-system.js';
import type { ClaudeAgentWorkspace } from './workspace.js';

/** Numbers of files. */
export interface WorkspaceSync {
  /** `created` and `modified` together. */
  readonly synced: number;
  readonly created: number;
  readonly modified: number;
  readonly deleted: number;
  /** Not UTF-8, too large to keep as text, or not readable. */
  readonly skipped: number;
}

/**
 * Brings the session's `VirtualFileSystem` up to what lies in the workspace. Nothing calls this by itself.
 *
 * Links and folders named `.claude` do not count. A file that stopped being text stays as it was.
 *
 * @param options.deletions - Whether files that are gone are removed from the slice. Default `true`.
 */
export async function syncWorkspaceToVfs(
  session: Session,
  workspace: ClaudeAgentWorkspace,
  options: { readonly deletions?: boolean | undefined } = {},
): Promise<WorkspaceSync> {
  requireSession('syncWorkspaceToVfs', session);
  requireWorkspace('syncWorkspaceToVfs', workspace);
  readFields(options, 'options', ['deletions']).boolean('deletions', true);
  const { texts, opaque, unread } = await readWorkspace(workspace.tempDir);
  registerVfsReducers(session);
  const slice = session.query(VirtualFileSystem).latest();
  const known = new Map(slice?.files.map((file) => [formatVfsPath(file.path), file]));
  const vfs = session.mutate(VirtualFileSystem);
  // Before anything is written: what was a file may be a folder now, and a deletion takes what is below along.
  const isGone = goneFrom({ texts, opaque, unread }, options.deletions !== false);
  const gone = [...known.values()].filter(({ path }) => isGone(formatVfsPath(path)));
  for (const { path } of gone) vfs.dispatch(DeleteEntry, { path });
  let created = 0;
  let modified = 0;
  for (const { path, content, permissions } of texts) {
    const old = known.get(path);
    const isSame = isExecutable(old?.permissions) === isExecutable(permissions);
    if (old?.content === content && isSame) continue;
    if (old === undefined) created += 1;
    else modified += 1;
    vfs.dispatch(WriteFile, {
      path: { segments: path.split('/') },
      content,
      mode: old === undefined ? 'create' : 'overwrite',
      permissions,
    });
  }
  const skipped = opaque.length + unread.length;
  return { synced: created + modified, created, modified, deleted: gone.length, skipped };
}

/** Says of the path of a file whether it is to leave the slice. */
function goneFrom(
  { texts, opaque, unread }: WorkspaceFiles,
  withDeletions: boolean,
): (path: string) => boolean {
  const present = new Set([...texts, ...opaque].map(({ path }) => path));
  const folders = new Set([...present].flatMap(foldersAbove));
  const isUnread = (path: string) =>
    unread.some((each) => path === each || path.startsWith(`${each}/`));
  return (path) => {
    if (present.has(path)) return false;
    // Even without deletions: a name is that of a file or of a folder.
    const isReplaced = folders.has(path) || foldersAbove(path).some((each) => present.has(each));
    return isReplaced || (withDeletions && !isUnread(path));
  };
}

function foldersAbove(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
}

/**
 * Path to content of every text file that is new or was changed, as of the last `syncWorkspaceToVfs()`. Paths are below
 * the workspace, with `/`.
 */
export function extractModifiedFiles(
  session: Session,
  workspace: ClaudeAgentWorkspace,
): ReadonlyMap<string, string> {
  requireSession('extractModifiedFiles', session);
  requireWorkspace('extractModifiedFiles', workspace);
  return new Map(
    modifiedFiles(session, workspace).map((file) => [formatVfsPath(file.path), file.content]),
  );
}

export function modifiedFiles(
  session: Session,
  workspace: ClaudeAgentWorkspace,
): readonly VfsFile[] {
  const { files: initial } = workspace.vfsSnapshot;
  const before = new Map(initial.map((file) => [formatVfsPath(file.path), file]));
  const files = session.query(VirtualFileSystem).latest()?.files ?? [];
  return files.filter((file) => {
    const old = before.get(formatVfsPath(file.path));
    // One that was deleted and made anew has version 1 again.
    const isChanged = file.version > 1 || !isSameFile(old, file);
    return isChanged && !file.path.segments.some(isLeftOut);
  });
}

function isSameFile(a: VfsFile | undefined, b: VfsFile): boolean {
  return a?.content === b.content && isExecutable(a.permissions) === isExecutable(b.permissions);
}
