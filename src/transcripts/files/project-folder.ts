import { readFileSync, type Stats } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { invalidOption } from '../../errors/usage-errors.js';
import { configFolder } from '../../util/config-folder.js';
import { absolutePath } from '../../util/host-places.js';
import { lstatAt, namesIn, realPathOf, statAt } from './open-file.js';

/** Longer names are cut here and end in a hash: file systems allow 255 bytes. */
const MAX_NAME_LENGTH = 200;

/**
 * The name of the project folder of a working directory, which is also the default `projectKey` in a store: its real
 * path with every character outside `a-zA-Z0-9` as `-`.
 * @param directory - @defaultValue the working directory
 * @throws {@link InvalidOptionError} not a string, or relative while the working directory does not exist.
 */
export function projectKeyForDirectory(directory = '.'): string {
  if (typeof directory !== 'string') throw invalidOption('directory', 'a path', directory);
  return folderNameOf(realDirectory(directory));
}

/** `directory` without symbolic links, spelled as on disk. Unchanged when it does not exist. */
export function realDirectory(directory: string): string {
  const absolute = absolutePath('dir', directory);
  return realPathOf(absolute) ?? absolute;
}

/** The folder name of a path, which is not resolved. */
export function folderNameOf(path: string): string {
  const name = path.replace(/[^a-zA-Z0-9]/g, '-');
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH)}-${hashOf(path)}`;
}

/** 32-bit string hash in base 36, as the CLI computes it. */
function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return Math.abs(hash).toString(36);
}

/** A folder of transcripts. */
export interface ProjectFolder {
  readonly path: string;
  /** The working directory of the folder. `undefined` when all folders were requested. */
  readonly directory: string | undefined;
  /** The name differs from the expected one in its hash, so transcripts of other directories may be in it. */
  readonly isGuess: boolean;
}

/** All project folders. */
export function allProjectFolders(): ProjectFolder[] {
  const root = realRoot();
  if (root === undefined) return [];
  return namesIn(root).flatMap((name) => folderAt(root, name, undefined) ?? []);
}

/**
 * The folders of `directory`: its own and, when it belongs to a git repository, those of the repository's working
 * trees.
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
    .flatMap((other) => folderAt(root, other, directory) ?? [])
    .map((folder) => ({ ...folder, isGuess: true }));
}

function folderAt(root: string, name: string, directory: string | undefined): ProjectFolder | undefined {
  const path = placeBelowRoot(join(root, name), (stats) => stats.isDirectory());
  return path === undefined ? undefined : { path, directory, isGuess: false };
}

/**
 * The non-empty regular file at `place`. A symbolic link counts when it leads to a file of the same name below the
 * root: another name is another session.
 */
export function transcriptAt(place: string): string | undefined {
  const path = placeBelowRoot(place, (stats) => stats.isFile() && stats.size > 0);
  return path !== undefined && basename(path) === basename(place) ? path : undefined;
}

/** `path` when its facts fit. A symbolic link counts when it leads below the root; its target is returned. */
function placeBelowRoot(path: string, fits: (stats: Stats) => boolean): string | undefined {
  const stats = lstatAt(path);
  if (stats?.isSymbolicLink() !== true) return stats !== undefined && fits(stats) ? path : undefined;
  const root = realRoot();
  const target = realPathOf(path);
  if (root === undefined || target?.startsWith(root + sep) !== true) return undefined;
  const real = lstatAt(target);
  return real !== undefined && fits(real) ? target : undefined;
}

/**
 * The folder that has one folder per working directory, without symbolic links, to compare paths with.
 * @throws {@link InvalidOptionError} there is no home directory to look in.
 */
function realRoot(): string | undefined {
  return realPathOf(join(configFolder(process.env), 'projects'));
}

/** Enough for any repository, and a limit for a hostile one. */
const MAX_WORKTREES = 1000;
const MAX_POINTER_BYTES = 8192;

/**
 * The working trees of the git repository that `directory` is in: the main one (or the bare repository) first, then the
 * linked ones, also when their folder is gone. `[]` outside a repository and when anything about it cannot be read,
 * also when `directory` itself is gone. Reads what `git worktree list` reads, without starting git.
 */
function worktreesOf(directory: string): string[] {
  if (statAt(directory)?.isDirectory() !== true) return [];
  const gitFolder = findGitFolder(directory);
  if (gitFolder === undefined) return [];
  const common = commonFolder(gitFolder);
  const main = basename(common) === '.git' ? dirname(common) : common;
  return [main, ...linkedWorktrees(common)];
}

/** The `.git` that git would find from `directory` upward: a folder, or a file that names one. */
function findGitFolder(directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const found = gitFolderAt(at);
    if (found !== undefined || dirname(at) === at) return found;
  }
}

function gitFolderAt(directory: string): string | undefined {
  const dotGit = join(directory, '.git');
  const stats = statAt(dotGit);
  if (stats?.isDirectory() === true) return dotGit;
  if (stats?.isFile() === true) {
    const target = /^gitdir: (.+)$/m.exec(readPointer(dotGit) ?? '')?.[1];
    return target === undefined ? undefined : resolve(directory, target.trim());
  }
  // A bare repository is its own git folder.
  const isBare = ['HEAD', 'objects', 'refs'].every((name) => statAt(join(directory, name)) !== undefined);
  return isBare ? directory : undefined;
}

/** A linked worktree's git folder names the repository's. */
function commonFolder(gitFolder: string): string {
  const pointer = readPointer(join(gitFolder, 'commondir'));
  return pointer === undefined ? gitFolder : resolve(gitFolder, pointer);
}

function linkedWorktrees(common: string): string[] {
  const folder = join(common, 'worktrees');
  return namesIn(folder)
    .sort()
    .slice(0, MAX_WORKTREES)
    .flatMap((name) => {
      const pointer = readPointer(join(folder, name, 'gitdir'));
      if (pointer === undefined || pointer === '') return [];
      const dotGit = isAbsolute(pointer) ? pointer : resolve(folder, name, pointer);
      return [dirname(dotGit)];
    });
}

/** The one line of a small file. */
function readPointer(file: string): string | undefined {
  try {
    const stats = statAt(file);
    if (stats?.isFile() !== true || stats.size > MAX_POINTER_BYTES) return undefined;
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
