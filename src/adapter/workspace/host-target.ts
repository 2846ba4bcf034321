import { lstat, mkdir, realpath, rmdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { codeOf, unlessCode } from '../../util/error-code.js';
import { errorText } from '../../util/error-text.js';
import { custom } from '../../util/validate.js';
import { AdapterConfigError, AdapterError, WorkspaceSecurityError } from '../errors/adapter-error.js';
import { checkValue } from '../options/read-fields.js';
import { AnchoredDirectory } from './anchored-directory.js';
import { type FileFacts, factsOf } from './file-content.js';
import { includedConfigurations, isConfiguration, isRepository, repositoryFolders } from './host-configuration.js';
import { formatVfsPath, isWithin } from './vfs-path.js';
import { closing, ifReachable, lookAt } from './walk-down.js';
import type { VfsFile } from './workspace.js';
import { RollbackFailed } from './write-journal.js';

/** The entry of the host at a path. */
export type There = FileFacts | 'nothing' | 'not_a_file' | 'unreadable';

/** A file of the workspace and its place on the host. */
export interface Wanted {
  /** Below the workspace. */
  readonly path: string;
  readonly segments: readonly string[];
  readonly file: VfsFile;
  /** Path below the real target, without links. */
  readonly located: readonly string[];
  readonly hostPath: string;
  readonly there: There;
}

/** The path of a directory in options. */
export const directory = custom(
  'the path of a directory',
  (value) => typeof value === 'string' && value !== '' && !value.includes('\0'),
);

/** `undefined` when the directory is missing and not made. A new directory is removed again when `act` fails. */
export async function inTarget<R>(
  targetDir: string,
  isMade: boolean,
  act: (root: AnchoredDirectory) => Promise<R>,
): Promise<R | undefined> {
  checkValue(targetDir, 'targetDir', directory);
  const path = resolve(targetDir);
  let made: string | undefined;
  try {
    if (isMade) made = await mkdir(path, { recursive: true });
    const target = await unlessCode(isMade ? [] : ['ENOENT'], realpath(path));
    return target === undefined ? undefined : await closing(AnchoredDirectory.open(target), act);
  } catch (error) {
    if (made !== undefined) await removeEmpty(path, made);
    throw error instanceof AdapterError ? error : failure(targetDir, error);
  }
}

function failure(targetDir: string, error: unknown): AdapterConfigError {
  const cause = error instanceof RollbackFailed ? error.cause : error;
  const code = codeOf(cause);
  const state =
    error instanceof RollbackFailed
      ? `Not all that was changed could be undone. ${error.message}: fix the cause, then call recoverWriteBack().`
      : 'Nothing was changed.';
  return new AdapterConfigError(
    `The files could not be written to ${targetDir}: ${errorText(cause)}. ${state}`,
    ['targetDir'],
    { cause, ...(code === undefined ? {} : { code }) },
  );
}

async function removeEmpty(path: string, first: string): Promise<void> {
  try {
    for (let at = path; isWithin(first, at, process.platform); at = dirname(at)) await rmdir(at);
  } catch {
    // Somebody uses it.
  }
}

/**
 * Finds the place of a file and its entry. Links inside of the target are resolved here, once, and not followed later.
 */
export async function locate(root: AnchoredDirectory, file: VfsFile, segments: readonly string[]): Promise<Wanted> {
  const path = formatVfsPath(file.path);
  const at = await followLinks(root.path, segments, path);
  const isKnown = typeof at !== 'string';
  const located = isKnown ? at : segments;
  const there = isKnown ? await lookUp(root, located) : at;
  return { path, segments, file, located, hostPath: join(root.path, ...located), there };
}

async function followLinks(
  target: string,
  segments: readonly string[],
  shown: string,
): Promise<readonly string[] | 'not_a_file' | 'unreadable'> {
  let at = target;
  for (const [index, segment] of segments.entries()) {
    const next = join(at, segment);
    const real = await realpath(next).catch((error: unknown) => {
      const code = codeOf(error) ?? '';
      if (['ENOENT', 'ELOOP', 'ENOTDIR', 'EACCES', 'EPERM'].includes(code)) return { code };
      throw error;
    });
    if (typeof real === 'string') {
      const isRoot = real === target && index === segments.length - 1;
      if (isRoot || !isWithin(target, real, process.platform)) throw leavingLink(target, next, shown);
      at = real;
    } else if (real.code === 'ENOENT') {
      if (await isLink(next)) throw leavingLink(target, next, shown);
      return below(target, join(next, ...segments.slice(index + 1)), shown);
    } else if (real.code === 'ELOOP') throw leavingLink(target, next, shown);
    else return real.code === 'ENOTDIR' ? 'not_a_file' : 'unreadable';
  }
  return below(target, at, shown);
}

function leavingLink(target: string, link: string, shown: string): WorkspaceSecurityError {
  return new WorkspaceSecurityError(shown, `${shown} would leave ${target} through the link ${link}`, {
    hint: 'Remove the link, or write to another directory.',
  });
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
}

function below(target: string, path: string, shown: string): readonly string[] {
  const segments = relative(target, path).split(sep);
  if (isConfiguration(segments)) {
    throw new WorkspaceSecurityError(shown, `${shown} would become ${path}, which is configuration, through a link`, {
      hint: 'Remove the link, or write to another directory.',
    });
  }
  return segments;
}

async function lookUp(root: AnchoredDirectory, located: readonly string[]): Promise<There> {
  const name = located.at(-1) ?? '';
  try {
    const there = await ifReachable(root, located.slice(0, -1), async (folder) => {
      const entry = await lookAt(folder, name);
      if (entry === undefined) return 'nothing';
      return entry.isFile() ? ((await factsOf(folder, name)) ?? 'not_a_file') : 'not_a_file';
    });
    return there ?? 'nothing';
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(codeOf(error) ?? '')) return 'unreadable';
    throw error;
  }
}

/**
 * Returns a function that says whether a repository of the host around a path includes it as configuration
 * (`include.path`).
 */
export function includeJudge(root: AnchoredDirectory): (located: readonly string[]) => Promise<boolean> {
  const known = new Map<string, ReadonlySet<string>>();
  return async (located) => {
    const path = join(root.path, ...located).toLowerCase();
    let folder = join(root.path, ...located.slice(0, -1));
    for (;;) {
      const included = known.get(folder) ?? (await includedConfigurations(folder));
      known.set(folder, included);
      if (included.has(path)) return true;
      if (folder === dirname(folder)) return false;
      folder = dirname(folder);
    }
  };
}

/** Returns a function that says whether Git would read a path, because a folder above it is a repository. */
export function repositoryJudge(root: AnchoredDirectory): (located: readonly string[]) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (located) => {
    for (const folders of repositoryFolders(located)) {
      const key = folders.join('/');
      const found = known.get(key) ?? (await ifReachable(root, folders, isRepository)) ?? false;
      known.set(key, found);
      if (found) return true;
    }
    return false;
  };
}
