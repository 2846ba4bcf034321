import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { SessionFileError } from '../../errors.js';
import { codeOf, unlessCode } from '../../util/error-code.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';

/** Refuses to open a link. Windows has no such flag, and making links needs a privilege there. */
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** A pipe in the place of a file must not block the program. */
export const NO_WAIT = constants.O_NONBLOCK ?? 0;

/** Opens a file to read. `undefined` when it does not exist, is a link, or is not a regular file. */
export async function openToRead(sessionId: string, path: string): Promise<FileHandle | undefined> {
  try {
    const flags = constants.O_RDONLY | NO_FOLLOW | NO_WAIT;
    const file = await unlessCode(['ENOENT', 'ELOOP', 'ENOTDIR'], open(path, flags));
    if (file === undefined) return undefined;
    const stats = await file.stat().catch(async (error: unknown) => {
      await file.close();
      throw error;
    });
    if (stats.isFile()) return file;
    await file.close();
    return undefined;
  } catch (error) {
    throw fileError(sessionId, path, 'read', error);
  }
}

/** The system's error, with the session and the path. */
export function fileError(
  sessionId: string,
  path: string,
  verb: 'read' | 'change' | 'write' | 'delete',
  cause: unknown,
): SessionFileError {
  const code = codeOf(cause);
  return new SessionFileError(sessionId, path, `Session ${sessionId}: could not ${verb} ${path}: ${errorText(cause)}`, {
    cause,
    ...(code === undefined ? {} : { code }),
  });
}

/** Reads from a regular file. `undefined` when there is none, only a link to it, or when `read` throws. */
export function readFrom<Result>(
  path: string,
  read: (descriptor: number, stats: Stats) => Result | undefined,
): Result | undefined {
  return unlessThrown(() => {
    const descriptor = openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
    try {
      const stats = fstatSync(descriptor);
      return stats.isFile() ? read(descriptor, stats) : undefined;
    } finally {
      closeSync(descriptor);
    }
  });
}

/** Fills the buffer from `position` on. Shorter at the end of the file. */
export function readAt(descriptor: number, buffer: Buffer, position: number): Buffer {
  let length = 0;
  while (length < buffer.length) {
    const read = readSync(descriptor, buffer, length, buffer.length - length, position + length);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

/** The value in a small JSON file. `undefined` when that is missing, broken, longer than `maxBytes`, or no regular file. */
export function readSmallJson(path: string, maxBytes: number): unknown {
  return readFrom<unknown>(path, (descriptor, { size }) =>
    size > maxBytes ? undefined : JSON.parse(readFileSync(descriptor, 'utf8')),
  );
}

/** The same for a file with an object. */
export function readSmallObject(path: string, maxBytes: number): JsonObject | undefined {
  const value = readSmallJson(path, maxBytes);
  return isJsonObject(value) ? value : undefined;
}

/** What `read` gives; `undefined` where it throws. */
function unlessThrown<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * Facts of `path`, without following links. `undefined` also for errors (a folder without permission, a name that is
 * too long, a link to itself): one bad path must not hide all others.
 */
export function lstatAt(path: string): Stats | undefined {
  return unlessThrown(() => lstatSync(path, { throwIfNoEntry: false }));
}

/** As {@link lstatAt}, with links followed. */
export function statAt(path: string): Stats | undefined {
  return unlessThrown(() => statSync(path, { throwIfNoEntry: false }));
}

/** `path` without symbolic links, spelled as on disk. `undefined` when it cannot be resolved. */
export function realPathOf(path: string): string | undefined {
  return unlessThrown(() => realpathSync.native(path));
}

/** The names in a folder; none when it cannot be read. */
export function namesIn(folder: string): string[] {
  return unlessThrown(() => readdirSync(folder)) ?? [];
}
