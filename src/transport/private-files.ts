import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onHostExit } from './host-exit.js';
import { ownDirectoryPrefix, sweepNowAndThen } from './stale-directories.js';

/**
 * Files that only this user can read. They exist until `remove`, at the latest until the host exits, or,
 * when a signal ends it, until another process on this machine writes such files.
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
  sweepNowAndThen(tmpdir());
  const directory = mkdtempSync(join(tmpdir(), ownDirectoryPrefix()));
  const removeNow = (): void => rmSync(directory, { recursive: true, force: true });
  let paths: string[];
  try {
    paths = files.map(({ name, content }, index) => {
      const path = join(directory, `${index}-${name}`);
      writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
      return path;
    });
  } catch (error) {
    removeNow();
    throw error;
  }
  const takeBack = onHostExit(removeNow);
  return {
    paths,
    remove: () => {
      removeNow();
      takeBack();
    },
  };
}
