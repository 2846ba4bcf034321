import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { NO_FOLLOW, NO_WAIT } from '../../files/open-file.js';
import { checkFile, isMissing } from './safe-folders.js';

const READ = constants.O_RDONLY | NO_FOLLOW | NO_WAIT;
const WRITE = constants.O_WRONLY | constants.O_CREAT | NO_FOLLOW | NO_WAIT;

/**
 * Writes a small file in place and in one write, with mode 0600. A symbolic link is not followed.
 *
 * What was longer before is filled up with blanks: some file systems take emptying a file and writing it anew for a
 * wish to have it on the disk at once, and wait.
 */
export function writeSmallJson(path: string, value: unknown): void {
  const descriptor = openSync(path, WRITE, 0o600);
  try {
    const bytes = Buffer.from(JSON.stringify(value));
    const blanks = Math.max(0, fstatSync(descriptor).size - bytes.length);
    writeSync(descriptor, Buffer.concat([bytes, Buffer.alloc(blanks, ' ')]), 0, undefined, 0);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Opens a transcript for reading. `undefined` when it does not exist.
 *
 * @throws what the file system says, also when the file is a symbolic link.
 * @throws {@link SessionStoreError} it is no regular file.
 */
export async function openIfThere(path: string): Promise<FileHandle | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, READ);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    checkFile('load', path, await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
