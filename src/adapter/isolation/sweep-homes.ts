import { within } from '../../util/race.js';
import { livingDirectories, sweepStaleDirectories } from '../../util/stale-directories.js';
import { endProcessesOf } from './end-processes.js';
import { removeFinished } from './finished-homes.js';
import { removePlaceholders } from './placeholders.js';
import { removeHome } from './remove-home.js';

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
