import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { unlessCode } from '../../util/error-code.js';
import { isJsonObject, parseJsonObject } from '../../util/json.js';
import { ownerOf } from '../../util/stale-directories.js';
import { type AnchoredDirectory, sameFile } from './anchored-directory.js';
import { factsOf } from './file-content.js';
import { isConfiguration, OWN_PREFIX } from './host-configuration.js';
import { wrongWith } from './vfs-path.js';
import { closing, lookAt, OpenFolders } from './walk-down.js';

export interface JournalEntry {
  readonly folders: readonly string[];
  readonly name: string;
  /** Of the new content. */
  readonly sha256: string;
  readonly isNew: boolean;
}

/** What a write back is about to do, so that it can be undone. */
export interface Journal {
  /** Name in the root without its ending. The files beside the replaced ones have this name, a number and an ending. */
  readonly base: string;
  /** Folders that did not exist. */
  readonly made: readonly (readonly string[])[];
  readonly files: readonly JournalEntry[];
}

const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

/** Journals of this process that could not be completed, and are not in use. */
const abandoned = new Set<string>();

/** Not all changes could be undone. */
export class RollbackFailed extends Error {
  constructor(journal: string, cause: unknown) {
    super(`The journal ${journal} is kept`, { cause });
  }
}

export async function writeJournal(root: AnchoredDirectory, { base, made, files }: Journal): Promise<void> {
  await closing(root.createFile(`${base}.json`), async (file) => {
    try {
      await file.writeFile(JSON.stringify({ version: 1, made, files }));
      await file.sync();
    } catch (error) {
      await root.unlink(`${base}.json`).catch(() => undefined);
      throw error;
    }
  });
}

/** Undoes a failed write back. @throws {@link RollbackFailed} */
export async function rollBack(root: AnchoredDirectory, open: OpenFolders, journal: Journal): Promise<void> {
  try {
    await undo(root, open, journal);
  } catch (cause) {
    abandoned.add(journal.base);
    throw new RollbackFailed(join(root.path, `${journal.base}.json`), cause);
  }
}

/** Removes the journal and its files after all is written. If that fails, the next call does it. */
export async function finish(root: AnchoredDirectory, open: OpenFolders, journal: Journal): Promise<void> {
  await removeAll(root, open, journal).catch(() => abandoned.add(journal.base));
}

/**
 * Undoes what killed processes left half done below a root. Files that have changed since stay.
 * @param isStale - Whether a journal is abandoned, by the state of the process that wrote it.
 * @returns paths of the restored files, below the root.
 */
export async function recover(
  root: AnchoredDirectory,
  isStale: (owner: 'alive' | 'gone' | 'elsewhere') => boolean = (owner) => owner === 'gone',
): Promise<readonly (readonly string[])[]> {
  const undone: (readonly string[])[] = [];
  for (const { name } of await root.entries()) {
    const found = parseJournalName(name);
    if (found === undefined || !(abandoned.has(found.base) || isStale(found.owner))) continue;
    const journal = await readJournal(root, name, found.base);
    if (journal === undefined) continue;
    await closing(new OpenFolders(root), async (open) => {
      if (found.isDone) await removeAll(root, open, journal);
      else undone.push(...(await undo(root, open, journal)));
    });
    abandoned.delete(found.base);
  }
  return undone;
}

/** The name without its ending, and the state of the process that wrote it. `undefined`: not the name of a journal. */
function parseJournalName(name: string) {
  const base = /^(.+)\.(?:json|done)$/.exec(name)?.[1] ?? '';
  const owner = ownerOf(base, OWN_PREFIX);
  return owner === undefined ? undefined : { base, owner, isDone: name.endsWith('.done') };
}

/** An incomplete journal is empty, since nothing was done yet. `undefined`: not a journal of this user. */
async function readJournal(root: AnchoredDirectory, name: string, base: string): Promise<Journal | undefined> {
  // Anybody who may write there can make a link or an unreadable file.
  const there = await lookAt(root, name);
  if (there?.isFile() !== true || (process.getuid?.() ?? there.uid) !== there.uid) return undefined;
  const opened = await root.openFile(name);
  if (opened === undefined) return undefined;
  return closing(opened, async (file) => {
    const { uid, size } = await file.stat();
    if ((process.getuid?.() ?? uid) !== uid || size > MAX_JOURNAL_BYTES) return undefined;
    const { made, files } = parseJsonObject(await file.readFile('utf8')) ?? {};
    return {
      base,
      made: Array.isArray(made) ? made.filter(isPath) : [],
      files: Array.isArray(files) ? files.map(entryOf) : [],
    };
  });
}

/** Invalid entries become harmless ones, because the index of the others matters. */
function entryOf(value: unknown): JournalEntry {
  const { folders, name, sha256, isNew } = isJsonObject(value) ? value : {};
  const isEntry = Array.isArray(folders) && isPath([...folders, name]);
  return {
    folders: isEntry ? folders : [],
    name: isEntry ? String(name) : OWN_PREFIX,
    sha256: String(sha256),
    isNew: isNew === true,
  };
}

/** Only paths that a write back may write, whoever wrote the journal. */
function isPath(value: unknown): value is string[] {
  const isName = (each: unknown) => typeof each === 'string' && wrongWith(each, process.platform) === undefined;
  return Array.isArray(value) && value.length > 0 && value.every(isName) && !isConfiguration(value);
}

/**
 * Continues with the other files when one cannot be undone, and then keeps the journal.
 * @returns paths of the restored files.
 */
async function undo(root: AnchoredDirectory, open: OpenFolders, { base, made, files }: Journal): Promise<string[][]> {
  const undone: string[][] = [];
  const failures: unknown[] = [];
  for (const [index, file] of files.entries()) {
    try {
      const folder = await open.find(file.folders);
      const isUndone = folder !== undefined && (await undoFile(folder, file, `${base}.${index}`));
      if (isUndone) undone.push([...file.folders, file.name]);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  for (const folders of made.toReversed()) {
    // It fails for a folder that somebody uses.
    const parent = await open.find(folders.slice(0, -1));
    await parent?.rmdir(folders.at(-1) ?? '').catch(() => undefined);
  }
  await removeIfThere(root, `${base}.json`);
  return undone;
}

/** @returns whether the file was restored. */
async function undoFile(
  folder: AnchoredDirectory,
  { name, sha256, isNew }: JournalEntry,
  part: string,
): Promise<boolean> {
  const there = await lookAt(folder, name);
  const fresh = await lookAt(folder, `${part}.new`);
  const isPut = fresh === undefined && (await lookAt(folder, `${part}.put`)) !== undefined;
  const isOurs =
    there !== undefined &&
    (fresh === undefined ? isPut : sameFile(there, fresh)) &&
    (await factsOf(folder, name))?.sha256 === sha256;
  if (isOurs) await putBack(folder, name, isNew ? undefined : `${part}.old`, there);
  await removeParts(folder, part);
  return isOurs;
}

/** Removes the files beside the written ones, and the journal. */
async function removeAll(root: AnchoredDirectory, open: OpenFolders, { base, files }: Journal): Promise<void> {
  for (const [index, { folders }] of files.entries()) {
    const folder = await open.find(folders);
    if (folder !== undefined) await removeParts(folder, `${base}.${index}`);
  }
  await removeIfThere(root, `${base}.done`);
}

/** Moves `old` over the entry, or removes the entry without one, if the entry is still `ours`. */
export async function putBack(
  folder: AnchoredDirectory,
  name: string,
  old: string | undefined,
  ours: Stats,
): Promise<void> {
  await folder.replaceIf(name, old, (there) => there !== undefined && sameFile(there, ours));
}

async function removeParts(folder: AnchoredDirectory, part: string): Promise<void> {
  for (const ending of ['put', 'new', 'old']) await removeIfThere(folder, `${part}.${ending}`);
}

async function removeIfThere(folder: AnchoredDirectory, name: string): Promise<void> {
  await unlessCode(['ENOENT'], folder.unlink(name));
}
