import { randomUUID } from 'node:crypto';
import { checkSessionId, requireTranscript } from './files/find-transcript.js';
import { forkTranscript } from './files/fork-transcript.js';
import { optionsObject, placeOf, stringOption } from './session-options.js';
import type { ForkSessionOptions, ForkSessionResult } from './session-types.js';
import { forkSessionInStore } from './store/store-changing.js';
import { forkError } from './transcript/fork-error.js';

/**
 * Copies a session's conversation, with all its branches, into a new session that can be resumed: new uuids, the same
 * links between the messages, and a title.
 *
 * @throws {@link InvalidOptionError} the id is no UUID, `upToMessageId` is not in the session, or an option has a wrong type.
 * @throws {@link SessionNotFoundError} there is no such session, or no message in it.
 * @throws {@link SessionFileError} the transcript cannot be read, or the new one not be written.
 */
export async function forkSession(
  sessionId: string,
  options?: ForkSessionOptions,
): Promise<ForkSessionResult> {
  checkSessionId(sessionId);
  const given = optionsObject(options);
  const { directory, store } = placeOf(given);
  const upToMessageId = stringOption(given, 'upToMessageId') || undefined;
  const title = stringOption(given, 'title');
  if (store !== undefined) {
    const key = { projectKey: store.projectKey, sessionId };
    return forkSessionInStore(store.store, key, { upToMessageId, title });
  }
  const found = requireTranscript(sessionId, directory);
  const newSessionId = randomUUID();
  const forked = await forkTranscript(found, { newSessionId, upToMessageId, title });
  if (forked === 'done') return { sessionId: newSessionId };
  throw forkError(sessionId, forked, upToMessageId);
}
