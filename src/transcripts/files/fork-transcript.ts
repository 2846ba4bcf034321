import { randomUUID } from 'node:crypto';
import { forkEntries } from '../transcript/fork.js';
import { titleOf } from '../transcript/session-row.js';
import { EdgeReader } from './edge-reader.js';
import type { FoundTranscript } from './find-transcript.js';
import { readEntries } from './read-entries.js';
import { writeTranscript } from './write-transcript.js';

/** Writes a fork beside its source. */
export async function forkTranscript(
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
