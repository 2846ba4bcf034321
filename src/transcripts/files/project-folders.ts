import { readdirSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { folderNameOf, MAX_NAME_LENGTH, realDirectory } from './project-folder.js';
import { projectsRoot } from './projects-root.js';
import { lstatAt } from './stats-at.js';
import { worktreesOf } from './worktrees.js';

/** A folder of transcripts. */
export interface ProjectFolder {
  readonly path: string;
  /** The working directory that the folder was looked up for. `undefined` when all folders were asked for. */
  readonly directory: string | undefined;
  /** The name differs from the expected one in its hash, so transcripts of other directories may be in it. */
  readonly isGuess: boolean;
}

/** Every project folder there is. */
export function allProjectFolders(): ProjectFolder[] {
  const root = realRoot();
  if (root === undefined) return [];
  return namesIn(root).flatMap((name) => folderAt(root, name, undefined) ?? []);
}

/**
 * The folders of `directory`: its own and, when it belongs to a git repository, those of the repository's
 * working trees.
 *
 * @param onlySeveral - Leave the working trees out when the repository has just one, as listings do.
 */
export function foldersOfDirectory(
  directory: string,
  options: { readonly worktrees: boolean; readonly onlySeveral?: boolean },
): ProjectFolder[] {
  const root = realRoot();
  if (root === undefined) return [];
  const real = realDirectory(directory);
  const trees = options.worktrees ? worktreesOf(real) : [];
  const others = options.onlySeveral === true && trees.length < 2 ? [] : trees;
  const directories = new Set([real, ...others]);
  return [...directories].flatMap((each) => foldersNamed(root, each));
}

/** The folder of one directory; for a long name without a folder, those that differ in the hash only. */
function foldersNamed(root: string, directory: string): ProjectFolder[] {
  const name = folderNameOf(directory);
  const exact = folderAt(root, name, directory);
  if (exact !== undefined) return [exact];
  if (name.length <= MAX_NAME_LENGTH) return [];
  const prefix = name.slice(0, MAX_NAME_LENGTH + 1);
  return namesIn(root)
    .filter((other) => other.startsWith(prefix))
    .flatMap((other) => {
      const folder = folderAt(root, other, directory);
      return folder === undefined ? [] : [{ ...folder, isGuess: true }];
    });
}

/**
 * The root without symbolic links, so that what is below it can be told from what is not.
 *
 * @throws {@link InvalidOptionError} there is no home directory to look in.
 */
export function realRoot(): string | undefined {
  const root = projectsRoot();
  try {
    return realpathSync.native(root);
  } catch {
    return undefined;
  }
}

/** A folder of that name. A symbolic link counts when it leads to a place below the root. */
function folderAt(
  root: string,
  name: string,
  directory: string | undefined,
): ProjectFolder | undefined {
  const path = join(root, name);
  const stats = lstatAt(path);
  if (stats?.isDirectory() === true) return { path, directory, isGuess: false };
  if (stats?.isSymbolicLink() !== true) return undefined;
  const target = realPathBelow(root, path);
  if (target === undefined || lstatAt(target)?.isDirectory() !== true) return undefined;
  return { path: target, directory, isGuess: false };
}

/** Where `path` leads when that is below `root`. */
export function realPathBelow(root: string, path: string): string | undefined {
  try {
    const target = realpathSync.native(path);
    return target.startsWith(root + sep) ? target : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
