import { isDeepStrictEqual } from 'node:util';
import { readFields } from '../options/read-fields.js';
import type { Session } from '../state/index.js';
import { isLeftOut, readWorkspace, type WorkspaceFiles } from './read-workspace.js';
import { formatVfsPath } from './vfs-path.js';
import {
  type ClaudeAgentWorkspace,
  DeleteEntry,
  isExecutable,
  type OpaqueFile,
  registerVfsReducers,
  requireSession,
  requireWorkspace,
  type VfsFile,
  VirtualFileSystem,
  WriteFile,
} from './workspace.js';

/** Counts of files. */
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
 * Updates the session's `VirtualFileSystem` from the files of the workspace. You call it; nothing else does. Links and
 * folders named `.claude` are ignored. A file that is no longer text keeps its last content.
 * @param options.deletions - Removes missing files from the slice. @defaultValue `true`
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
  // Deletions first: a file may be a folder now, and a deletion removes everything below.
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

/** Returns a function that says whether a file leaves the slice. */
function goneFrom({ texts, opaque, unread }: WorkspaceFiles, withDeletions: boolean): (path: string) => boolean {
  const present = new Set([...texts, ...opaque].map(({ path }) => path));
  const folders = new Set([...present].flatMap(foldersAbove));
  return (path) => {
    if (present.has(path)) return false;
    // Even without `deletions`: a name cannot be a file and a folder.
    const isReplaced = folders.has(path) || foldersAbove(path).some((each) => present.has(each));
    return isReplaced || (withDeletions && !isUnread({ unread }, path));
  };
}

function isUnread({ unread }: Pick<WorkspaceFiles, 'unread'>, path: string): boolean {
  return unread.some((each) => path === each || path.startsWith(`${each}/`));
}

function foldersAbove(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
}

/**
 * The content of every new or changed text file by its path, as of the last `syncWorkspaceToVfs()`. Paths are below the
 * workspace, with `/`.
 */
export function extractModifiedFiles(session: Session, workspace: ClaudeAgentWorkspace): ReadonlyMap<string, string> {
  requireSession('extractModifiedFiles', session);
  requireWorkspace('extractModifiedFiles', workspace);
  return new Map(modifiedFiles(session, workspace).map((file) => [formatVfsPath(file.path), file.content]));
}

export function modifiedFiles(session: Session, workspace: ClaudeAgentWorkspace): readonly VfsFile[] {
  const { files: initial } = workspace.vfsSnapshot;
  const before = new Map(initial.map((file) => [formatVfsPath(file.path), file]));
  const files = session.query(VirtualFileSystem).latest()?.files ?? [];
  return files.filter((file) => {
    const old = before.get(formatVfsPath(file.path));
    // A file that was deleted and made again has version 1.
    const isChanged = file.version > 1 || !isSameFile(old, file);
    return isChanged && !file.path.segments.some(isLeftOut);
  });
}

function isSameFile(a: VfsFile | undefined, b: VfsFile): boolean {
  return a?.content === b.content && isExecutable(a.permissions) === isExecutable(b.permissions);
}

/** Limit for all diffs of one call, in characters. */
const MAX_DIFFS_LENGTH = 4_000_000;

export interface ChangedFile {
  /** Below the workspace, with `/`. */
  readonly path: string;
  readonly change: 'created' | 'modified' | 'deleted';
  /** A unified diff, as `git diff` prints it. One line for files that are not text or too large. */
  readonly diff?: string;
}

/**
 * The changes of a workspace since it was made, sorted by path. Links and folders named `.claude` are ignored. An
 * unreadable file counts as unchanged.
 */
export async function changedFiles(
  workspace: ClaudeAgentWorkspace,
  options: { readonly diff?: boolean | undefined } = {},
): Promise<readonly ChangedFile[]> {
  requireWorkspace('changedFiles', workspace);
  readFields(options, 'options', ['diff']).boolean('diff', false);
  const now = await readWorkspace(workspace.tempDir);
  const texts = workspace.vfsSnapshot.files.map((file) => ({ ...file, path: formatVfsPath(file.path) }));
  const before = states([...texts, ...workspace.opaqueFiles]);
  const after = states([...now.texts, ...now.opaque]);
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => !isDeepStrictEqual(before.get(path), after.get(path)) && !isUnread(now, path))
    .sort();
  const diffOf = options.diff === true && changed.length > 0 ? await loadDiff() : undefined;
  let length = 0;
  return changed.map((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    const change = was === undefined ? 'created' : is === undefined ? 'deleted' : 'modified';
    if (diffOf === undefined) return { path, change };
    const diff = length > MAX_DIFFS_LENGTH ? `${path}: too many changes to show\n` : diffOf(path, was, is);
    length += diff.length;
    return { path, change, diff };
  });
}

interface FileState {
  /** `null` when it is not text. */
  readonly text: string | null;
  /** Of a file that is not text. */
  readonly sha256: string | undefined;
  readonly isExecutable: boolean;
}

type ListedFile = Pick<OpaqueFile, 'path' | 'permissions'> &
  ({ readonly content: string } | { readonly sha256: string });

function states(files: readonly ListedFile[]): ReadonlyMap<string, FileState> {
  return new Map(
    files.map((file) => {
      const [text, sha256] = 'content' in file ? [file.content, undefined] : [null, file.sha256];
      return [file.path, { text, sha256, isExecutable: isExecutable(file.permissions) }];
    }),
  );
}

/** For both texts together: the diff of larger ones takes long. */
const MAX_TEXT_LENGTH = 2_000_000;
/** Lines that were added or removed. */
const MAX_EDITS = 2_000;
const MAX_DIFF_LENGTH = 256_000;

/** Makes the diff of one file as `git diff` does. One line for files that are binary, too large or too different. */
type DiffOf = (path: string, before: FileState | undefined, after: FileState | undefined) => string;

async function loadDiff(): Promise<DiffOf> {
  const { formatPatch, structuredPatch } = await import('diff/lib/patch/create.js');
  return (path, before, after) => {
    const oldName = before === undefined ? '/dev/null' : `a/${path}`;
    const newName = after === undefined ? '/dev/null' : `b/${path}`;
    const oldText = before === undefined ? '' : before.text;
    const newText = after === undefined ? '' : after.text;
    if (oldText === null || newText === null) return `Binary files ${oldName} and ${newName} differ\n`;
    const tooLarge = `Files ${oldName} and ${newName} differ: too much to show\n`;
    if (oldText.length + newText.length > MAX_TEXT_LENGTH) return tooLarge;
    const options = { context: 3, maxEditLength: MAX_EDITS };
    const patch = structuredPatch(oldName, newName, oldText, newText, undefined, undefined, options);
    if (patch === undefined) return tooLarge;
    const diff = formatPatch({
      ...patch,
      isGit: true,
      isCreate: before === undefined,
      isDelete: after === undefined,
      ...modesOf(before, after),
    });
    return diff.length > MAX_DIFF_LENGTH ? tooLarge : diff;
  };
}

/** Modes of a changed file are shown only when they differ. */
function modesOf(before: FileState | undefined, after: FileState | undefined) {
  if (before?.isExecutable === after?.isExecutable) return {};
  return {
    ...(before === undefined ? {} : { oldMode: before.isExecutable ? '100755' : '100644' }),
    ...(after === undefined ? {} : { newMode: after.isExecutable ? '100755' : '100644' }),
  };
}
