import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { isJsonObject, parseJsonObject } from '../../util/json.js';
import { ownerOf } from '../../util/stale-directories.js';
import { type AnchoredDirectory, sameFile } from './anchored-directory.js';
import { factsOf } from './file-content.js';
import { isConfiguration, OWN_PREFIX } from './host-configuration.js';
import { wrongWith } from './vfs-path.js';
import { lookAt, OpenFolders } from './walk-down.js';

export interface JournalEntry {
  readonly folders: readonly string[];
  readonly name: string;
  /** Of the new content. */
  readonly sha256: string;
  readonly isNew: boolean;
}

/** What a write back is about to do, for whoever has to undo it. */
export interface Journal {
  /** Path in the root without the ending. The files beside those it replaces have the same name, a number and an ending. */
  readonly base: string;
  /** Folders that were not there. */
  readonly made: readonly (readonly string[])[];
  readonly files: readonly JournalEntry[];
}

const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

/** Of this process: journals that could not be worked off, which nobody works on any more. */
const abandoned = new Set<string>();

/** What was changed could not all be undone. */
export class RollbackFailed extends Error {
  constructor(journal: string, cause: unknown) {
    super(`The journal ${journal} is kept`, { cause });
  }
}

export async function writeJournal(root: AnchoredDirectory, { base, made, files }: Journal) {
  const file = await root.createFile(`${base}.json`);
  try {
    await file.writeFile(JSON.stringify({ version: 1, made, files }));
    await file.sync();
  } catch (error) {
    await root.unlink(`${base}.json`).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

/** Undoes what a journal says, since the writing failed. @throws {@link RollbackFailed} */
export async function rollBack(
  root: AnchoredDirectory,
  open: OpenFolders,
  journal: Journal,
): Promise<void> {
  try {
    await undo(root, open, journal);
  } catch (cause) {
    abandoned.add(journal.base);
    throw new RollbackFailed(join(root.path, `${journal.base}.json`), cause);
  }
}

/** Removes what was needed to undo, since all is written. The next call removes what cannot be removed now. */
export async function finish(
  root: AnchoredDirectory,
  open: OpenFolders,
  journal: Journal,
): Promise<void> {
  await removeAll(root, open, journal).catch(() => abandoned.add(journal.base));
}

/**
 * Undoes what processes that were killed left half done below a root. What somebody changed since stays.
 *
 * @param isStale - Whether nobody works with a journal any more, by what became of the process that wrote it.
 * @returns the paths that are as they were before, below the root.
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
    const open = new OpenFolders(root);
    try {
      if (found.isDone) await removeAll(root, open, journal);
      else undone.push(...(await undo(root, open, journal)));
    } finally {
      await open.close();
    }
    abandoned.delete(found.base);
  }
  return undone;
}

/** The name without its ending, and what became of the process that wrote it; `undefined`: no journal has that name. */
function parseJournalName(name: string) {
  const base = /^(.+)\.(?:json|done)$/.exec(name)?.[1] ?? '';
  const owner = ownerOf(base, OWN_PREFIX);
  return owner === undefined ? undefined : { base, owner, isDone: name.endsWith('.done') };
}

/** A journal that was not written to its end did nothing yet. `undefined`: it is none of this user's. */
async function readJournal(
  root: AnchoredDirectory,
  name: string,
  base: string,
): Promise<Journal | undefined> {
  // A link, or what may not be read: anybody who may write there can make one.
  const there = await lookAt(root, name);
  if (there?.isFile() !== true || (process.getuid?.() ?? there.uid) !== there.uid) return undefined;
  const file = await root.openFile(name);
  if (file === undefined) return undefined;
  try {
    const { uid, size } = await file.stat();
    if ((process.getuid?.() ?? uid) !== uid || size > MAX_JOURNAL_BYTES) return undefined;
    const { made, files } = parseJsonObject(await file.readFile('utf8')) ?? {};
    return {
      base,
      made: Array.isArray(made) ? made.filter(isPath) : [],
      files: Array.isArray(files) ? files.map(entryOf) : [],
    };
  } finally {
    await file.close();
  }
}

/** The index counts, so what is no entry becomes one that nothing can be done with. */
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

/** Whoever wrote the journal: it is followed to no place where nothing is ever written. */
function isPath(value: unknown): value is string[] {
  const isText = Array.isArray(value) && value.every((each) => typeof each === 'string');
  return (
    isText &&
    value.length > 0 &&
    value.every((segment) => wrongWith(segment, process.platform) === undefined) &&
    !isConfiguration(value)
  );
}

/**
 * Goes on with the other files when one cannot be undone, and keeps the journal then.
 *
 * @returns what is as it was before.
 */
async function undo(
  root: AnchoredDirectory,
  open: OpenFolders,
  { base, made, files }: Journal,
): Promise<readonly (readonly string[])[]> {
  const undone: (readonly string[])[] = [];
  const failures: unknown[] = [];
  for (const [index, file] of files.entries()) {
    const { folders, name } = file;
    try {
      const folder = await open.find(folders);
      const isUndone = folder && (await undoFile(folder, file, `${base}.${index}`));
      if (isUndone === true) undone.push([...folders, name]);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  for (const folders of made.toReversed()) {
    const name = folders.at(-1) ?? '';
    // Not empty, or gone: somebody uses it.
    const parent = await open.find(folders.slice(0, -1));
    await parent?.rmdir(name).catch(() => undefined);
  }
  await removeIfThere(root, `${base}.json`);
  return undone;
}

/** @returns whether the file had been replaced. */
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

/** Removes what was needed to undo. */
async function removeAll(
  root: AnchoredDirectory,
  open: OpenFolders,
  { base, files }: Journal,
): Promise<void> {
  for (const [index, { folders }] of files.entries()) {
    const folder = await open.find(folders);
    if (folder !== undefined) await removeParts(folder, `${base}.${index}`);
  }
  await removeIfThere(root, `${base}.done`);
}

/** `undefined`: moves nothing, removes the entry. Only while it still is `ours`. */
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
  await folder.unlink(name).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
}
