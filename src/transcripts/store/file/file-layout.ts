import { join } from 'node:path';
import type { SessionKey } from '../session-store.js';
import { encodeName } from './safe-name.js';

const TRANSCRIPT = '.jsonl';

/**
 * Where a `FileSessionStore` keeps what. Every part of a key is one name from `encodeName`, so no key leads out of `root`:
 *
 *     <project>/<session>.jsonl             main transcript
 *     <project>/<session>.summary.json      its summary
 *     <project>/<session>/<subpath>.jsonl   a transcript below it
 */
export class FileLayout {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  projectFolder(projectKey: string): string {
    return join(this.root, encodeName(projectKey));
  }

  /** Holds what is below a session. */
  sessionFolder({ projectKey, sessionId }: Omit<SessionKey, 'subpath'>): string {
    return join(this.projectFolder(projectKey), encodeName(sessionId));
  }

  transcript(key: SessionKey): string {
    const session = this.sessionFolder(key);
    const path = key.subpath === undefined ? session : join(session, encodeName(key.subpath));
    return `${path}${TRANSCRIPT}`;
  }

  summary(key: Omit<SessionKey, 'subpath'>): string {
    return `${this.sessionFolder(key)}.summary.json`;
  }
}

/** The encoded names of the transcripts among a folder's files. */
export function transcriptNames(files: readonly string[]): string[] {
  return files
    .filter((file) => file.endsWith(TRANSCRIPT))
    .map((file) => file.slice(0, -TRANSCRIPT.length));
}

/** Beside a transcript with a hashed name: holds the name, as JSON. */
export function nameFile(transcript: string): string {
  return `${transcript.slice(0, -TRANSCRIPT.length)}.name`;
}
