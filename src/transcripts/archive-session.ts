import { InvalidOptionError } from '../errors.js';
import { writeArchiveMark } from './files/archive-mark.js';
import { checkSessionId, requireTranscript } from './files/find-transcript.js';
import { fileError } from './files/open-file.js';
import { optionsObject, placeOf } from './session-options.js';
import type { SessionMutationOptions } from './session-types.js';

/**
 * Marks a session as archived. Listings show it with `archived: true` until a prompt is sent in it. Its transcript is not
 * changed: the mark is the file `archived.json` in the session's folder.
 *
 * @throws {@link InvalidOptionError} the id is no UUID, `sessionStore` is given (a store holds no marks), or an option has a
 *   wrong type.
 * @throws {@link SessionNotFoundError} there is no such session, or it is empty.
 * @throws {@link SessionFileError} the mark cannot be written.
 */
export async function archiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  mark(sessionId, options, true);
}

/**
 * Undoes {@link archiveSession}: listings show `archived: false` from then on. Throws the same errors.
 */
export async function unarchiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  mark(sessionId, options, false);
}

function mark(sessionId: string, options: unknown, archived: boolean): void {
  checkSessionId(sessionId);
  const given = optionsObject(options);
  if ((given.sessionStore ?? undefined) !== undefined) {
    throw new InvalidOptionError(
      'sessionStore',
      'Archiving is not supported with sessionStore: the mark is a file beside the local transcript, which no store holds.',
    );
  }
  const { sessionFolder } = requireTranscript(sessionId, placeOf(given).directory);
  try {
    writeArchiveMark(sessionFolder, archived);
  } catch (error) {
    throw fileError(sessionId, sessionFolder, 'change', error);
  }
}
