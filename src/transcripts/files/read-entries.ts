import type { TranscriptEntry } from '../transcript/entry.js';
import { fileError, openToRead } from './open-file.js';
import { parseLine, transcriptLines } from './transcript-lines.js';

/** All entries of a transcript, in order. Broken lines are left out. */
export async function readEntries(sessionId: string, path: string): Promise<TranscriptEntry[]> {
  const file = await openToRead(sessionId, path);
  if (file === undefined) return [];
  const entries: TranscriptEntry[] = [];
  try {
    for await (const { lines } of transcriptLines(file)) {
      for (const { bytes } of lines) {
        const entry = parseLine(bytes);
        if (entry !== undefined) entries.push(entry);
      }
    }
  } catch (error) {
    throw fileError(sessionId, path, 'read', error);
  } finally {
    await file.close();
  }
  return entries;
}
