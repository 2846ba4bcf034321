import { QueueLimitError, SpoolError } from '../../errors.js';
import { within } from '../../util/race.js';
import { type Extent, type OpenSpool, SpoolFile } from './spool-file.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const LINE_FEED = 0x0a;

/** What a backlog keeps where. Bytes, and milliseconds for the disk's answer. */
export interface BacklogSizes {
  /** Lines are collected into blocks of this size; a file is written and read by blocks. */
  readonly blockBytes: number;
  /** Above this much in memory, a block that is full goes to the file. */
  readonly memoryBytes: number;
  /** Blocks on their way to the file: above this, {@link BacklogOptions.onBusy} says so. */
  readonly writeAheadBytes: number;
  readonly diskTimeoutMs: number;
}

const SIZES: BacklogSizes = { blockBytes: MIB, memoryBytes: 4 * MIB, writeAheadBytes: 2 * MIB, diskTimeoutMs: 60_000 };

export interface BacklogOptions {
  /** Bytes of the file that may wait to be read. `Infinity`: any. */
  readonly maxSpooledBytes: number;
  /** The first block is about to be written. */
  readonly onSpooled: () => void;
  /** The disk is behind: nothing should be added until it has caught up, which does not depend on the reader. */
  readonly onBusy: (isBusy: boolean) => void;
  /** There is something to be taken, or {@link Backlog.lost}. */
  readonly onLoaded: () => void;
  /** Nothing goes to the file any more. What was added stays in memory and can be taken. */
  readonly onFailed: (error: Error) => void;
  readonly sizes?: Partial<BacklogSizes> | undefined;
  /** @defaultValue in the temporary folder */
  readonly openSpool?: OpenSpool | undefined;
}

interface Block {
  /** `undefined` while only the file has it. */
  bytes: Buffer | undefined;
  /** Bytes in use. */
  length: number;
  extent: Extent | undefined;
  isLoading: boolean;
  isTaken: boolean;
  /** It cannot be read back. */
  error: Error | undefined;
}

/** Marks the absence of an item, since an item may be any value. */
export const NOTHING = Symbol('nothing');

/** Closes the files of a backlog that the program dropped before it was drained. */
const abandoned = new FinalizationRegistry<SpoolFile>((file) => file.close());

/**
 * Items that wait, as the bytes of their lines: first in memory, then in a private file. First in, first out. The file
 * is written and read in the background, a block at a time; what is taken next is read ahead.
 */
export class Backlog<T> {
  readonly #options: BacklogOptions;
  readonly #sizes: BacklogSizes;
  /** Oldest first. The last one may be {@link #open}. */
  #blocks: Block[] = [];
  /** It takes more lines. */
  #open: Block | undefined;
  /** How far the first block was read. */
  #at = 0;
  /** Buffers of `blockBytes` that are free again. */
  #spare: Buffer[] = [];
  /** Items that have no line. Each has an empty line in its place. */
  #unwritable: T[] = [];
  #count = 0;
  #bytes = 0;
  #memoryBytes = 0;
  #spooledBytes = 0;
  #toWrite: Block[] = [];
  #unwrittenBytes = 0;
  #isBusy = false;
  #file: SpoolFile | undefined;
  #failure: Error | undefined;
  #lost: Error | undefined;

  constructor(options: BacklogOptions) {
    this.#options = options;
    this.#sizes = { ...SIZES, ...options.sizes };
  }

  /** Items that were not taken yet. */
  get count(): number {
    return this.#count;
  }

  /** Length of their lines. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Why what is left cannot be read back; everything before it was taken. */
  get lost(): Error | undefined {
    return this.#lost;
  }

  /** @param line - The item as JSON, without a line feed. `undefined`: it cannot become JSON, and stays an object. */
  push(item: T, line: string | undefined): void {
    const length = line === undefined ? 0 : Buffer.byteLength(line);
    const block = this.#blockFor(length + 1);
    // A block that is filled is never without its bytes.
    const bytes = block.bytes as Buffer;
    if (line === undefined) this.#unwritable.push(item);
    else bytes.write(line, block.length, length === line.length ? 'latin1' : 'utf8');
    bytes[block.length + length] = LINE_FEED;
    block.length += length + 1;
    this.#count += 1;
    this.#bytes += length;
  }

  /**
   * The oldest item; {@link NOTHING} when there is none, when it has to be read first (`onLoaded` follows), or when it
   * is lost.
   */
  take(): T | typeof NOTHING {
    const block = this.#blocks[0];
    if (block === undefined || this.#count === 0) return NOTHING;
    if (block.bytes === undefined) {
      if (block.error !== undefined) this.#lost = block.error;
      else this.#load(block);
      return NOTHING;
    }
    const next = this.#blocks[1];
    if (next !== undefined && next.bytes === undefined) this.#load(next);
    const start = this.#at;
    const end = block.bytes.indexOf(LINE_FEED, start);
    let item: T;
    try {
      item = this.#itemOf(block.bytes, start, end);
    } catch (error) {
      this.#lost = new SpoolError(error);
      return NOTHING;
    }
    this.#at = end + 1;
    this.#count -= 1;
    this.#bytes -= end - start;
    if (this.#at === block.length) this.#drop(block);
    if (this.#count === 0) this.clear();
    return item;
  }

  /** Forgets everything and lets the file go. */
  clear(): void {
    this.#blocks = [];
    this.#open = undefined;
    this.#spare = [];
    this.#unwritable = [];
    this.#at = 0;
    this.#count = 0;
    this.#bytes = 0;
    this.#memoryBytes = 0;
    this.#spooledBytes = 0;
    this.#toWrite = [];
    this.#unwrittenBytes = 0;
    this.#closeFile();
    this.#reportBusy();
  }

  #itemOf(bytes: Buffer, start: number, end: number): T {
    // There is an item for each empty line.
    if (start === end) return this.#unwritable.shift() as T;
    // The cast: this is the line of an item that was pushed.
    return JSON.parse(bytes.toString('utf8', start, end)) as T;
  }

  #blockFor(size: number): Block {
    const open = this.#open;
    if (open?.bytes !== undefined && open.length + size <= open.bytes.length) return open;
    if (open !== undefined) this.#seal(open);
    const { blockBytes } = this.#sizes;
    // A long line has a block to itself, so that little room is left unused.
    const bytes = size > blockBytes / 4 ? Buffer.allocUnsafeSlow(size) : this.#takeSpare();
    this.#memoryBytes += bytes.length;
    const block: Block = { bytes, length: 0, extent: undefined, isLoading: false, isTaken: false, error: undefined };
    this.#blocks.push(block);
    this.#open = block;
    return block;
  }

  #seal(block: Block): void {
    this.#open = undefined;
    // The first one is being read.
    if (this.#memoryBytes <= this.#sizes.memoryBytes || block === this.#blocks[0]) return;
    if (this.#failure !== undefined) return;
    const { maxSpooledBytes } = this.#options;
    if (this.#spooledBytes + block.length > maxSpooledBytes) {
      this.#failure = new QueueLimitError(maxSpooledBytes, 'maxSpooledBytes');
      this.#options.onFailed(this.#failure);
      return;
    }
    this.#spooledBytes += block.length;
    this.#unwrittenBytes += block.length;
    this.#toWrite.push(block);
    // Otherwise the writer finds it by itself.
    if (this.#toWrite.length === 1) void this.#writeAll(this.#openFile());
    this.#reportBusy();
  }

  #openFile(): SpoolFile {
    if (this.#file === undefined) {
      this.#file = new SpoolFile(this.#options.openSpool);
      abandoned.register(this, this.#file, this);
      this.#options.onSpooled();
    }
    return this.#file;
  }

  #closeFile(): void {
    if (this.#file === undefined) return;
    abandoned.unregister(this);
    this.#file.close();
    this.#file = undefined;
  }

  /** Writes one block after another. The one on its way is the first of {@link #toWrite}. */
  async #writeAll(file: SpoolFile): Promise<void> {
    for (let block = this.#toWrite[0]; block !== undefined; block = this.#toWrite[0]) {
      try {
        await this.#write(block, file);
      } catch (error) {
        if (file === this.#file) this.#fail(new SpoolError(error));
        return;
      }
      // Everything was taken or cleared meanwhile.
      if (file !== this.#file) return;
      this.#toWrite.shift();
      this.#unwrittenBytes -= block.length;
      this.#reportBusy();
    }
  }

  async #write(block: Block, file: SpoolFile): Promise<void> {
    // Only this method takes the bytes away.
    const bytes = block.bytes as Buffer;
    if (!block.isTaken) {
      const extent = await this.#inTime(file.write(bytes, block.length));
      if (file !== this.#file) return;
      block.extent = extent;
    }
    const isBeingRead = block === this.#blocks[0];
    if (block.isTaken || isBeingRead) this.#leaveFile(block);
    if (isBeingRead) return;
    block.bytes = undefined;
    this.#giveBack(bytes);
  }

  #load(block: Block): void {
    const { extent } = block;
    const file = this.#file;
    if (block.isLoading || block.error !== undefined || extent === undefined || file === undefined) return;
    block.isLoading = true;
    const { blockBytes } = this.#sizes;
    const bytes = block.length > blockBytes ? Buffer.allocUnsafeSlow(block.length) : this.#takeSpare();
    this.#memoryBytes += bytes.length;
    this.#inTime(file.read(extent, bytes)).then(
      () => {
        if (file !== this.#file) return;
        block.bytes = bytes;
        this.#leaveFile(block);
        this.#options.onLoaded();
      },
      (error: unknown) => {
        if (file !== this.#file) return;
        block.error = new SpoolError(error);
        this.#options.onLoaded();
      },
    );
  }

  /** The first block was taken. */
  #drop(block: Block): void {
    this.#blocks.shift();
    this.#at = 0;
    block.isTaken = true;
    if (block === this.#open) this.#open = undefined;
    // One that waits to be written is given back by the writer.
    if (!this.#toWrite.includes(block) && block.bytes !== undefined) this.#giveBack(block.bytes);
  }

  #leaveFile(block: Block): void {
    if (block.extent !== undefined) this.#file?.release(block.extent);
    block.extent = undefined;
    this.#spooledBytes -= block.length;
  }

  #takeSpare(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.#sizes.blockBytes);
  }

  #giveBack(bytes: Buffer): void {
    this.#memoryBytes -= bytes.length;
    const { blockBytes, writeAheadBytes } = this.#sizes;
    const isKept = this.#spare.length * blockBytes < writeAheadBytes;
    if (bytes.length === blockBytes && isKept) this.#spare.push(bytes);
  }

  /** What waits to be written stays where it is, the block whose write failed too. */
  #fail(error: Error): void {
    this.#failure = error;
    this.#spooledBytes -= this.#unwrittenBytes;
    this.#toWrite = [];
    this.#unwrittenBytes = 0;
    this.#reportBusy();
    this.#options.onFailed(error);
  }

  #reportBusy(): void {
    const { writeAheadBytes } = this.#sizes;
    const isBusy = this.#unwrittenBytes > (this.#isBusy ? writeAheadBytes / 2 : writeAheadBytes);
    if (isBusy === this.#isBusy) return;
    this.#isBusy = isBusy;
    this.#options.onBusy(isBusy);
  }

  #inTime<R>(work: Promise<R>): Promise<R> {
    const { diskTimeoutMs } = this.#sizes;
    return within<R, never>(diskTimeoutMs, work, () => {
      throw new Error(`The disk did not answer within ${diskTimeoutMs} ms`);
    });
  }
}
