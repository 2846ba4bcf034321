import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lstatAt } from './stats-at.js';

/** What `writeTranscript` writes to before a transcript gets its name. */
const UNFINISHED = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.new$/;

/** Nobody writes to one for that long. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** Removes the unfinished transcripts that killed programs left in `folder`. What cannot be removed stays. */
export async function dropLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!UNFINISHED.test(name)) continue;
    const path = join(folder, name);
    const stats = lstatAt(path);
    if (stats?.isFile() !== true || Date.now() - stats.mtimeMs < MAX_AGE_MS) continue;
    await rm(path, { force: true }).catch(() => undefined);
  }
}
