import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { SessionNotFoundError } from '../../errors.js';
import type { TranscriptEntry } from '../transcript/entry.js';
import { appendLines } from './append-line.js';
import type { FoundTranscript } from './find-transcript.js';
import { fileError, NO_FOLLOW } from './open-file.js';

/** Adds one line at the end of a transcript that must exist. */
export async function appendEntry(
  { sessionId, path }: FoundTranscript,
  entry: TranscriptEntry,
): Promise<void> {
  try {
    const descriptor = openSync(path, constants.O_RDWR | constants.O_APPEND | NO_FOLLOW);
    try {
      if (fstatSync(descriptor).size === 0)
        throw new SessionNotFoundError(
          sessionId,
          `Session ${sessionId} not found: ${path} is empty`,
        );
      await appendLines(descriptor, `${JSON.stringify(entry)}\n`);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof SessionNotFoundError) throw error;
    throw fileError(sessionId, path, 'change', error);
  }
}
