import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { endProcessesOf } from './end-processes.js';
import { removeHome } from './remove-home.js';

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
