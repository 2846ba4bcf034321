import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptEntry } from '../transcript/entry.js';
import { fileError, lstatAt } from './open-file.js';

/** Written at once. */
const BATCH_CHARS = 1_048_576;

/**
 * Writes a new transcript, readable by its owner only. It gets its name when it is complete, so that no listing shows
 * half of it. Removes the unfinished files that killed programs left in `folder`.
 */
export async function writeTranscript(
  folder: string,
  sessionId: string,
  entries: Iterable<TranscriptEntry>,
): Promise<void> {
  await dropLeftovers(folder);
  const path = join(folder, `${sessionId}.jsonl`);
  const temporary = join(folder, `.${sessionId}.new`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      let batch = '';
      for (const entry of entries) {
        batch += `${JSON.stringify(entry)}\n`;
        if (batch.length < BATCH_CHARS) continue;
        await file.writeFile(batch);
        batch = '';
      }
      await file.writeFile(batch);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fileError(sessionId, path, 'write', error);
  }
}

/** Name of the temporary file of `writeTranscript`. */
const UNFINISHED = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.new$/;

/** No write takes that long. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** Removes the unfinished transcripts that killed programs left in `folder`. Errors are ignored. */
async function dropLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!UNFINISHED.test(name)) continue;
    const path = join(folder, name);
    const stats = lstatAt(path);
    if (stats?.isFile() !== true || Date.now() - stats.mtimeMs < MAX_AGE_MS) continue;
    await rm(path, { force: true }).catch(() => undefined);
  }
}
