import { readFields } from '../options/read-fields.js';
import type { Session } from '../session/session.js';
import { readWorkspace } from './read-workspace.js';
import { formatVfsPath } from './vfs-path.js';
import {
  DeleteEntry,
  registerVfsReducers,
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
  readFields(options, 'options', ['deletions']).boolean('deletions', true);
  const { texts, opaque, unread } = await readWorkspace(workspace.tempDir);
  registerVfsReducers(session);
  const slice = session.query(VirtualFileSystem).latest();
  const known = new Map(slice?.files.map((file) => [formatVfsPath(file.path), file]));
  let created = 0;
  let modified = 0;
  let deleted = 0;
  for (const { path, content } of texts) {
    const old = known.get(path);
    if (old?.content === content) continue;
    if (old === undefined) created += 1;
    else modified += 1;
    session.mutate(VirtualFileSystem).dispatch(WriteFile, {
      path: { segments: path.split('/') },
      content,
      mode: old === undefined ? 'create' : 'overwrite',
    });
  }
  if (options.deletions !== false) {
    const present = new Set([...texts, ...opaque].map(({ path }) => path));
    const isThere = (path: string) =>
      present.has(path) || unread.some((each) => path === each || path.startsWith(`${each}/`));
    for (const [path, file] of known) {
      if (isThere(path)) continue;
      deleted += 1;
      session.mutate(VirtualFileSystem).dispatch(DeleteEntry, { path: file.path });
    }
  }
  const skipped = opaque.length + unread.length;
  return { synced: created + modified, created, modified, deleted, skipped };
}
