import { readFields } from '../options/read-fields.js';
import { readWorkspace, type TextFile } from './read-workspace.js';
import { requireWorkspace } from './require-workspace.js';
import { type FileState, loadDiff } from './unified-diff.js';
import { formatVfsPath } from './vfs-path.js';
import { isExecutable } from './virtual-file-system.js';
import type { ClaudeAgentWorkspace } from './workspace.js';

/** All diffs of one call together, in characters. */
const MAX_DIFFS_LENGTH = 4_000_000;

export interface ChangedFile {
  /** Below the workspace, with `/`. */
  readonly path: string;
  readonly change: 'created' | 'modified' | 'deleted';
  /** Unified, as `git diff` prints it. Files that are not text, or too large to show, are named in one line. */
  readonly diff?: string;
}

interface State extends FileState {
  /** Equal when the content is, and whether it may be run. */
  readonly fingerprint: string;
}

/**
 * What differs between a workspace now and when it was made, sorted by path. Links and folders named `.claude` do not
 * count; a file that cannot be read counts as unchanged.
 */
export async function changedFiles(
  workspace: ClaudeAgentWorkspace,
  options: { readonly diff?: boolean | undefined } = {},
): Promise<readonly ChangedFile[]> {
  requireWorkspace('changedFiles', workspace);
  readFields(options, 'options', ['diff']).boolean('diff', false);
  const now = await readWorkspace(workspace.tempDir);
  const before = states(
    workspace.vfsSnapshot.files.map((file) => ({ ...file, path: formatVfsPath(file.path) })),
    workspace.opaqueFiles,
  );
  const after = states(now.texts, now.opaque);
  const isUnread = (path: string) =>
    now.unread.some((each) => path === each || path.startsWith(`${each}/`));
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path)?.fingerprint !== after.get(path)?.fingerprint)
    .filter((path) => !isUnread(path))
    .sort();
  const diffOf = options.diff === true && changed.length > 0 ? await loadDiff() : undefined;
  let length = 0;
  return changed.map((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    const change = was === undefined ? 'created' : is === undefined ? 'deleted' : 'modified';
    if (diffOf === undefined) return { path, change };
    const diff =
      length > MAX_DIFFS_LENGTH ? `${path}: too many changes to show\n` : diffOf(path, was, is);
    length += diff.length;
    return { path, change, diff };
  });
}

function states(
  texts: readonly (Omit<TextFile, 'permissions'> & { readonly permissions?: number | undefined })[],
  opaque: ClaudeAgentWorkspace['opaqueFiles'],
): ReadonlyMap<string, State> {
  return new Map([
    ...texts.map((file) => [file.path, stateOf(file, file.content, `=${file.content}`)] as const),
    ...opaque.map((file) => [file.path, stateOf(file, null, `#${file.sha256}`)] as const),
  ]);
}

function stateOf(
  { permissions }: { readonly permissions?: number | undefined },
  text: string | null,
  content: string,
): State {
  const canRun = isExecutable(permissions);
  return { text, isExecutable: canRun, fingerprint: `${canRun ? 'x' : '-'}${content}` };
}
