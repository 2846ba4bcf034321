import { type FileHandle, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onHostExit } from '../../util/host-exit.js';
import { removeTreeSync } from '../../util/remove-tree.js';
import { ownDirectoryPrefix } from '../../util/stale-directories.js';

/** `f_type` of tmpfs and ramfs: a file there is memory again. */
const MEMORY_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

/** As much of a `FileHandle` as a spool needs. */
export interface SpoolHandle {
  write(
    bytes: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
  read(
    into: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

/** Folders for temporary files, best first: those on a disk come before those in memory. Never rejects. */
export async function spoolFolders(
  candidates: readonly string[] = process.platform === 'win32'
    ? [tmpdir()]
    : [tmpdir(), '/var/tmp'],
): Promise<readonly string[]> {
  const areInMemory = await Promise.all(candidates.map(isInMemory));
  return [
    ...candidates.filter((_, index) => !areInMemory[index]),
    ...candidates.filter((_, index) => areInMemory[index]),
  ];
}

async function isInMemory(folder: string): Promise<boolean> {
  try {
    return MEMORY_FILE_SYSTEMS.has((await statfs(folder)).type);
  } catch {
    // Not there, or a system that does not tell: opening a file says the rest.
    return false;
  }
}

/**
 * A new file that only this process has: mode 0600, and without a name as soon as it is open, so that it is gone with the
 * process however that ends. Where an open file cannot be removed (older Windows), it is removed when it is closed.
 *
 * @throws what the file system says about the first folder; the others were tried too.
 */
export async function openPrivateFile(folders: readonly string[]): Promise<SpoolHandle> {
  let firstError: unknown;
  for (const folder of folders) {
    try {
      return await openIn(folder);
    } catch (error) {
      firstError ??= error;
    }
  }
  throw firstError;
}

async function openIn(folder: string): Promise<SpoolHandle> {
  // A directory of its own: its name says whose it is, should the process be killed before the removal.
  const directory = await mkdtemp(join(folder, ownDirectoryPrefix()));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  let handle: FileHandle;
  try {
    handle = await open(join(directory, 'messages'), 'wx+', 0o600);
  } catch (error) {
    await remove();
    throw error;
  }
  try {
    await remove();
    return handle;
  } catch {
    return removedOnClose(handle, directory);
  }
}

function removedOnClose(handle: FileHandle, directory: string): SpoolHandle {
  const takeBack = onHostExit(() => removeTreeSync(directory));
  return {
    write: (...args) => handle.write(...args),
    read: (...args) => handle.read(...args),
    close: async () => {
      await handle.close();
      await rm(directory, { recursive: true, force: true });
      takeBack();
    },
  };
}
