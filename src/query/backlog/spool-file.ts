import { type FileHandle, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onHostExit } from '../../util/host-exit.js';
import { removeTreeSync } from '../../util/remove-tree.js';
import { ownDirectoryPrefix, sweepStaleDirectories } from '../../util/stale-directories.js';

/**
 * A file is given back to the system when all of it was read, so a queue that never runs empty does not fill the disk.
 */
const SEGMENT_BYTES = 256 * 1024 * 1024;

/** Opens one file. */
export type OpenSpool = () => Promise<SpoolHandle>;

interface Segment {
  readonly handle: SpoolHandle;
  size: number;
  /** Extents that are still wanted. */
  live: number;
}

/** Where a block of bytes is. */
export interface Extent {
  readonly segment: Segment;
  readonly position: number;
  readonly length: number;
}

/**
 * Blocks of bytes in private files, written one at a time and read in any order. It has no reference to its user, so
 * that it can be closed when that was garbage-collected.
 */
export class SpoolFile {
  readonly #open: OpenSpool;
  readonly #segmentBytes: number;
  readonly #segments = new Set<Segment>();
  /** What is written goes here. */
  #current: Segment | undefined;
  #isClosed = false;

  constructor(open: OpenSpool = openInTemporaryFolder, segmentBytes: number = SEGMENT_BYTES) {
    this.#open = open;
    this.#segmentBytes = segmentBytes;
  }

  /**
   * Appends the first `length` bytes. Not before the write before it has settled.
   * @throws what the file system says.
   */
  async write(bytes: Buffer, length: number): Promise<Extent> {
    const segment = await this.#segment();
    const position = segment.size;
    // Before the write, to reserve the place.
    segment.size += length;
    segment.live += 1;
    for (let done = 0; done < length; ) {
      const { bytesWritten } = await segment.handle.write(bytes, done, length - done, position + done);
      done += bytesWritten;
    }
    return { segment, position, length };
  }

  /** Fills the start of `into`. @throws the error of the file system, or that the file has become shorter. */
  async read({ segment, position, length }: Extent, into: Buffer): Promise<void> {
    for (let done = 0; done < length; ) {
      const { bytesRead } = await segment.handle.read(into, done, length - done, position + done);
      if (bytesRead === 0) throw new Error('The file ended before the block did');
      done += bytesRead;
    }
  }

  /** The block is not wanted any more. */
  release({ segment }: Extent): void {
    segment.live -= 1;
    if (segment.live > 0) return;
    // Overwritten from its start, or closed when nothing will be written to it.
    if (segment === this.#current) segment.size = 0;
    else this.#close(segment);
  }

  /** Lets every file go, at the latest when what is on its way has settled. */
  close(): void {
    this.#isClosed = true;
    for (const segment of this.#segments) this.#close(segment);
  }

  async #segment(): Promise<Segment> {
    const current = this.#current;
    if (current !== undefined && current.size < this.#segmentBytes) return current;
    const segment: Segment = { handle: await this.#open(), size: 0, live: 0 };
    this.#segments.add(segment);
    this.#current = segment;
    if (current?.live === 0) this.#close(current);
    if (this.#isClosed) this.#close(segment);
    return segment;
  }

  #close(segment: Segment): void {
    if (!this.#segments.delete(segment)) return;
    // It has no name any more: what its close says changes nothing.
    segment.handle.close().catch(() => {});
  }
}

async function openInTemporaryFolder(): Promise<SpoolHandle> {
  const folders = await spoolFolders();
  for (const folder of folders) void sweepStaleDirectories(folder);
  return openPrivateFile(folders);
}

/** `f_type` of tmpfs and ramfs: a file there is memory again. */
const MEMORY_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

/** As much of a `FileHandle` as a spool needs. */
export interface SpoolHandle {
  write(bytes: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesWritten: number }>;
  read(into: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

/** Folders for temporary files, best first: those on a disk come before those in memory. Never rejects. */
export async function spoolFolders(
  candidates: readonly string[] = process.platform === 'win32' ? [tmpdir()] : [tmpdir(), '/var/tmp'],
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
 * A new file that only this process has: mode 0600, and without a name as soon as it is open, so that it is gone with
 * the process however that ends. Where an open file cannot be removed (older Windows), it is removed when it is closed.
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
