import { sweepStaleDirectories } from '../../util/stale-directories.js';
import { openPrivateFile, type SpoolHandle, spoolFolders } from './spool-folder.js';

/** A file is given back to the system when all of it was read, so a queue that never runs empty does not fill the disk. */
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
 * Blocks of bytes in private files, written one at a time and read in any order. Knows nothing of who uses it, so that it can be
 * closed when nobody does any more.
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
   *
   * @throws what the file system says.
   */
  async write(bytes: Buffer, length: number): Promise<Extent> {
    const segment = await this.#segment();
    const position = segment.size;
    // Before the write, so that nobody takes the place meanwhile.
    segment.size += length;
    segment.live += 1;
    for (let done = 0; done < length; ) {
      const { bytesWritten } = await segment.handle.write(
        bytes,
        done,
        length - done,
        position + done,
      );
      done += bytesWritten;
    }
    return { segment, position, length };
  }

  /** Fills the begin of `into`. @throws what the file system says, or that the file is shorter than it was. */
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
    // Written over from its begin, or closed when nothing will be written to it.
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
