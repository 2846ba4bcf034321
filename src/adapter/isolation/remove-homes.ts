import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../util/error-code.js';
import { within } from '../../util/race.js';
import { livingDirectories, sweepStaleDirectories } from '../../util/stale-directories.js';
import { removeDirectory } from '../workspace/index.js';
import { removePlaceholders } from './placeholders.js';

/** A home may hold gigabytes. Nobody waits longer for those of others; the sweep goes on by itself. */
const MAX_WAIT_MS = 2_000;

const running = new Map<string, Promise<void>>();

/** Removes homes whose owner is gone, with what still runs in them and what their CLI left where it worked, and our own that are done with. Homes that are made at the same time share one sweep. Never rejects. */
export async function sweepHomes(tempRoot: string, prefix: string): Promise<void> {
  const key = `${tempRoot}\0${prefix}`;
  let sweep = running.get(key);
  if (sweep === undefined) {
    sweep = sweepAll(tempRoot, prefix).finally(() => running.delete(key));
    running.set(key, sweep);
  }
  await within(MAX_WAIT_MS, sweep);
}

async function sweepAll(tempRoot: string, prefix: string): Promise<void> {
  await removeFinished(tempRoot);
  await sweepStaleDirectories(tempRoot, prefix, async (path) => {
    // First: a command that still runs needs its placeholders, and would write into what is removed.
    await endProcessesOf(path);
    await removePlaceholders(path, await livingDirectories(tempRoot, prefix));
    await removeHome(path);
  });
}

/** When a home that is done with is looked at again, in milliseconds after the time before. */
const CHECKS_MS = [250, 2_000, 10_000, 60_000];

interface Finished {
  /** It is gone for now. */
  isGone: boolean;
  /** Called once, when it is. */
  onGone: () => void;
}

/** By path. Of this copy of the module alone: another one in the same process has its own homes. */
const finished = new Map<string, Finished>();

/**
 * Ends what still runs in a home that is done with, and removes it. What a killed CLI has started may outlive it (`npm root -g`, `socat`),
 * write into the home or make it again, so the path is looked at again later, and when the next home is made beside it. The timers hold
 * no process.
 *
 * @param onGone - called once, when the home has been removed
 * @throws what the file system says; it is tried again all the same.
 */
export async function finishHome(path: string, onGone: () => void = () => {}): Promise<void> {
  const entry: Finished = { isGone: false, onGone };
  finished.set(path, entry);
  try {
    await retry(path, entry);
  } finally {
    schedule(path, entry, 0);
  }
}

/** Tries again to remove homes in this folder that are done with. Never rejects. */
export async function removeFinished(tempRoot: string): Promise<void> {
  const due = [...finished].filter(([path]) => dirname(path) === tempRoot);
  await Promise.all(due.map(([path, entry]) => retry(path, entry).catch(() => {})));
}

async function retry(path: string, entry: Finished): Promise<void> {
  try {
    // Most are gone, and looking opens nothing.
    if (!entry.isGone || (await isThere(path))) {
      await endProcessesOf(path);
      await removeHome(path);
    }
    entry.isGone = true;
    const { onGone } = entry;
    entry.onGone = () => {};
    onGone();
  } catch (error) {
    entry.isGone = false;
    throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => codeOf(error) !== 'ENOENT',
  );
}

function schedule(path: string, entry: Finished, check: number): void {
  const delay = CHECKS_MS[check];
  if (delay === undefined) {
    // One that is still there stays known: the next home tries again.
    if (entry.isGone) finished.delete(path);
    return;
  }
  const timer = setTimeout(() => {
    void retry(path, entry)
      .catch(() => {})
      .then(() => schedule(path, entry, check + 1));
  }, delay);
  timer.unref();
}

/** Times, and milliseconds between them, for what a child of the CLI writes while the home goes. */
const [TRIES, PAUSE_MS] = [5, 50];

/**
 * Removes a home with all it holds. The model's commands can write there, so it may hold what nobody expects: folders that may
 * not be entered, paths too long to name, names that are no text, and a folder that turns into a link meanwhile.
 */
export async function removeHome(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      // Of the parent alone: a home that has become a link is not followed.
      return await removeDirectory(join(await realpath(dirname(path)), basename(path)));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      if (codeOf(error) !== 'ENOTEMPTY' || tries === TRIES) throw error;
      await delay(PAUSE_MS);
    }
  }
}

/** Homes whose processes the next look at the system's table ends. */
let wanted = new Set<string>();
let next: Promise<void> | undefined;
let last: Promise<void> = Promise.resolve();

/**
 * Ends what still runs in a home whose CLI is gone: a CLI that is killed while it starts leaves the `socat` of its sandbox
 * behind for good. Known by `HOME` or `TMPDIR` in its environment, which name a folder that one run alone has. Calls at the same time share
 * one look. Linux only. Never rejects.
 */
export function endProcessesOf(homePath: string): Promise<void> {
  if (process.platform !== 'linux') return Promise.resolve();
  wanted.add(homePath);
  next ??= last.then(() => {
    const homes = wanted;
    wanted = new Set();
    next = undefined;
    last = endAll(homes);
    return last;
  });
  return next;
}

async function endAll(homes: ReadonlySet<string>): Promise<void> {
  const marks = [...homes].flatMap((home) => [`HOME=${home}`, `TMPDIR=${join(home, 'tmp')}`]);
  const isMark = new Set(marks);
  const names = await readdir('/proc').catch(() => []);
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    // Those of other users cannot be read.
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (!environment.split('\0').some((entry) => isMark.has(entry))) continue;
    try {
      process.kill(Number(name), 'SIGKILL');
    } catch {
      // It ended by itself meanwhile.
    }
  }
}
