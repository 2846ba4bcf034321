import { lstat, realpath, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import { readRegularFile } from '../../util/read-regular-file.js';
import { AnchoredDirectory } from '../workspace/index.js';

/**
 * Names that the CLI's sandbox on Linux protects in each working directory, by folder. Where one does not exist, bwrap makes an
 * empty file that nobody may write and the CLI removes it after the command; a CLI that is killed leaves it there. As made by
 * 2.1.330. `config.lock` keeps git from changing the repository's configuration.
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
/** The CLI's own folder, and the one in it that it makes. */
const OWN_FOLDER = '.claude';
const OWN_WRITES = '.cc-writes';
/** In the home, so that it goes with it, and is there for the next process when this one is killed. */
const JOURNAL = 'places.json';
const MAX_JOURNAL_BYTES = 1024 * 1024;

/** Times of files come from a clock that ticks, and may lie that far behind. */
const CLOCK_TICK_MS = 50;

/** The time of what does not exist: it is not older than any run. */
const ABSENT = Number.POSITIVE_INFINITY;

/** Of homes of this process, by their paths: many runs at once need not read each other's. */
const own = new Map<string, Journal>();

interface Journal {
  /** Milliseconds since 1970: nothing below existed then. */
  readonly at: number;
  /** Paths within the working directory, by its real path. */
  readonly absent: Readonly<Record<string, readonly string[]>>;
}

/**
 * Writes down in a home which of these names do not exist in the working directories of its run.
 *
 * @param beside - homes of runs that go on: a name that was absent before one of them may be its placeholder now
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
      // What is older than a run was there before it, whatever its journal says.
      const sources = others.filter(
        (other) => madeAt >= other.at && other.absent[path]?.includes(name) === true,
      );
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
 * Removes the placeholders that the CLI of a home has left: what did not exist before the run, is empty, and may be written by
 * nobody. A directory in which another run goes on is left to that one. Never rejects.
 *
 * @param beside - homes of runs that go on
 */
export async function removePlaceholders(
  homePath: string,
  beside: readonly string[],
): Promise<void> {
  const journal = await readJournal(homePath);
  if (journal === undefined) return;
  // From now on it claims nothing any more.
  own.delete(homePath);
  await unlink(join(homePath, JOURNAL)).catch(() => {});
  const others = await Promise.all(beside.map(readJournal));
  for (const [path, names] of Object.entries(journal.absent)) {
    // Removed under a sandbox that runs, it would open what it protects.
    if (others.some((other) => other !== undefined && Object.hasOwn(other.absent, path))) continue;
    await removeIn(path, names, journal.at).catch(() => {});
  }
}

async function removeIn(path: string, absent: readonly string[], since: number): Promise<void> {
  const top = await AnchoredDirectory.open(path);
  try {
    let count = 0;
    for (const [folder, names] of Object.entries(NAMES)) {
      const mine = names.filter((name) => absent.includes(join(folder, name)));
      count += await (folder === ''
        ? removeFrom(top, mine, since)
        : within(top, folder, (inner) => removeFrom(inner, mine, since)));
    }
    if (count === 0) return;
    await within(top, OWN_FOLDER, (inner) => inner.rmdir(OWN_WRITES)).catch(() => {});
    // Not when anything is in it.
    if (absent.includes(OWN_FOLDER)) await top.rmdir(OWN_FOLDER).catch(() => {});
  } finally {
    await top.close();
  }
}

async function within<R>(
  top: AnchoredDirectory,
  folder: string,
  act: (inner: AnchoredDirectory) => Promise<R>,
): Promise<R | 0> {
  const inner = await top.openDirectory(folder).catch(() => undefined);
  if (inner === undefined) return 0;
  try {
    return await act(inner);
  } finally {
    await inner.close();
  }
}

async function removeFrom(
  folder: AnchoredDirectory,
  names: readonly string[],
  since: number,
): Promise<number> {
  let count = 0;
  for (const name of names) {
    const stats = await folder.lstat(name).catch(() => undefined);
    const isPlaceholder =
      stats?.isFile() === true &&
      stats.size === 0 &&
      stats.nlink === 1 &&
      // Reading at most: bwrap makes it with 0444, less the umask.
      (stats.mode & 0o7777 & ~0o444) === 0 &&
      stats.uid === process.getuid?.() &&
      stats.mtimeMs >= since;
    if (!isPlaceholder) continue;
    await folder.unlink(name).then(
      () => {
        count += 1;
      },
      () => {},
    );
  }
  return count;
}

function allNames(): string[] {
  return Object.entries(NAMES).flatMap(([folder, names]) =>
    names.map((name) => join(folder, name)),
  );
}

/** Milliseconds since 1970, or `ABSENT`. What cannot be looked at is older than every run. */
async function modifiedAt(directory: string, name: string): Promise<number> {
  return lstat(join(directory, name)).then(
    ({ mtimeMs }) => mtimeMs,
    (error: unknown) =>
      ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '') ? ABSENT : Number.NEGATIVE_INFINITY,
  );
}

/** What is not as we write it, or of another user, says nothing. */
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
