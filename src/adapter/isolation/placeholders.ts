import { lstatSync, mkdirSync, type Stats, writeFileSync } from 'node:fs';
import { lstat, realpath, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import { readRegularFile } from '../../util/read-regular-file.js';
import { AnchoredDirectory, closing } from '../workspace/internal.js';

/**
 * Names that the CLI's sandbox on Linux protects in each working directory, by folder (as of 2.1.330). Where one does
 * not exist, bwrap makes an empty read-only file, and the CLI removes it after the command. A killed CLI leaves it
 * there. `config.lock` keeps git from changing the repository's configuration.
 */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['.bash_profile', '.bashrc', '.profile', '.zprofile', '.zshrc', '.gitconfig', '.gitmodules'],
    ...['.ripgreprc', '.mcp.json', '.idea', '.vscode', '.claude'],
  ],
  '.claude': [
    ...['agents', 'commands', 'hooks', 'launch.json', 'loop.md', 'output-styles', 'routines'],
    ...['scheduled_tasks.json', 'settings.json', 'settings.local.json', 'skills', 'workflows'],
  ],
  '.git': ['config.lock', 'hooks'],
};
/** The CLI's own folder, and the folder that it makes there. */
const OWN_FOLDER = '.claude';
const OWN_WRITES = '.cc-writes';
/** A file in the home: it is removed with the home, and the next process finds it when this one is killed. */
const JOURNAL = 'places.json';
const MAX_JOURNAL_BYTES = 1024 * 1024;

/** File times can be this far behind the clock. */
const CLOCK_TICK_MS = 50;

/** The time of a missing file: it is never older than a run. */
const ABSENT = Number.POSITIVE_INFINITY;

/** Journals of this process by the path of the home, so that parallel runs need not read them. */
const own = new Map<string, Journal>();

interface Journal {
  /** Milliseconds since 1970. At that time none of `absent` existed. */
  readonly at: number;
  /** Paths within the working directory, by its real path. */
  readonly absent: Readonly<Record<string, readonly string[]>>;
}

/**
 * Records in a home which of the protected names do not exist in the working directories of its run.
 * @param beside - Homes of other running runs. A name that was absent before one of them may be its placeholder now.
 */
export async function recordAbsent(
  homePath: string,
  workingDirectories: readonly string[],
  beside: readonly string[],
): Promise<void> {
  const others = (await Promise.all(beside.map(readJournal))).filter((each) => each !== undefined);
  let at = Date.now() - CLOCK_TICK_MS;
  const absent: Record<string, readonly string[]> = {};
  for (const directory of workingDirectories) {
    const path = await realpath(directory).catch(() => undefined);
    if (path === undefined) continue;
    const all = allNames();
    const times = await Promise.all(all.map((name) => modifiedAt(path, name)));
    const names: string[] = [];
    for (const [index, name] of all.entries()) {
      const madeAt = times[index] ?? Number.NEGATIVE_INFINITY;
      // A file that is older than a run existed before it, whatever its journal says.
      const sources = others.filter((other) => madeAt >= other.at && other.absent[path]?.includes(name) === true);
      if (madeAt !== ABSENT && sources.length === 0) continue;
      names.push(name);
      if (madeAt !== ABSENT) at = Math.min(at, ...sources.map((other) => other.at));
    }
    absent[path] = names;
  }
  const journal: Journal = { at, absent };
  await writeFile(join(homePath, JOURNAL), JSON.stringify(journal), { mode: 0o600 });
  own.set(homePath, journal);
}

/**
 * Removes the placeholders that the CLI of a home left: files that did not exist before the run, are empty and
 * read-only. A directory with another running run is left to that run. Never rejects.
 * @param beside - Homes of other running runs.
 */
export async function removePlaceholders(homePath: string, beside: readonly string[]): Promise<void> {
  const journal = await readJournal(homePath);
  if (journal === undefined) return;
  // From now on the journal claims nothing.
  own.delete(homePath);
  await unlink(join(homePath, JOURNAL)).catch(() => {});
  const others = await Promise.all(beside.map(readJournal));
  for (const [path, names] of Object.entries(journal.absent)) {
    // Removing it under a running sandbox would open what it protects.
    if (others.some((other) => other !== undefined && Object.hasOwn(other.absent, path))) continue;
    await removeIn(path, names, journal.at).catch(() => {});
  }
}

/**
 * For the exit of the host, when the CLI may still run a command: removing its placeholders now would open what they
 * protect.
 *
 * @returns writes the journal into the folder of the home again, for the next sweep. `undefined`: there are no
 *   placeholders.
 */
export function journalKeeper(homePath: string): (() => void) | undefined {
  const journal = own.get(homePath);
  if (journal === undefined || !hasPlaceholders(journal)) return undefined;
  return () => {
    mkdirSync(homePath, { recursive: true, mode: 0o700 });
    writeFileSync(join(homePath, JOURNAL), JSON.stringify(journal), { mode: 0o600 });
  };
}

function hasPlaceholders({ at, absent }: Journal): boolean {
  return Object.entries(absent).some(([path, names]) =>
    names.some((name) => {
      try {
        return isPlaceholder(lstatSync(join(path, name)), at);
      } catch {
        return false;
      }
    }),
  );
}

async function removeIn(path: string, absent: readonly string[], since: number): Promise<void> {
  await closing(AnchoredDirectory.open(path), async (top) => {
    let count = 0;
    for (const [folder, names] of Object.entries(NAMES)) {
      const mine = names.filter((name) => absent.includes(join(folder, name)));
      count += await (folder === ''
        ? removeFrom(top, mine, since)
        : inFolder(top, folder, (inner) => removeFrom(inner, mine, since)));
    }
    if (count === 0) return;
    await inFolder(top, OWN_FOLDER, (inner) => inner.rmdir(OWN_WRITES)).catch(() => {});
    // Fails, as it should, when anything is in it.
    if (absent.includes(OWN_FOLDER)) await top.rmdir(OWN_FOLDER).catch(() => {});
  });
}

async function inFolder<R>(
  top: AnchoredDirectory,
  folder: string,
  act: (inner: AnchoredDirectory) => Promise<R>,
): Promise<R | 0> {
  const inner = await top.openDirectory(folder).catch(() => undefined);
  return inner === undefined ? 0 : closing(inner, act);
}

async function removeFrom(folder: AnchoredDirectory, names: readonly string[], since: number): Promise<number> {
  let count = 0;
  for (const name of names) {
    const stats = await folder.lstat(name).catch(() => undefined);
    if (stats === undefined || !isPlaceholder(stats, since)) continue;
    await folder.unlink(name).then(
      () => {
        count += 1;
      },
      () => {},
    );
  }
  return count;
}

function isPlaceholder(stats: Stats, since: number): boolean {
  return (
    stats.isFile() &&
    stats.size === 0 &&
    stats.nlink === 1 &&
    // Read-only: bwrap makes it with 0444, less the umask.
    (stats.mode & 0o7777 & ~0o444) === 0 &&
    stats.uid === process.getuid?.() &&
    stats.mtimeMs >= since
  );
}

function allNames(): string[] {
  return Object.entries(NAMES).flatMap(([folder, names]) => names.map((name) => join(folder, name)));
}

/** Milliseconds since 1970, or `ABSENT`. An unreadable file counts as older than every run. */
async function modifiedAt(directory: string, name: string): Promise<number> {
  return lstat(join(directory, name)).then(
    ({ mtimeMs }) => mtimeMs,
    (error: unknown) => (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '') ? ABSENT : Number.NEGATIVE_INFINITY),
  );
}

/** `undefined` unless it is a journal of this user as we write it. */
async function readJournal(homePath: string): Promise<Journal | undefined> {
  const known = own.get(homePath);
  if (known !== undefined) return known;
  try {
    const limits = { maxBytes: MAX_JOURNAL_BYTES, isOwn: true };
    return toJournal(parseJsonObject(await readRegularFile(join(homePath, JOURNAL), limits)));
  } catch {
    return undefined;
  }
}

function toJournal(found: JsonObject | undefined): Journal | undefined {
  const at = found?.at;
  const absent = found?.absent;
  if (typeof at !== 'number' || !isJsonObject(absent)) return undefined;
  const places = Object.entries(absent).map(([path, names]) => [
    path,
    (Array.isArray(names) ? names : []).filter((name) => typeof name === 'string'),
  ]);
  return { at, absent: Object.fromEntries(places) };
}
