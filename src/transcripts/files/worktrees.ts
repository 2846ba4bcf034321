import { readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { namesIn, statAt } from './open-file.js';

/** Enough for any repository, and a limit for a hostile one. */
const MAX_WORKTREES = 1000;
const MAX_POINTER_BYTES = 8192;

/**
 * The working trees of the git repository that `directory` is in: the main one (or the bare repository) first, then the
 * linked ones, also when their folder is gone. `[]` outside a repository and when anything about it cannot be read,
 * also when `directory` itself is gone. Reads what `git worktree list` reads, without starting git.
 */
export function worktreesOf(directory: string): string[] {
  if (statAt(directory)?.isDirectory() !== true) return [];
  const gitFolder = findGitFolder(directory);
  if (gitFolder === undefined) return [];
  const common = commonFolder(gitFolder);
  if (!isGitFolder(common)) return [];
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
  // Git passes by a folder of that name that is none of its own.
  if (stats?.isDirectory() === true && isGitFolder(dotGit)) return dotGit;
  if (stats?.isFile() === true) {
    const target = /^gitdir: (.+)$/m.exec(readPointer(dotGit) ?? '')?.[1];
    return target === undefined ? undefined : resolve(directory, target.trim());
  }
  // A bare repository is its own git folder.
  return isGitFolder(directory) ? directory : undefined;
}

function isGitFolder(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => statAt(join(folder, name)) !== undefined);
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
