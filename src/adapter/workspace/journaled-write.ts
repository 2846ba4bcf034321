import { createHash, randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { codeOf } from '../../util/error-code.js';
import { ownDirectoryPrefix } from '../../util/stale-directories.js';
import type { WriteBackConflict } from '../errors/adapter-error.js';
import { type AnchoredDirectory, sameFile } from './anchored-directory.js';
import { copyFile, type FileFacts, factsOf } from './file-content.js';
import { OWN_PREFIX } from './host-configuration.js';
import { closing, lookAt, OpenFolders } from './walk-down.js';
import { isExecutable as canRun } from './workspace.js';
import { finish, type Journal, type JournalEntry, putBack, rollBack, writeJournal } from './write-journal.js';

export interface Replacement {
  /** Folders below the root, without links. */
  readonly folders: readonly string[];
  readonly name: string;
  readonly content: string;
  readonly isExecutable: boolean;
  /** The file that it replaces. `undefined`: a new file. */
  readonly old: FileFacts | undefined;
}

type ConflictReason = WriteBackConflict['reason'];

export type Outcome = { readonly written: FileFacts } | { readonly conflict: ConflictReason };

/** A file of the host has changed, and with `isAllOrNothing` nothing is written. */
export class LateConflict extends Error {
  readonly outcomes: readonly (Outcome | undefined)[];

  constructor(outcomes: readonly (Outcome | undefined)[]) {
    super('A file changed while the files were written');
    this.outcomes = outcomes;
  }
}

/** Flushing many files takes a disk about as long as flushing one. */
const FLUSHED_AT_ONCE = 16;

/**
 * Writes all files or none: after a failure everything is undone. A file that differs from `old` is a conflict and
 * stays as it is; with `isAllOrNothing`, so do all others.
 *
 * A journal in the root says what to undo if this process is killed; see `recover()`. New files and the journal are
 * flushed to the disk before the first file is replaced. Folders are not.
 * @throws {@link LateConflict} only with `isAllOrNothing`. Nothing was changed.
 * @throws {@link RollbackFailed}
 */
export async function replaceFiles(
  root: AnchoredDirectory,
  replacements: readonly Replacement[],
  isAllOrNothing: boolean,
): Promise<readonly Outcome[]> {
  const base = `${ownDirectoryPrefix(OWN_PREFIX)}${randomBytes(3).toString('hex')}`;
  return closing(new OpenFolders(root), async (open) => {
    const files = replacements.map((each, index) => new StagedFile(open, each, `${base}.${index}`));
    const made = await missingFolders(open, replacements);
    const journal = { base, made, files: files.map(({ entry }) => entry) };
    await writeJournal(root, journal);
    try {
      await putAll(files, isAllOrNothing);
      await root.rename(`${base}.json`, `${base}.done`);
    } catch (error) {
      await rollBack(root, open, journal);
      throw error;
    }
    await finish(root, open, journal);
    return files.map(({ outcome }) => outcome);
  });
}

async function putAll(files: readonly StagedFile[], isAllOrNothing: boolean): Promise<void> {
  const settle = async (act: (file: StagedFile) => Promise<void>, atOnce = 1): Promise<void> => {
    for (let start = 0; start < files.length; start += atOnce) {
      const some = files.slice(start, start + atOnce).filter((file) => file.conflict === undefined);
      // Waits for all of them: undoing must not overlap with writing.
      for (const done of await Promise.allSettled(some.map(act))) if (done.status === 'rejected') throw done.reason;
      if (isAllOrNothing && some.some((file) => file.conflict !== undefined))
        throw new LateConflict(files.map(({ outcome }) => outcome));
    }
  };
  await settle((file) => file.stage(), FLUSHED_AT_ONCE);
  await settle((file) => file.backUp());
  await settle((file) => file.put());
  await settle((file) => file.checkAgain());
}

/** One file to write. Until the end its content (`new`) and the replaced file (`old`) are beside it. */
class StagedFile {
  readonly entry: JournalEntry;
  conflict: ConflictReason | undefined;
  readonly #open: OpenFolders;
  readonly #wanted: Replacement;
  readonly #part: string;
  #permissions = 0;
  /** The replaced file when its content was compared. */
  #old: Stats | undefined;
  #isLinked = false;
  #isThere = false;

  constructor(open: OpenFolders, wanted: Replacement, part: string) {
    const { folders, name, content, old } = wanted;
    this.entry = { folders, name, sha256: sha256Of(content), isNew: old === undefined };
    this.#open = open;
    this.#wanted = wanted;
    this.#part = part;
  }

  get outcome(): Outcome {
    if (this.conflict !== undefined) return { conflict: this.conflict };
    return { written: { sha256: this.entry.sha256, permissions: this.#permissions } };
  }

  async stage(): Promise<void> {
    const { folders, name, content, isExecutable } = this.#wanted;
    const folder = await this.#open.get(folders, true);
    const old = await lookAt(folder, name);
    await closing(folder.createFile(`${this.#part}.new`, isExecutable ? 0o777 : 0o666), async (file) => {
      await file.writeFile(content);
      const made = await file.stat();
      if (old?.isFile() === true) {
        // Only root can change the owner, and only root's new files need it.
        if (old.uid !== made.uid || old.gid !== made.gid) await file.chown(old.uid, old.gid).catch(() => undefined);
        await file.chmod(withExecutable(old.mode & 0o777, isExecutable));
      }
      this.#permissions = (await file.stat()).mode & 0o777;
      await file.sync();
    });
  }

  backUp(): Promise<void> {
    const { name, old } = this.#wanted;
    if (old === undefined) return Promise.resolve();
    return this.#inFolder(async (folder) => {
      const there = await lookAt(folder, name);
      if (there === undefined || !there.isFile()) {
        this.conflict = there === undefined ? 'deleted' : 'not_a_file';
        return;
      }
      const part = `${this.#part}.old`;
      try {
        this.#isLinked = await linkOrNot(folder, name, part);
        if (!this.#isLinked) await copyBeside(folder, name, part);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        this.conflict = 'deleted';
        return;
      }
      // Another file may have the name by now.
      this.#old = this.#isLinked ? await folder.lstat(part) : there;
      const facts = await factsOf(folder, part);
      if (facts === undefined) this.conflict = 'not_a_file';
      else if (this.#isWanted(facts)) return;
      else if (facts.sha256 !== old.sha256) this.conflict = 'edited';
      else if (facts.permissions !== old.permissions) this.conflict = 'mode_changed';
    });
  }

  put(): Promise<void> {
    if (this.#isThere) return Promise.resolve();
    return this.#inFolder(async (folder) => {
      const { name } = this.#wanted;
      const [fresh, put] = [`${this.#part}.new`, `${this.#part}.put`];
      const old = this.#old;
      if (old === undefined && (await linkOrNot(folder, fresh, name, () => this.#taken(folder)))) return;
      if (this.#isThere || this.conflict !== undefined) return;
      // A second name of the new file, which identifies it if it has to be undone.
      const isLinked = await linkOrNot(folder, fresh, put);
      if (!isLinked) await (await folder.createFile(put)).close();
      const isReplaced = await folder.replaceIf(name, isLinked ? put : fresh, (there) =>
        old === undefined ? there === undefined : there !== undefined && isUntouched(there, old),
      );
      if (isReplaced) return;
      const isGone = (await lookAt(folder, name)) === undefined;
      this.conflict = old === undefined ? 'created' : isGone ? 'deleted' : 'edited';
    });
  }

  /** Detects a program that had the old file open and wrote to it after the comparison: a conflict. */
  checkAgain(): Promise<void> {
    const { name, old } = this.#wanted;
    if (old === undefined || !this.#isLinked || this.#isThere) return Promise.resolve();
    return this.#inFolder(async (folder) => {
      const facts = await factsOf(folder, `${this.#part}.old`);
      if (facts?.sha256 === old.sha256) return;
      this.conflict = 'edited';
      const ours = await lookAt(folder, `${this.#part}.new`);
      if (ours !== undefined) await putBack(folder, name, `${this.#part}.old`, ours);
    });
  }

  /** Whether somebody wrote the same content. */
  #isWanted(facts: FileFacts): boolean {
    const { sha256, permissions } = facts;
    this.#isThere = sha256 === this.entry.sha256 && canRun(permissions) === this.#wanted.isExecutable;
    if (this.#isThere) this.#permissions = permissions;
    return this.#isThere;
  }

  /** Somebody made a file of that name. It is no conflict if it has the same content. */
  async #taken(folder: AnchoredDirectory): Promise<void> {
    const facts = await factsOf(folder, this.#wanted.name);
    if (facts === undefined || !this.#isWanted(facts)) this.conflict = 'created';
  }

  async #inFolder(act: (folder: AnchoredDirectory) => Promise<void>): Promise<void> {
    await act(await this.#open.get(this.#wanted.folders));
  }
}

/** The folders to make, those above first. */
async function missingFolders(open: OpenFolders, replacements: readonly Replacement[]): Promise<Journal['made']> {
  const missing = new Map<string, readonly string[]>();
  for (const { folders } of replacements) {
    for (let depth = folders.length; depth > 0; depth -= 1) {
      const path = folders.slice(0, depth);
      if (missing.has(path.join('/')) || (await open.find(path)) !== undefined) break;
      missing.set(path.join('/'), path);
    }
  }
  return [...missing.values()].sort((a, b) => a.length - b.length);
}

/** Returns false where hard links are not supported. */
async function linkOrNot(
  folder: AnchoredDirectory,
  from: string,
  to: string,
  onTaken?: () => Promise<void>,
): Promise<boolean> {
  try {
    await folder.link(from, to);
    return true;
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (onTaken !== undefined && code === 'EEXIST') await onTaken();
    else if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'].includes(code)) throw error;
    return false;
  }
}

async function copyBeside(folder: AnchoredDirectory, name: string, copy: string): Promise<void> {
  const opened = await folder.openFile(name);
  if (opened !== undefined) await closing(opened, (file) => copyFile(file, folder, copy));
}

function isUntouched(there: Stats, old: Stats): boolean {
  return sameFile(there, old) && there.mtimeMs === old.mtimeMs && there.size === old.size;
}

export function sha256Of(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Execution rights for everybody who can read, or for nobody. */
function withExecutable(mode: number, isExecutable: boolean): number {
  // Windows has no such bit.
  if (process.platform === 'win32' || canRun(mode) === isExecutable) return mode;
  return isExecutable ? mode | ((mode & 0o444) >> 2) | 0o100 : mode & ~0o111;
}
