import type { Stats } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { invalidOption } from '../../errors/usage-errors.js';
import { configFolder } from '../../util/config-folder.js';
import { absolutePath } from '../../util/host-places.js';
import { isSessionId } from '../transcript/entry.js';
import { firstCwdOf } from './first-cwd.js';
import { lstatAt, namesIn, realPathOf } from './open-file.js';
import { worktreesOf } from './worktrees.js';

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

/** A path as it is in the name of its project folder, before a long name is cut. */
function encoded(path: string): string {
  return path.replace(/[^a-zA-Z0-9]/g, '-');
}

/** The folder name of a path, which is not resolved. */
export function folderNameOf(path: string): string {
  const name = encoded(path);
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
  /** Whose sessions were requested. `undefined`: everyone's, in all folders. */
  readonly owner: FolderOwner | undefined;
}

/** A working directory, with the others whose sessions were requested together with its own. */
export interface FolderOwner {
  readonly directory: string;
  /** All of them, without symbolic links. */
  readonly requested: ReadonlySet<string>;
}

/**
 * Whether a session that began in `cwd` belongs to another directory with the same project folder, as `/a_b` has for
 * `/a.b`. The CLI keeps a session of a path that encodes otherwise elsewhere: if it is here, the project was moved.
 * @param realOf - The path without links; `undefined` for one that does not count, because nothing is there.
 */
export function isNamesake(
  cwd: string,
  { directory, requested }: FolderOwner,
  realOf: (path: string) => string | undefined = realPathOf,
): boolean {
  if (requested.has(cwd)) return false;
  const name = encoded(directory);
  if (encoded(cwd) !== name) return false;
  const real = realOf(cwd);
  return real !== undefined && !requested.has(real) && encoded(real) === name;
}

/** As {@link isNamesake}, for a session in a store: it may come from another machine, so `cwd` need not exist. */
export function isStoredNamesake(cwd: unknown, directory: string): boolean {
  const owner = { directory, requested: new Set([directory]) };
  return typeof cwd === 'string' && isNamesake(cwd, owner, (path) => realPathOf(path) ?? path);
}

/** All project folders. */
export function allProjectFolders(): ProjectFolder[] {
  const root = realRoot();
  if (root === undefined) return [];
  return namesIn(root).flatMap((name) => {
    const path = folderAt(root, name);
    return path === undefined ? [] : { path, owner: undefined };
  });
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
  const requested = new Set([real, ...others]);
  return [...requested].flatMap((each) =>
    foldersNamed(root, each).map((path) => ({ path, owner: { directory: each, requested } })),
  );
}

/** The folder of one directory; for a long name without a folder, those of its sessions with another hash. */
function foldersNamed(root: string, directory: string): string[] {
  const name = folderNameOf(directory);
  const exact = folderAt(root, name);
  if (exact !== undefined) return [exact];
  if (name.length <= MAX_NAME_LENGTH) return [];
  const prefix = name.slice(0, MAX_NAME_LENGTH + 1);
  return namesIn(root)
    .filter((other) => other.startsWith(prefix))
    .flatMap((other) => folderAt(root, other) ?? [])
    .filter((path) => holdsSessionsOf(path, directory));
}

/** Whether a session in the folder began in a directory whose whole name encodes alike, or none names its directory. */
function holdsSessionsOf(folder: string, directory: string): boolean {
  const name = encoded(directory.normalize());
  let isOfOthers = false;
  for (const { path } of transcriptsIn(folder)) {
    const cwd = firstCwdOf(path);
    if (cwd !== undefined && encoded(cwd.normalize()) === name) return true;
    isOfOthers ||= cwd !== undefined;
  }
  return !isOfOthers;
}

const SUFFIX = '.jsonl';

/** The names of a folder that are those of transcripts. */
export function transcriptsIn(folder: string, names = namesIn(folder)): { sessionId: string; path: string }[] {
  return names.flatMap((name) => {
    const sessionId = name.slice(0, -SUFFIX.length);
    return name.endsWith(SUFFIX) && isSessionId(sessionId) ? [{ sessionId, path: `${folder}${sep}${name}` }] : [];
  });
}

function folderAt(root: string, name: string): string | undefined {
  return placeBelowRoot(join(root, name), (stats) => stats.isDirectory());
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
