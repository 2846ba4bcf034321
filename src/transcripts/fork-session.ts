import { SessionNotFoundError } from '../errors.js';
import { checkSessionId, requireTranscript } from './files/find-transcript.js';
import { fileError, openToRead } from './files/open-file.js';
import { readEdges } from './files/session-rows.js';
import { entriesOf, transcriptLines } from './files/transcript-lines.js';
import { writeTranscript } from './files/write-transcript.js';
import { optionsObject, placeOf, type StoredSessions, stringOption } from './session-options.js';
import type { ForkSessionOptions, ForkSessionResult } from './session-types.js';
import { foldSessionSummary, rowOfSummary } from './store/fold-session-summary.js';
import { loadEntries, readAnswer } from './store/store-answers.js';
import { callStore } from './store/store-call.js';
import type { TranscriptEntry } from './transcript/entry.js';
import { type ForkFacts, forkEntries } from './transcript/fork.js';
import { titleOf } from './transcript/session-row.js';

/**
 * Copies a session's conversation, with all its branches, into a new session that can be resumed: new uuids, the same
 * links between the messages, and a title. Subagents are not copied.
 * @throws {@link InvalidOptionError} the id is no UUID, `upToMessageId` is not in the session, or an option has a wrong type.
 * @throws {@link SessionNotFoundError} there is no such session, or no message in it.
 * @throws {@link SessionFileError} the transcript cannot be read, or the new one not be written.
 */
export async function forkSession(sessionId: string, options?: ForkSessionOptions): Promise<ForkSessionResult> {
  checkSessionId(sessionId);
  const given = optionsObject(options);
  const { directory, store } = placeOf(given);
  const facts = {
    sessionId,
    newSessionId: crypto.randomUUID(),
    upToMessageId: stringOption(given, 'upToMessageId') || undefined,
    title: stringOption(given, 'title'),
    now: new Date().toISOString(),
  };
  if (store === undefined) await forkOnDisk(facts, directory);
  else await forkInStore(facts, store);
  return { sessionId: facts.newSessionId };
}

/** Writes the fork beside its source. */
async function forkOnDisk(facts: Omit<ForkFacts, 'sourceTitle'>, directory: string | undefined): Promise<void> {
  const { path, project } = requireTranscript(facts.sessionId, directory);
  const entries = await readEntries(facts.sessionId, path);
  const edges = readEdges(path);
  const fork = forkEntries(entries, { ...facts, sourceTitle: edges && titleOf(edges) });
  await writeTranscript(project.path, facts.newSessionId, fork);
}

/** All entries of a transcript, in order. Broken lines are left out. */
async function readEntries(sessionId: string, path: string): Promise<TranscriptEntry[]> {
  const file = await openToRead(sessionId, path);
  if (file === undefined) return [];
  const entries: TranscriptEntry[] = [];
  try {
    for await (const batch of transcriptLines(file)) {
      for (const entry of entriesOf(batch)) entries.push(entry);
    }
  } catch (error) {
    throw fileError(sessionId, path, 'read', error);
  } finally {
    await file.close();
  }
  return entries;
}

/** One `load` and one `append`. */
async function forkInStore(
  facts: Omit<ForkFacts, 'sourceTitle'>,
  { store, projectKey }: StoredSessions,
): Promise<void> {
  const { sessionId, newSessionId } = facts;
  const key = { projectKey, sessionId };
  const entries = await loadEntries(store, key);
  if (entries === null || entries.length === 0) {
    throw new SessionNotFoundError(sessionId, `Session ${sessionId} not found in the session store`, {
      hint: `The store was asked for projectKey ${projectKey}, which comes from \`dir\`.`,
    });
  }
  const fork = readAnswer({ method: 'load', ...key }, () => {
    const row = rowOfSummary(foldSessionSummary(undefined, key, entries));
    return forkEntries(entries, { ...facts, sourceTitle: row?.customTitle ?? row?.firstPrompt });
  });
  await callStore(store, 'append', [{ projectKey, sessionId: newSessionId }, fork]);
}
