import { randomUUID } from 'node:crypto';
import { appendFile, link, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, inParallel, unlessMissing } from './file-errors.js';
import { type Line, lineOf, parsed, textOf } from './index-lines.js';
import { TenantFolder } from './tenant-folder.js';
import { type IndexEntry, TenantIndex } from './tenant-index.js';

const GENERATION = /^\d{1,15}$/;
/** From so many lines on it is looked whether most of them are out of date. */
const MANY_LINES = 1_000;
/** So many are one write, which no other process can come into. */
const LINES_OF_WRITE = 1_000;

/** What was read of the file of a generation. */
interface Reading {
  readonly generation: number;
  readonly index: TenantIndex;
  /** Of the file, `undefined` while there is none. */
  inode: bigint | undefined;
  bytes: number;
  lines: number;
  /** Of these, those with which the file was made. */
  firstLines: number;
  /** When those were removed that a line says so of. */
  readonly gone: Map<string, number>;
}

/**
 * The order of a tenant's conversations, so that a list need not read every record. It is kept in files `index/<number>`,
 * the highest of which counts: a line for each change, `[id, updatedAt, bytes]`, or `[id, time]` when a conversation is
 * gone. A line may come twice, and behind later ones: of two, the later time counts. Every process has it in memory, and
 * reads what was appended since.
 *
 * The records are right, and this is only an index: what it lacks is read from the records when a process begins with it,
 * and a file with a line that cannot be read is made again. A change whose line was lost in a crash leaves a conversation
 * at its old place, until it is read there or is changed again. One that a process did not live to tell of is found by
 * {@link checked}. When most lines are out of date the next number is made with
 * those that are not, in one step that the file system lets one process do, so there is no lock that a crash could leave.
 */
export class FileTenantIndex {
  readonly #folder: string;
  readonly #conversations: TenantFolder;
  readonly #entryOf: (id: string) => Promise<IndexEntry | undefined>;
  #reading: Reading | undefined;
  /** Conversations that are being added here, with how many there were with each of them. */
  readonly #added = new Map<string, number | undefined>();
  #queue: Promise<unknown> = Promise.resolve();

  /**
   * @param folder - Of the tenant: with a folder for each conversation.
   * @param entryOf - Reads a record. `undefined`: there is none that can be read.
   */
  constructor(folder: string, entryOf: (id: string) => Promise<IndexEntry | undefined>) {
    this.#folder = folder;
    this.#conversations = new TenantFolder(folder);
    this.#entryOf = entryOf;
  }

  /** With everything that was stored before the call. To be used before anything else is awaited. */
  async current(): Promise<TenantIndex> {
    return await this.#queued(() => this.#refresh());
  }

  /**
   * As {@link current}, and with what was made or removed by a process that died before it said so.
   * @param restMs - How long the folder is not looked at again. 0: it is right now.
   */
  async checked(restMs: number): Promise<TenantIndex> {
    return await this.#queued(async () => {
      const reading = await this.#refresh();
      // After the lines: each of them is of a conversation that was there before.
      const ids = await this.#conversations.changedIds(restMs);
      if (ids !== undefined) await this.#fit(reading, ids);
      return reading;
    });
  }

  /**
   * To be called when the record is stored.
   * @param most - Where there are so many already, it is made sure that there are.
   * @returns how many conversations there are with this one. Of several that are added at once each has another number,
   * or a greater one.
   */
  async add(entry: IndexEntry, most: number): Promise<number> {
    this.#added.set(entry.id, undefined);
    try {
      const before = await this.current();
      if (before.size >= most) await this.checked(0);
      await this.change(entry);
      const { size } = await this.current();
      return this.#added.get(entry.id) ?? size;
    } finally {
      this.#added.delete(entry.id);
    }
  }

  /** To be called when the record is stored. */
  async change(entry: IndexEntry): Promise<void> {
    await this.#append([lineOf(entry)]);
  }

  /** To be called when the record is gone. */
  async remove(id: string): Promise<void> {
    // Later than all lines of it, also where a clock was wrong.
    const time = Math.max(Date.now(), this.#reading?.index.get(id)?.updatedAt ?? 0);
    this.correct(id, undefined);
    await unlessFull(this.#append([[id, time]]));
  }

  /**
   * What a record says, where that is something else. Only for this process: the one that has changed the record may be
   * about to say so.
   */
  correct(id: string, entry: IndexEntry | undefined): void {
    if (entry === undefined) this.#reading?.index.delete(id);
    else this.#reading?.index.set(entry);
    // It may have been removed since it was read.
    if (entry !== undefined) this.#conversations.forget();
  }

  async #queued(task: () => Promise<Reading>): Promise<TenantIndex> {
    const reading = this.#queue.then(task);
    this.#queue = reading.catch(() => {});
    return (await reading).index;
  }

  async #append(lines: readonly Line[]): Promise<void> {
    // What a crash left of a line before does not spoil the first one.
    const text = `\n${textOf(lines)}`;
    for (let generation = -1; ; ) {
      const highest = await this.#highest();
      // The next one may have been made without these lines.
      if (highest === generation) return;
      generation = highest;
      await mkdir(this.#path(), { recursive: true, mode: 0o700 });
      await appendFile(this.#path(String(generation)), text, { mode: 0o600 });
    }
  }

  async #refresh(): Promise<Reading> {
    const known = this.#reading;
    const generation = await this.#highest();
    const isKnown = known?.generation === generation && (await this.#readOn(known));
    const reading = isKnown ? known : await this.#load(generation);
    this.#reading = reading;
    const isMostlyOld = reading.lines > MANY_LINES && reading.lines > 2 * reading.index.size;
    if (isMostlyOld) this.#reading = await this.#rewritten(reading);
    return reading;
  }

  async #load(generation: number): Promise<Reading> {
    let reading = newReading(generation);
    const isWhole = await this.#readOn(reading);
    if (!isWhole) reading = { ...newReading(generation), inode: reading.inode, bytes: reading.bytes };
    // After the lines, as in `checked`.
    await this.#fit(reading, await this.#conversations.ids(), isWhole);
    return isWhole ? reading : await this.#rewritten(reading);
  }

  /** Takes out what is not there, and in what nobody has told of. @param isTold - The file has it then, too. */
  async #fit(reading: Reading, ids: ReadonlySet<string>, isTold = true): Promise<void> {
    const { index, gone } = reading;
    for (const { id, updatedAt } of [...index.values()]) {
      if (ids.has(id)) continue;
      index.delete(id);
      // Lines of it may come again.
      gone.set(id, Math.max(Date.now(), updatedAt));
    }
    const unknown = [...ids].filter((id) => index.get(id) === undefined);
    const entries = await inParallel(unknown, async (id) => {
      const entry = await this.#entryOf(id);
      if (entry === undefined) await this.#conversations.removeUnmade(id);
      return entry;
    });
    const found = entries.filter((entry) => entry !== undefined);
    if (isTold && found.length > 0) await this.#announce(found, reading);
    for (const entry of found) {
      if (index.get(entry.id) !== undefined) continue;
      // It may have been removed while it was told of, or a line is wrong about it.
      const there = gone.has(entry.id) ? await this.#entryOf(entry.id) : entry;
      if (there !== undefined) index.set(there);
    }
  }

  /** Says what nobody has said, and takes it in the order in which all others do. */
  async #announce(entries: readonly IndexEntry[], reading: Reading): Promise<void> {
    for (let from = 0; from < entries.length; from += LINES_OF_WRITE) {
      await unlessFull(this.#append(entries.slice(from, from + LINES_OF_WRITE).map(lineOf)));
    }
    await this.#readOn(reading);
  }

  /** Reads what was appended. `false`: it is another file, or has a line that cannot be read. */
  async #readOn(reading: Reading): Promise<boolean> {
    const file = await unlessMissing(open(this.#path(String(reading.generation)), 'r'));
    if (file === undefined) return reading.inode === undefined;
    try {
      const { ino, size } = await file.stat({ bigint: true });
      if ((reading.inode ?? ino) !== ino || Number(size) < reading.bytes) return false;
      reading.inode = ino;
      const content = Buffer.alloc(Number(size) - reading.bytes);
      if (content.length === 0) return true;
      const { bytesRead } = await file.read(content, 0, content.length, reading.bytes);
      const end = content.lastIndexOf('\n', bytesRead - 1) + 1;
      reading.bytes += end;
      let isWhole = true;
      for (const line of content.toString('utf8', 0, end).split('\n')) {
        if (line !== '') isWhole = this.#take(reading, line) && isWhole;
      }
      return isWhole;
    } finally {
      await file.close();
    }
  }

  #take(reading: Reading, line: string): boolean {
    const values = parsed(line);
    if (values === undefined) return false;
    if (values.length === 1) {
      reading.firstLines = values[0];
      return true;
    }
    const [id, time, bytes] = values;
    const { index, gone } = reading;
    reading.lines += 1;
    const known = index.get(id);
    if (bytes === undefined) gone.set(id, time);
    if (bytes === undefined && (known?.updatedAt ?? 0) <= time) index.delete(id);
    const isLater = (known?.updatedAt ?? 0) <= time && (gone.get(id) ?? -1) < time;
    if (bytes !== undefined && isLater) index.set({ id, updatedAt: time, bytes });
    // Among the first lines it may be before some that were earlier.
    const isFirst = reading.lines <= reading.firstLines;
    const count = isFirst ? Math.max(index.size, reading.firstLines) : index.size;
    if (this.#added.has(id)) this.#added.set(id, this.#added.get(id) ?? count);
    return true;
  }

  /** Makes the next generation. Nobody needs it, so one that cannot be made is left: the reading stays what it was. */
  async #rewritten(reading: Reading): Promise<Reading> {
    const { generation, index } = reading;
    const draft = this.#path(`draft.${randomUUID()}`);
    const lines = [...index.values()].map(lineOf);
    const text = `[${lines.length}]\n${textOf(lines)}`;
    try {
      await mkdir(this.#path(), { recursive: true, mode: 0o700 });
      await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
      await link(draft, this.#path(String(generation + 1)));
      await this.#carryOver(reading);
      // Those of processes that died, too.
      for (const name of await readdir(this.#path())) {
        if (!GENERATION.test(name) || Number(name) <= generation) await rm(this.#path(name), { force: true });
      }
      const next = {
        generation: generation + 1,
        bytes: Buffer.byteLength(text),
        lines: lines.length,
        firstLines: lines.length,
      };
      return { ...next, index, gone: new Map(), inode: undefined };
    } catch {
      // Another process was faster, or the disk is full.
      await rm(draft, { force: true });
      return reading;
    }
  }

  /** What was appended to the file before since it was read. Whoever does so from now on sees that there is another. */
  async #carryOver({ generation, bytes }: Reading): Promise<void> {
    const file = await unlessMissing(open(this.#path(String(generation)), 'r'));
    if (file === undefined) return;
    try {
      const { size } = await file.stat();
      if (size <= bytes) return;
      const content = Buffer.alloc(size - bytes);
      await file.read(content, 0, content.length, bytes);
      const text = Buffer.concat([Buffer.from('\n'), content, Buffer.from('\n')]);
      await appendFile(this.#path(String(generation + 1)), text, { mode: 0o600 });
    } finally {
      await file.close();
    }
  }

  /** 0 where there is none. */
  async #highest(): Promise<number> {
    const names = (await unlessMissing(readdir(this.#path()))) ?? [];
    return names.reduce((highest, name) => (GENERATION.test(name) ? Math.max(highest, Number(name)) : highest), 0);
  }

  #path(...names: readonly string[]): string {
    return join(this.#folder, 'index', ...names);
  }
}

function newReading(generation: number): Reading {
  return { generation, index: new TenantIndex(), inode: undefined, bytes: 0, lines: 0, firstLines: 0, gone: new Map() };
}

/** A full disk is no failure: whoever looks for the record finds out. */
async function unlessFull(appending: Promise<void>): Promise<void> {
  try {
    await appending;
  } catch (error) {
    if (!hasCode(error, 'ENOSPC', 'EDQUOT')) throw error;
  }
}
