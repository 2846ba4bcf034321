import type { BacklogSizes } from '../../../src/query/backlog/backlog.js';
import type { SpoolHandle } from '../../../src/query/backlog/spool-file.js';
import { MessageQueue, type MessageQueueOptions } from '../../../src/query/message-queue.js';

/** So small that a few dozen messages are in every tier. */
export const TINY: BacklogSizes = { blockBytes: 64, memoryBytes: 128, writeAheadBytes: 128, diskTimeoutMs: 10_000 };

export interface WatchedQueue<T> {
  readonly queue: MessageQueue<T>;
  /** What the queue reported. */
  readonly failures: Error[];
  readonly busy: boolean[];
  readonly spooled: { count: number };
}

/** A queue whose limits are tiny. */
export function tinyQueue<T>(options: Partial<MessageQueueOptions> = {}): WatchedQueue<T> {
  const failures: Error[] = [];
  const busy: boolean[] = [];
  const spooled = { count: 0 };
  const queue = new MessageQueue<T>({
    maxObjectBytes: 64,
    maxSpooledBytes: Number.POSITIVE_INFINITY,
    sizes: TINY,
    onTaken: () => {},
    onSpooled: () => {
      spooled.count += 1;
    },
    onBusy: (isBusy) => busy.push(isBusy),
    onFailed: (error) => failures.push(error),
    ...options,
  });
  return { queue, failures, busy, spooled };
}

/** A file in memory, of which a test decides when and how each call ends. */
export class FakeFile implements SpoolHandle {
  readonly calls = { write: 0, read: 0, close: 0 };
  /** Waited for before a call. May reject. */
  before: (call: 'write' | 'read', index: number) => Promise<void> | undefined = () => undefined;
  #content = Buffer.alloc(0);

  async write(bytes: Buffer, offset: number, length: number, position: number) {
    this.calls.write += 1;
    await this.before('write', this.calls.write);
    // A disk may take less than it is given.
    const bytesWritten = Math.min(length, 50);
    const end = position + bytesWritten;
    if (end > this.#content.length) {
      this.#content = Buffer.concat([this.#content], Math.max(end, 2 * this.#content.length));
    }
    bytes.copy(this.#content, position, offset, offset + bytesWritten);
    return { bytesWritten };
  }

  async read(into: Buffer, offset: number, length: number, position: number) {
    this.calls.read += 1;
    await this.before('read', this.calls.read);
    const bytesRead = this.#content.copy(into, offset, position, position + Math.min(length, 50));
    return { bytesRead };
  }

  async close(): Promise<void> {
    this.calls.close += 1;
  }
}

export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: the file system says no`), { code });
}

/** Everything until the end; what it ended with. */
export async function drain<T>(
  queue: Pick<MessageQueue<T>, 'next'>,
): Promise<{ readonly items: T[]; readonly error: unknown }> {
  const items: T[] = [];
  try {
    for (let step = await queue.next(); step.done !== true; step = await queue.next()) {
      items.push(step.value);
    }
    return { items, error: undefined };
  } catch (error) {
    return { items, error };
  }
}

/** Lets everything run that is under way, the disk included. */
export async function settled(file: { readonly calls: FakeFile['calls'] }): Promise<void> {
  for (let before = -1, now = 0; before !== now; ) {
    before = file.calls.write + file.calls.read;
    await new Promise((resolve) => setImmediate(resolve));
    now = file.calls.write + file.calls.read;
  }
}
