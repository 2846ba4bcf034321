import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SessionStoreError } from '../../../errors.js';
import { codeOf, isMissing, unlessMissing } from '../../../util/error-code.js';
import { errorText } from '../../../util/error-text.js';
import { type AppendedAt, appendLines as appendTo } from '../../files/append-line.js';
import { NO_FOLLOW, NO_WAIT } from '../../files/open-file.js';

/**
 * Makes the missing folders from `root` down to `folder`, with mode 0700. `root` may be, or be below, a link of its
 * owner's. Everything below it was made here and is not a link.
 */
function makeFolders(root: string, folder: string): void {
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
 * Refuses a folder that is a symbolic link, or a file, or inside a file. A folder that does not exist yet is fine.
 * @throws {@link SessionStoreError} naming what is in the way.
 */
export function checkFolder(method: string, folder: string): void {
  const found = lstatIfThere(folder);
  const inTheWay = found === undefined ? fileAbove(folder) : folder;
  if (found?.isDirectory() || inTheWay === undefined) return;
  throw new SessionStoreError({ method }, 'found something else where its folder should be', {
    detail: inTheWay,
    hint: 'Choose another directory, or move what is there. A FileSessionStore does not follow symbolic links below its directory.',
  });
}

/** The file that `path` would be inside of, if there is one. Links are followed: they may lead to the store. */
function fileAbove(path: string): string | undefined {
  const above = dirname(path);
  const found = lstatIfThere(above, statSync);
  if (found === undefined) return above === path ? undefined : fileAbove(above);
  return found.isDirectory() ? undefined : above;
}

/**
 * Refuses anything but a file: a pipe would wait for its other end.
 * @throws {@link SessionStoreError} it is no regular file.
 */
function checkFile(method: string, path: string, found: Stats): void {
  if (found.isFile()) return;
  throw new SessionStoreError({ method }, 'found something else where its file should be', { detail: path });
}

/** `undefined` when there is nothing at `path`. */
export function lstatIfThere(path: string, look: typeof lstatSync | typeof statSync = lstatSync): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const READ = constants.O_RDONLY | NO_FOLLOW | NO_WAIT;
const WRITE = constants.O_WRONLY | constants.O_CREAT | NO_FOLLOW | NO_WAIT;

/**
 * Writes a small file in place and in one write, with mode 0600. A symbolic link is not followed. A longer old text is
 * overwritten with blanks: some file systems take emptying and rewriting a file for a request to sync it to disk, and
 * wait.
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
 * @throws what the file system says, also when the file is a symbolic link.
 * @throws {@link SessionStoreError} it is no regular file.
 */
export async function openIfThere(path: string): Promise<FileHandle | undefined> {
  const handle = await unlessMissing(open(path, READ));
  if (handle === undefined) return undefined;
  try {
    checkFile('load', path, await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW | NO_WAIT;

/** The file of the appended lines and their range. */
export interface AppendedLines extends AppendedAt {
  readonly inode: number;
}

/**
 * Appends whole lines to a file. Makes the file (0600) and the folders below `root` (0700) when they are missing.
 * @param text - Lines, each with its newline.
 * @throws what the file system says of opening it.
 * @throws {@link SessionStoreError} it is no file, or the lines could not be written, such as to a full disk.
 */
export async function appendLines(root: string, path: string, text: string): Promise<AppendedLines> {
  const descriptor = openForAppend(root, path);
  try {
    const stats = fstatSync(descriptor);
    checkFile('append', path, stats);
    return { inode: stats.ino, ...(await appendTo(descriptor, text).catch(unfinished)) };
  } finally {
    closeSync(descriptor);
  }
}

/** A part may be in the file, without its newline: the next `append` begins a new line. */
function unfinished(cause: unknown): never {
  const hint = 'Check the free space of the disk.';
  throw new SessionStoreError({ method: 'append' }, 'could not write everything', {
    detail: errorText(cause),
    hint,
    cause,
  });
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
