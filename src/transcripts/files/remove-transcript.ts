import { rmSync } from 'node:fs';
import type { FoundTranscript } from './find-transcript.js';
import { fileError } from './open-file.js';

/**
 * Removes the session's folder, then its transcript: when the folder cannot be removed the session is still there,
 * and the call can be made again. Of a link the link is removed, not what it leads to.
 */
export function removeTranscript(found: FoundTranscript): void {
  const { sessionId, place, sessionFolder } = found;
  remove(sessionId, sessionFolder, { recursive: true, force: true });
  remove(sessionId, place, { force: true });
}

function remove(
  sessionId: string,
  path: string,
  options: { readonly recursive?: boolean; readonly force: boolean },
): void {
  try {
    rmSync(path, options);
  } catch (error) {
    throw fileError(sessionId, path, 'delete', error);
  }
}
