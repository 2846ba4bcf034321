import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onHostExit } from '../util/host-exit.js';
import { ownDirectoryPrefix } from '../util/stale-directories.js';

/**
 * Files that only this user can read. They exist until `remove`, at the latest until the host exits, or,
 * when a signal ends it, until another process on this machine starts the CLI.
 */
export interface PrivateFiles {
  /** Absolute, in the order of the request. */
  readonly paths: readonly string[];
  /**
   * Removes the files and their directory. Safe to call twice.
   *
   * @throws what the file system says; the files then still exist and the call can be repeated.
   */
  remove(): void;
}

/**
 * Writes files with mode 0600 into a new directory with mode 0700, for what must not stand on a
 * command line that every user of the machine can read. Synchronous, because spawning is.
 *
 * @param files - `name` is the end of the file's name, without a directory.
 * @throws what the file system says; nothing is left behind.
 */
export function writePrivateFiles(
  files: readonly { readonly name: string; readonly content: string }[],
): PrivateFiles {
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

/** A directory that only this user can enter. It exists as long as {@link PrivateFiles} do. */
export interface PrivateDirectory {
  /** Absolute. */
  readonly path: string;
  /** As {@link PrivateFiles.remove}. */
  readonly remove: () => void;
}

/**
 * A new, empty directory with mode 0700 in the temporary directory.
 *
 * @throws what the file system says.
 */
export function createPrivateDirectory(): PrivateDirectory {
  const path = mkdtempSync(join(tmpdir(), ownDirectoryPrefix()));
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
