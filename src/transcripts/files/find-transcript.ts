import { join } from 'node:path';
import { InvalidOptionError, SessionNotFoundError } from '../../errors.js';
import { describeValue } from '../../util/describe-value.js';
import { isSessionId } from '../transcript/entry.js';
import { allProjectFolders, foldersOfDirectory, type ProjectFolder, transcriptAt } from './project-folder.js';

/** A session's transcript, found. */
export interface FoundTranscript {
  readonly sessionId: string;
  /** The `.jsonl` file to read and to append to. For a link, its target. */
  readonly path: string;
  /** The path in the project's folder, which a deletion removes. */
  readonly place: string;
  /** The session's own folder beside it, which need not exist. */
  readonly sessionFolder: string;
  readonly project: ProjectFolder;
}

/**
 * The first non-empty transcript of a session, in the folder of `directory` and of its repository's working trees;
 * without `directory`, in any project folder. `undefined` also when `sessionId` is not a UUID.
 */
export function findTranscript(sessionId: string, directory: string | undefined): FoundTranscript | undefined {
  if (!isSessionId(sessionId)) return undefined;
  for (const project of foldersToSearch(directory)) {
    const place = join(project.path, `${sessionId}.jsonl`);
    const path = transcriptAt(place);
    if (path === undefined) continue;
    return { sessionId, path, place, sessionFolder: join(project.path, sessionId), project };
  }
  return undefined;
}

/**
 * As {@link findTranscript}, for the functions that change a session.
 * @throws {@link InvalidOptionError} `sessionId` is no UUID.
 * @throws {@link SessionNotFoundError} there is no such session, or it is empty.
 */
export function requireTranscript(sessionId: unknown, directory: string | undefined): FoundTranscript {
  const found = findTranscript(checkSessionId(sessionId), directory);
  if (found !== undefined) return found;
  const id = String(sessionId);
  throw new SessionNotFoundError(
    id,
    directory === undefined
      ? `Session ${id} not found in any project directory`
      : `Session ${id} not found in project directory for ${directory}`,
    { hint: 'listSessions() shows which sessions there are, and for which directory.' },
  );
}

/** @throws {@link InvalidOptionError} `sessionId` is no UUID. */
export function checkSessionId(sessionId: unknown): string {
  if (isSessionId(sessionId)) return sessionId;
  // Begins with the official words, which programs may look for.
  throw new InvalidOptionError(
    'sessionId',
    typeof sessionId === 'string'
      ? `Invalid sessionId: ${sessionId.slice(0, 80)}. It must be a UUID.`
      : `Invalid sessionId: it must be a UUID, got ${describeValue(sessionId)}.`,
  );
}

/** One after another, because it is usually in the first. */
function* foldersToSearch(directory: string | undefined): Generator<ProjectFolder> {
  if (directory === undefined) {
    yield* allProjectFolders();
    return;
  }
  yield* foldersOfDirectory(directory, { worktrees: false });
  yield* foldersOfDirectory(directory, { worktrees: true });
}
