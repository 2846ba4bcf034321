import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptEntry } from '../transcript/entry.js';
import { dropLeftovers } from './drop-leftovers.js';
import { fileError } from './open-file.js';

/** Written at once. */
const BATCH_CHARS = 1_048_576;

/**
 * Writes a new transcript, readable by its owner only. It gets its name when it is whole, so that no listing shows
 * half of it. What earlier calls left unfinished in `folder` because their program was killed is removed.
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
