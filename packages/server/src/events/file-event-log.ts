import { watch } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { assertDirectory, assertOptions, type Checks, integer, optional } from '../checks.js';
import { storeFailure } from '../errors.js';
import { type ConversationKey, conversationFolder, keyText } from '../stores/conversation-key.js';
import { unlessMissing } from '../stores/file-errors.js';
import { assertLeaseToken } from '../stores/lease-token.js';
import type { ConversationEvent, LoggedEvent } from './conversation-event.js';
import type { EventLog, EventPage } from './event-log.js';
import { SegmentFence } from './segment-fence.js';
import { SegmentIndex } from './segment-index.js';

export interface FileEventLogOptions {
  /** A file is full after so many events. @defaultValue 1_000 */
  readonly segmentEvents?: number;
  /** Or after so many bytes. @defaultValue 1 MiB */
  readonly segmentBytes?: number;
  /** Files of one conversation: when one more begins, the oldest goes. @defaultValue 16 */
  readonly segments?: number;
  /** How often a viewer looks for what other hosts wrote, where the folder cannot be watched. @defaultValue 500 */
  readonly pollMs?: number;
}

const CHECKS: Checks<FileEventLogOptions> = {
  ...{ segmentEvents: optional(integer()), segmentBytes: optional(integer()), segments: optional(integer()) },
  pollMs: optional(integer()),
};

/** Where the next event goes. */
interface End {
  /** The id that the newest file begins with. */
  readonly segment: number;
  readonly lastId: number;
  readonly bytes: number;
}

const SEGMENT = /^(\d{16})\.jsonl$/;
const NEWLINE = 10;
/** Conversations whose end is remembered. For others it is read from the file. */
const MAX_ENDS = 1_000;
/** Of files of all conversations. One takes less than 1 KB. */
const MAX_INDEXES = 4_000;

/**
 * An {@link EventLog} in a directory, for several hosts on one machine: JSON Lines in files named by their first id. An
 * append is one write. A line that a crash left unfinished was acknowledged to nobody, and is cut off by the next
 * append. Events survive the end of the process; those of the last moment may be lost when the machine loses power.
 */
export class FileEventLog implements EventLog {
  readonly pollMs: number;
  readonly #root: string;
  readonly #limits: Required<Omit<FileEventLogOptions, 'pollMs'>>;
  readonly #ends = new Map<string, End>();
  /** By path. */
  readonly #indexes = new Map<string, SegmentIndex>();
  readonly #fence = new SegmentFence();
  readonly #queues = new Map<string, Promise<unknown>>();

  /** @param directory - Made by the first append. */
  constructor(directory: string, options: FileEventLogOptions = {}) {
    assertDirectory('new FileEventLog()', directory);
    assertOptions('new FileEventLog()', options, CHECKS);
    const { segmentEvents = 1_000, segmentBytes = 1024 * 1024, segments = 16, pollMs = 500 } = options;
    this.#root = resolve(directory);
    this.#limits = { segmentEvents, segmentBytes, segments };
    this.pollMs = pollMs;
  }

  async append(
    key: ConversationKey,
    events: readonly ConversationEvent[],
    token?: number,
  ): Promise<readonly LoggedEvent[]> {
    const folder = conversationFolder(this.#root, key);
    assertLeaseToken(token);
    return await this.#queued(key, 'Appending to the event log', async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (token !== undefined) await this.#fence.raise(folder, token, () => newestIn(folder));
      if (events.length === 0) return [];
      const end = await this.#endOf(key, folder);
      const at = Date.now();
      const logged = events.map((event, index) => ({ id: end.lastId + index + 1, at, event }));
      const text = logged.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      this.#ends.delete(keyText(key));
      await this.#write(folder, end.segment, text, token);
      this.#remember(key, {
        segment: end.segment,
        lastId: end.lastId + logged.length,
        bytes: end.bytes + Buffer.byteLength(text),
      });
      return logged;
    });
  }

  async read(key: ConversationKey, after: number, limit: number): Promise<EventPage> {
    const folder = conversationFolder(this.#root, key);
    try {
      const segments = await segmentsIn(folder);
      const newest = segments.at(-1) ?? 1;
      const end = this.#indexOf(folder, newest);
      const lastId = segments.length > 0 && (await end.look()) ? newest + end.lines - 1 : newest - 1;
      let firstId = segments[0] ?? 1;
      const events: LoggedEvent[] = [];
      for (const [index, segment] of segments.entries()) {
        const next = segments[index + 1] ?? Number.POSITIVE_INFINITY;
        if (next <= after + 1) continue;
        if (events.length >= limit) break;
        const start = Math.max(0, after + 1 - segment);
        const lines = await this.#linesOf(folder, segment, start, limit - events.length);
        // An append has dropped it since it was listed.
        if (lines === undefined && events.length > 0) break;
        if (lines === undefined) {
          firstId = next;
          continue;
        }
        events.push(...lines.map((line, offset) => entryOf(line, segment + start + offset)));
      }
      return { events, firstId, lastId: Math.max(lastId, events.at(-1)?.id ?? 0) };
    } catch (error) {
      throw storeFailure('Reading the event log', error);
    }
  }

  /** For appends on this machine. Rejects where the system takes no more watches. */
  async watch(key: ConversationKey, onAppend: () => void): Promise<() => void> {
    const folder = conversationFolder(this.#root, key);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const watcher = watch(folder, { persistent: false }, onAppend);
      watcher.on('error', onAppend);
      return () => watcher.close();
    } catch (error) {
      throw storeFailure('Watching the event log', error);
    }
  }

  async remove(key: ConversationKey): Promise<void> {
    const folder = conversationFolder(this.#root, key);
    await this.#queued(key, 'Removing an event log', async () => {
      this.#ends.delete(keyText(key));
      for (const path of [...this.#indexes.keys()]) if (path.startsWith(folder + sep)) this.#indexes.delete(path);
      await rm(folder, { recursive: true, force: true });
    });
  }

  async #write(folder: string, segment: number, text: string, token: number | undefined): Promise<void> {
    const file = await open(join(folder, fileName(segment)), 'a', 0o600);
    try {
      if (token !== undefined) await this.#fence.check(folder, token);
      await file.appendFile(text);
      if (token !== undefined) await this.#fence.check(folder, token);
    } finally {
      await file.close();
    }
  }

  /** `undefined` where the file has gone meanwhile. */
  async #linesOf(folder: string, segment: number, start: number, count: number) {
    const index = this.#indexOf(folder, segment);
    return (await index.look()) ? await index.read(start, count) : undefined;
  }

  #indexOf(folder: string, segment: number): SegmentIndex {
    const path = join(folder, fileName(segment));
    const index = this.#indexes.get(path) ?? new SegmentIndex(path);
    // The one that was used last is the last to go.
    this.#indexes.delete(path);
    this.#indexes.set(path, index);
    const [oldest] = this.#indexes.keys();
    if (this.#indexes.size > MAX_INDEXES && oldest !== undefined) this.#indexes.delete(oldest);
    return index;
  }

  /** Begins a new file where the newest is full, and drops the oldest. */
  async #endOf(key: ConversationKey, folder: string): Promise<End> {
    const end = await this.#currentEnd(key, folder);
    const count = end.lastId - end.segment + 1;
    if (count < this.#limits.segmentEvents && end.bytes < this.#limits.segmentBytes) return end;
    const old = (await segmentsIn(folder)).slice(0, 1 - this.#limits.segments || undefined);
    for (const segment of old) await rm(join(folder, fileName(segment)), { force: true });
    return { segment: end.lastId + 1, lastId: end.lastId, bytes: 0 };
  }

  /** What is remembered, if nobody else has written since. */
  async #currentEnd(key: ConversationKey, folder: string): Promise<End> {
    const known = this.#ends.get(keyText(key));
    const segment = (await segmentsIn(folder)).at(-1);
    if (segment === undefined) return { segment: 1, lastId: 0, bytes: 0 };
    const path = join(folder, fileName(segment));
    if (known?.segment === segment && (await stat(path)).size === known.bytes) return known;
    const content = await readFile(path);
    const bytes = content.lastIndexOf(NEWLINE) + 1;
    if (bytes < content.length) await truncate(path, bytes);
    const lines = content.subarray(0, bytes).reduce((count, byte) => count + (byte === NEWLINE ? 1 : 0), 0);
    return { segment, lastId: segment + lines - 1, bytes };
  }

  #remember(key: ConversationKey, end: End): void {
    this.#ends.set(keyText(key), end);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > MAX_ENDS && oldest !== undefined) this.#ends.delete(oldest);
  }

  /** One change of a conversation at a time. */
  async #queued<T>(key: ConversationKey, what: string, task: () => Promise<T>): Promise<T> {
    const name = keyText(key);
    const result = (this.#queues.get(name) ?? Promise.resolve()).then(task);
    const settled = result.catch(() => {});
    this.#queues.set(name, settled);
    try {
      return await result;
    } catch (error) {
      throw storeFailure(what, error);
    } finally {
      if (this.#queues.get(name) === settled) this.#queues.delete(name);
    }
  }
}

function fileName(segment: number): string {
  return `${String(segment).padStart(16, '0')}.jsonl`;
}

async function segmentsIn(folder: string): Promise<readonly number[]> {
  const names = (await unlessMissing(readdir(folder))) ?? [];
  return names.flatMap((name) => Number(SEGMENT.exec(name)?.[1] ?? Number.NaN) || []).sort((a, b) => a - b);
}

async function newestIn(folder: string): Promise<string | undefined> {
  const newest = (await segmentsIn(folder)).at(-1);
  return newest === undefined ? undefined : join(folder, fileName(newest));
}

/** Ids have no gaps, so a line's place says its id. What cannot be read is a gap that viewers are told of. */
function entryOf(line: string, id: number): LoggedEvent {
  try {
    const { at, event }: Partial<LoggedEvent> = JSON.parse(line);
    if (typeof at === 'number' && typeof event?.type === 'string') return { id, at, event };
  } catch {
    // A crash of the machine, or somebody else's editor.
  }
  return { id, at: 0, event: { type: 'events_dropped', before: id + 1 } };
}

async function truncate(path: string, bytes: number): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.truncate(bytes);
  } finally {
    await handle.close();
  }
}
