import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onHostExit } from '../util/host-exit.js';
import { ownDirectoryPrefix } from '../util/stale-directories.js';

/**
 * Files that only this user can read. They exist until `remove` or the exit of the host. If a signal kills the host,
 * the next process on this machine that starts the CLI removes them.
 */
export interface PrivateFiles {
  /** Absolute, in the order of the request. */
  readonly paths: readonly string[];
  /**
   * Removes the files and their directory. Safe to call twice.
   * @throws the error of the file system. The files then still exist, and the call can be repeated.
   */
  remove(): void;
}

/**
 * Writes files with mode 0600 into a new directory with mode 0700. Command lines are readable by every user of the
 * machine, so secrets go here. Synchronous, because spawning is.
 * @param files - `name` is the end of the file's name, without a directory.
 * @throws the error of the file system. Nothing is left behind.
 */
export function writePrivateFiles(files: readonly { readonly name: string; readonly content: string }[]): PrivateFiles {
  const directory = createPrivateDirectory();
  try {
    const paths = files.map(({ name, content }, index) => {
      const path = join(directory.path, `${index}-${name}`);
      writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
      return path;
    });
    return { paths, remove: directory.remove };
  } catch (error) {
    directory.remove();
    throw error;
  }
}

/** A directory that only this user can enter. It exists as long as {@link PrivateFiles}. */
export interface PrivateDirectory {
  /** Absolute. */
  readonly path: string;
  /** As {@link PrivateFiles.remove}. */
  readonly remove: () => void;
}

/** A new, empty directory with mode 0700 in the temporary directory. @throws the error of the file system. */
export function createPrivateDirectory(): PrivateDirectory {
  // The CLI has a working directory of its own, and `TMPDIR` may be relative.
  const path = mkdtempSync(join(resolve(tmpdir()), ownDirectoryPrefix()));
  const removeNow = (): void => rmSync(path, { recursive: true, force: true });
  const takeBack = onHostExit(removeNow);
  return {
    path,
    remove: () => {
      removeNow();
      takeBack();
    },
  };
}
