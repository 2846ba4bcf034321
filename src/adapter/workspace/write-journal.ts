import { isJsonObject, parseJsonObject } from '../../util/json.js';
import { ownerOf } from '../../util/stale-directories.js';
import type { AnchoredDirectory } from './anchored-directory.js';
import { isConfiguration, OWN_PREFIX } from './host-configuration.js';
import { wrongWith } from './vfs-path.js';
import { lookAt } from './walk-down.js';

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

/** The name without its ending, and what became of the process that wrote it; `undefined`: no journal has that name. */
export function parseJournalName(name: string) {
  const base = /^(.+)\.(?:json|done)$/.exec(name)?.[1] ?? '';
  const owner = ownerOf(base, OWN_PREFIX);
  return owner === undefined ? undefined : { base, owner, isDone: name.endsWith('.done') };
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

/** A journal that was not written to its end did nothing yet. `undefined`: it is none of this user's. */
export async function readJournal(
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
