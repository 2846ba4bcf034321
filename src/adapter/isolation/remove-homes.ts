import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../util/error-code.js';
import { within } from '../../util/race.js';
import { removeTreeSync } from '../../util/remove-tree.js';
import { livingDirectories, sweepStaleDirectories } from '../../util/stale-directories.js';
import { removeDirectory } from '../workspace/internal.js';
import { endProcessesOf } from './end-processes.js';
import { journalKeeper, removePlaceholders } from './placeholders.js';

/** The longest wait for the sweep, which continues in the background: a home can have gigabytes. */
const MAX_WAIT_MS = 2_000;

const running = new Map<string, Promise<void>>();

/**
 * Removes homes whose owner is gone, with their processes and placeholders, and our own finished homes that are still
 * there. Parallel calls share one sweep. Never rejects.
 */
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
    // First: a running command needs its placeholders, and would write into the home during its removal.
    await endProcessesOf(path);
    await removePlaceholders(path, await livingDirectories(tempRoot, prefix));
    await removeHome(path);
  });
}

/** Pauses before a finished home is checked again, in milliseconds. */
const CHECKS_MS = [250, 2_000, 10_000, 60_000];

interface Finished {
  /** It is gone for now. */
  isGone: boolean;
  /** Called once, when it is gone. */
  onGone: () => void;
}

/** By path. Another copy of this module in the same process has its own homes. */
const finished = new Map<string, Finished>();

/**
 * Ends the processes in a finished home and removes it. Processes of a killed CLI (`npm root -g`, `socat`) may outlive
 * it and write into the home or make it again, so the path is checked again later, and when the next home is made. The
 * timers do not keep the host alive.
 * @param onGone - Called once, when the home has been removed.
 * @throws the file system's error. The removal is tried again all the same.
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

/** Tries again to remove the finished homes in this folder. Never rejects. */
export async function removeFinished(tempRoot: string): Promise<void> {
  const due = [...finished].filter(([path]) => dirname(path) === tempRoot);
  await Promise.all(due.map(([path, entry]) => retry(path, entry).catch(() => {})));
}

async function retry(path: string, entry: Finished): Promise<void> {
  try {
    // Most are gone, and a look is cheap.
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
    // The next home tries again if it is still there.
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

/**
 * Removes a home when the host exits. If there are placeholders in the working directories, an empty home with their
 * journal stays, and the next sweep removes both.
 */
export function removeHomeAtExit(path: string): void {
  const keepJournal = journalKeeper(path);
  try {
    removeTreeSync(path);
  } finally {
    keepJournal?.();
  }
}

/** Attempts and pauses, since a child of the CLI may write during the removal. */
const [TRIES, PAUSE_MS] = [5, 50];

/**
 * Removes a home with its content. The model's commands can write there, so it may have folders without permissions,
 * paths that are too long, names that are not text, and a folder that becomes a link during the removal.
 */
export async function removeHome(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      // Of the parent only: a home that has become a link is not followed.
      return await removeDirectory(join(await realpath(dirname(path)), basename(path)));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      if (codeOf(error) !== 'ENOTEMPTY' || tries === TRIES) throw error;
      await delay(PAUSE_MS);
    }
  }
}
