import { randomUUID } from 'node:crypto';
import { checkSessionId, type FoundTranscript, requireTranscript } from './files/find-transcript.js';
import { fileError, openToRead } from './files/open-file.js';
import { EdgeReader } from './files/read-head-tail.js';
import { parseLine, transcriptLines } from './files/transcript-lines.js';
import { writeTranscript } from './files/write-transcript.js';
import { optionsObject, placeOf, stringOption } from './session-options.js';
import type { ForkSessionOptions, ForkSessionResult } from './session-types.js';
import { forkSessionInStore } from './store/store-changing.js';
import type { TranscriptEntry } from './transcript/entry.js';
import { forkEntries, forkError } from './transcript/fork.js';
import { titleOf } from './transcript/session-row.js';

/**
 * Copies a session's conversation, with all its branches, into a new session that can be resumed: new uuids, the same
 * links between the messages, and a title.
 *
 * @throws {@link InvalidOptionError} the id is no UUID, `upToMessageId` is not in the session, or an option has a wrong type.
 * @throws {@link SessionNotFoundError} there is no such session, or no message in it.
 * @throws {@link SessionFileError} the transcript cannot be read, or the new one not be written.
 */
export async function forkSession(sessionId: string, options?: ForkSessionOptions): Promise<ForkSessionResult> {
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

/** Writes a fork beside its source. */
async function forkTranscript(
  { sessionId, path, project }: FoundTranscript,
  facts: {
    readonly newSessionId: string;
    readonly upToMessageId: string | undefined;
    readonly title: string | undefined;
  },
): Promise<'done' | 'no-messages' | 'unknown-message'> {
  const entries = await readEntries(sessionId, path);
  const edges = new EdgeReader().read(path);
  const fork = forkEntries(entries, {
    ...facts,
    sessionId,
    sourceTitle: edges === undefined ? undefined : titleOf(edges),
    createUuid: randomUUID,
    now: new Date().toISOString(),
  });
  if (!fork.ok) return fork.reason;
  await writeTranscript(project.path, facts.newSessionId, fork.entries);
  return 'done';
}

/** All entries of a transcript, in order. Broken lines are left out. */
async function readEntries(sessionId: string, path: string): Promise<TranscriptEntry[]> {
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
