import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { SessionStoreError } from '../../../errors.js';
import { errorText } from '../../../util/error-text.js';
import { type AppendedAt, appendLines as appendTo } from '../../files/append-line.js';
import { NO_FOLLOW, NO_WAIT } from '../../files/open-file.js';
import { checkFile, isMissing, makeFolders } from './safe-folders.js';

const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW | NO_WAIT;

/** Where in which file the appended lines stand. */
export interface AppendedLines extends AppendedAt {
  readonly inode: number;
}

/**
 * Adds whole lines at the end of a file. Makes the file (0600) and the folders below `root` (0700) that are missing.
 *
 * @param text - Lines, each with its newline.
 * @throws what the file system says of opening it.
 * @throws {@link SessionStoreError} it is no file, or the lines could not be written, such as to a full disk.
 */
export async function appendLines(
  root: string,
  path: string,
  text: string,
): Promise<AppendedLines> {
  const descriptor = openForAppend(root, path);
  try {
    const stats = fstatSync(descriptor);
    checkFile('append', path, stats);
    return { inode: stats.ino, ...(await writing(() => appendTo(descriptor, text))) };
  } finally {
    closeSync(descriptor);
  }
}

/** A part may stand in the file, without its newline: the next `append` begins a new line. */
async function writing<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw new SessionStoreError({ method: 'append' }, 'could not write everything', {
      detail: errorText(error),
      hint: 'Check the free space of the disk.',
      cause: error,
    });
  }
}

function openForAppend(root: string, path: string): number {
  try {
    return openSync(path, APPEND, 0o600);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  makeFolders(root, dirname(path));
  return openSync(path, APPEND, 0o600);
}
