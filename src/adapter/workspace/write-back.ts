import { join } from 'node:path';
import { oneOf } from '../../util/validate.js';
import { WorkspaceConflictError, type WriteBackConflict } from '../errors/adapter-error.js';
import { checkFields } from '../options/read-fields.js';
import type { Session } from '../state/index.js';
import type { AnchoredDirectory } from './anchored-directory.js';
import type { FileFacts } from './file-content.js';
import { isConfiguration, repositoriesAmong, repositoryFolders } from './host-configuration.js';
import { includeJudge, inTarget, locate, repositoryJudge, type Wanted } from './host-target.js';
import { LateConflict, type Outcome, type Replacement, replaceFiles, sha256Of } from './journaled-write.js';
import { formatVfsPath, relativeSegments } from './vfs-path.js';
import {
  type ClaudeAgentWorkspace,
  isExecutable,
  requireSession,
  requireWorkspace,
  VirtualFileSystem,
} from './workspace.js';
import { modifiedFiles } from './workspace-changes.js';
import { recover } from './write-journal.js';

export interface WriteBackOptions {
  /**
   * For files of the host that have changed. `keep`: these stay, and all others are written. `error`: nothing is
   * written.
   * @defaultValue `'keep'`
   */
  readonly onConflict?: 'keep' | 'error' | undefined;
}

export interface WriteBackResult {
  /** Absolute paths of the files that are now as in the workspace. */
  readonly written: readonly string[];
  /** Files that have changed on the host. They were not written. */
  readonly conflicts: readonly WriteBackConflict[];
  /** Paths below the workspace that would be configuration of the host's CLI or Git. They were not written. */
  readonly leftOut: readonly string[];
}

/** The last known state of a file on the host. */
interface Expected {
  readonly sha256: string;
  readonly permissions: number | undefined;
  /** We mounted or wrote this very file. Another copy may be missing or have other permissions. */
  readonly isSameFile: boolean;
}

/**
 * What this process wrote, by the snapshot (which clones share) and the host path. A second write back finds the files
 * of the first one, not those that were mounted.
 */
const writtenBefore = new WeakMap<object, Map<string, FileFacts>>();

/**
 * Writes the files of `extractModifiedFiles()` below a directory of the host: all of them, or none when one fails.
 * Missing folders are made. Files that were deleted in the workspace stay on the host. A file that has changed on the
 * host since it was mounted is a conflict: it stays as it is, and the result names it. Configuration of the CLI and Git
 * is left out: folders named `.claude` or `.git`, `.mcp.json`, `.claude.json`, `.gitconfig` and everything that makes a
 * folder a repository. A killed process leaves a journal, and the next call undoes what it did.
 * @param targetDir - Absolute, or relative to the directory of this process.
 * @returns what was written, what is in conflict and what was left out.
 * @throws {@link WorkspaceConflictError} only with `onConflict: 'error'`. Nothing was written.
 * @throws {@link WorkspaceSecurityError} a link leads out of `targetDir`, or to configuration. Nothing was written.
 * @throws {@link AdapterConfigError} the directory cannot be written. Nothing was, unless the message says so.
 */
export async function writeBackToHost(
  session: Session,
  workspace: ClaudeAgentWorkspace,
  targetDir: string,
  options: WriteBackOptions = {},
): Promise<WriteBackResult> {
  requireSession('writeBackToHost', session);
  requireWorkspace('writeBackToHost', workspace);
  checkFields(options, 'options', { onConflict: oneOf('keep', 'error') });
  const repositories = repositoriesAmong(
    (session.query(VirtualFileSystem).latest()?.files ?? []).map(({ path, content }) => ({
      path: formatVfsPath(path),
      content,
    })),
  );
  const isOfRepository = (segments: readonly string[]) =>
    repositoryFolders(segments).some((folder) => repositories.has(folder.join('/')));
  const isAllOrNothing = options.onConflict === 'error';
  const leftOut: string[] = [];
  const files = modifiedFiles(session, workspace).filter(({ path }) => {
    const isOut = isConfiguration(path.segments) || isOfRepository(path.segments);
    if (isOut) leftOut.push(formatVfsPath(path));
    return !isOut;
  });
  const segmentsOf = files.map(({ path }) => relativeSegments(path, process.platform));
  return inTarget(targetDir, files.length > 0, async (root) => {
    await recover(root);
    const wanted: Wanted[] = [];
    const isInRepository = repositoryJudge(root);
    const isIncluded = includeJudge(root);
    for (const [index, file] of files.entries()) {
      const each = await locate(root, file, segmentsOf[index] ?? []);
      if ((await isInRepository(each.located)) || (await isIncluded(each.located))) leftOut.push(each.path);
      else wanted.push(each);
    }
    const { written, conflicts } = await write(root, wanted, { workspace, isAllOrNothing });
    return { written, conflicts, leftOut: leftOut.sort() };
  }).then((result) => result ?? { written: [], conflicts: [], leftOut: leftOut.sort() });
}

/**
 * Undoes a write back whose process was killed. `writeBackToHost()` does the same before it writes, unless the process
 * ran in another container or on another machine, where it may still be alive. Call this then, while no other process
 * writes there. Files that have changed since stay as they are.
 * @param targetDir - The directory that `writeBackToHost()` got.
 * @returns absolute paths of the restored files.
 */
export async function recoverWriteBack(targetDir: string): Promise<readonly string[]> {
  const undone = await inTarget(targetDir, false, async (root) => {
    const paths = await recover(root, (owner) => owner !== 'alive');
    return paths.map((segments) => join(root.path, ...segments));
  });
  return undone ?? [];
}

async function write(
  root: AnchoredDirectory,
  wanted: readonly Wanted[],
  how: { readonly workspace: ClaudeAgentWorkspace; readonly isAllOrNothing: boolean },
): Promise<{ readonly written: string[]; readonly conflicts: readonly WriteBackConflict[] }> {
  const { workspace, isAllOrNothing } = how;
  const expectedOf = expectations(root.path, workspace);
  const outcomes = new Map<Wanted, Outcome | undefined>();
  const replacements = new Map<Wanted, Replacement>();
  for (const each of wanted) {
    const decision = decide(each, expectedOf(each));
    if (decision !== undefined && 'name' in decision) replacements.set(each, decision);
    else outcomes.set(each, decision);
  }
  const conflictsNow = () =>
    wanted.flatMap((each) => {
      const outcome = outcomes.get(each);
      if (outcome === undefined || !('conflict' in outcome)) return [];
      return [{ path: each.path, hostPath: each.hostPath, reason: outcome.conflict }];
    });
  if (isAllOrNothing && conflictsNow().length > 0) throw conflictError(conflictsNow());
  const note = (found: readonly (Outcome | undefined)[]) => {
    for (const [index, each] of [...replacements.keys()].entries()) outcomes.set(each, found[index]);
  };
  try {
    if (replacements.size > 0) note(await replaceFiles(root, [...replacements.values()], isAllOrNothing));
  } catch (error) {
    if (!(error instanceof LateConflict)) throw error;
    note(error.outcomes);
    throw conflictError(conflictsNow());
  }
  const before = writtenBefore.get(workspace.vfsSnapshot) ?? new Map<string, FileFacts>();
  writtenBefore.set(workspace.vfsSnapshot, before);
  const written: string[] = [];
  for (const each of wanted) {
    const outcome = outcomes.get(each);
    if (outcome === undefined || !('written' in outcome)) continue;
    before.set(each.hostPath, outcome.written);
    written.push(each.hostPath);
  }
  return { written, conflicts: conflictsNow() };
}

/** What to write, or the outcome without writing. `undefined`: the model did not change the file. */
function decide({ file, located, there }: Wanted, expected: Expected | undefined): Replacement | Outcome | undefined {
  const sha256 = sha256Of(file.content);
  const canRun = isExecutable(file.permissions);
  const isUnchanged = expected?.sha256 === sha256 && isExecutable(expected.permissions) === canRun;
  if (isUnchanged && (there !== 'nothing' || expected.isSameFile)) return undefined;
  const replacement = {
    folders: located.slice(0, -1),
    name: located.at(-1) ?? '',
    content: file.content,
    isExecutable: canRun,
  };
  if (there === 'nothing') {
    if (expected?.isSameFile === true) return { conflict: 'deleted' };
    return { ...replacement, old: undefined };
  }
  if (typeof there === 'string') return { conflict: there };
  if (there.sha256 === sha256 && isExecutable(there.permissions) === canRun) return { written: there };
  if (expected === undefined) return { conflict: 'created' };
  if (there.sha256 !== expected.sha256) return { conflict: 'edited' };
  const { permissions = there.permissions } = expected;
  if (expected.isSameFile && permissions !== there.permissions) return { conflict: 'mode_changed' };
  return { ...replacement, old: there };
}

function expectations(
  target: string,
  { vfsSnapshot, opaqueFiles, mountPreviews }: ClaudeAgentWorkspace,
): (wanted: Wanted) => Expected | undefined {
  const texts = new Map(vfsSnapshot.files.map((file) => [formatVfsPath(file.path), file]));
  const opaque = new Map(opaqueFiles.map((file) => [file.path, file]));
  const before = writtenBefore.get(vfsSnapshot);
  const originOf = (path: string): readonly string[] =>
    mountPreviews.flatMap(({ mountPath, resolvedHost, isDirectory }) => {
      if (path === mountPath) return isDirectory ? [] : [resolvedHost];
      return path.startsWith(`${mountPath}/`) ? [join(resolvedHost, path.slice(mountPath.length + 1))] : [];
    });
  return ({ path, segments, hostPath }) => {
    const own = before?.get(hostPath);
    if (own !== undefined) return { ...own, isSameFile: true };
    const text = texts.get(path);
    const mounted = text ?? opaque.get(path);
    if (mounted === undefined) return undefined;
    const isSameFile = originOf(path).some((origin) => origin === hostPath || origin === join(target, ...segments));
    const sha256 = 'sha256' in mounted ? mounted.sha256 : sha256Of(mounted.content);
    return { sha256, permissions: mounted.permissions, isSameFile };
  };
}

function conflictError(conflicts: readonly WriteBackConflict[]): WorkspaceConflictError {
  const shown = conflicts.slice(0, 5).map(({ hostPath, reason }) => `${hostPath} (${reason})`);
  const more = conflicts.length > shown.length ? `, and ${conflicts.length - shown.length} more` : '';
  return new WorkspaceConflictError(
    conflicts,
    `Nothing was written, since files changed on the host meanwhile: ${shown.join(', ')}${more}`,
    { hint: "Merge them by hand, or leave out `onConflict: 'error'` to write all others." },
  );
}
