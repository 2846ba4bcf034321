import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { SessionStoreError } from '../../../errors.js';
import { codeOf } from '../../../util/error-code.js';

/**
 * Makes the folders from `root` down to `folder` that are missing, with mode 0700. `root` may be, or lie behind, a link of its
 * owner's; what is below was made here and is none.
 */
export function makeFolders(root: string, folder: string): void {
  if (folder === root) {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    return;
  }
  makeFolders(root, dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * Refuses a folder that leads somewhere else. A folder that does not exist is fine.
 *
 * @throws {@link SessionStoreError} it is a symbolic link, or no folder.
 */
export function checkFolder(method: string, folder: string): void {
  const found = lstatIfThere(folder);
  if (found === undefined || found.isDirectory()) return;
  throw new SessionStoreError({ method }, 'found something else where its folder should be', {
    detail: folder,
    hint: 'A FileSessionStore does not follow symbolic links below its directory.',
  });
}

/**
 * Refuses what is in the place of a file: a pipe would wait for its other end.
 *
 * @throws {@link SessionStoreError} it is no regular file.
 */
export function checkFile(method: string, path: string, found: Stats): void {
  if (found.isFile()) return;
  throw new SessionStoreError({ method }, 'found something else where its file should be', {
    detail: path,
  });
}

/** `undefined` when there is nothing at `path`. */
export function lstatIfThere(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** True when a file, or a folder on the way to it, does not exist. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
