import { realpathSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import type { SessionKey } from '../../transcripts/store/session-store.js';
import { isSafeName, isSafeSubpath } from '../../transcripts/store/store-key.js';
import { isSessionId } from '../../transcripts/transcript/entry.js';
import { isWindowsPath } from '../../util/windows-path.js';

/** The folder that a CLI keeps its transcripts in. */
export class TranscriptFolder {
  readonly #cwd: string;
  /** The project that each session began in, by session id. A CLI that enters a worktree moves the transcript. */
  readonly #projects = new Map<string, string>();
  #configFolder: string;

  /**
   * @param configFolder - The CLI's configuration folder, absolute.
   * @param cwd - The CLI's working directory, absolute.
   */
  constructor(configFolder: string, cwd: string) {
    this.#configFolder = configFolder;
    this.#cwd = cwd;
  }

  /** Absolute. */
  get path(): string {
    return join(this.#configFolder, 'projects');
  }

  /** The CLI is started with another configuration folder after all, which has this session. */
  moveTo(configFolder: string, { sessionId, projectKey }: SessionKey): void {
    this.#configFolder = configFolder;
    this.#projects.set(sessionId, projectKey);
  }

  /**
   * The key of a transcript; `undefined` for a path outside this folder. All that belongs to one session is under the
   * project that it began in, so that it can be resumed as a whole.
   * @param filePath - As the CLI names it: relative to its working directory when `CLAUDE_CONFIG_DIR` is.
   */
  keyOf(filePath: string): SessionKey | undefined {
    if (filePath === '') return undefined;
    const path = isWindowsPath(filePath) ? filePath : resolve(this.#cwd, filePath);
    const key = keyOfTranscript(path, this.#configFolder) ?? this.#keyByRealFolder(path);
    if (key === undefined) return undefined;
    const projectKey = this.#projects.get(key.sessionId) ?? key.projectKey;
    this.#projects.set(key.sessionId, projectKey);
    return { ...key, projectKey };
  }

  /** The CLI may name the folder as it was given, or as it really is (`/tmp` is a link on macOS). */
  #keyByRealFolder(path: string): SessionKey | undefined {
    try {
      return keyOfTranscript(path, realpathSync(this.#configFolder));
    } catch {
      // It is not on this machine.
      return undefined;
    }
  }
}

const SUFFIX = '.jsonl';
const PROJECTS = '/projects/';

/**
 * The key of a transcript from where the CLI keeps it: `<project>/<session>.jsonl` below `projects` is a main
 * transcript, `<project>/<session>/<folders>/<name>.jsonl` one that belongs to it.
 * @param filePath - Absolute; of either platform.
 * @param configFolder - The CLI's configuration folder, absolute.
 * @returns `undefined` for a path that is not a transcript's, that is outside that folder, or whose names would be `.`,
 * `..` or otherwise unsafe without their suffix: a store that makes paths of keys must not be led elsewhere.
 */
export function keyOfTranscript(filePath: string, configFolder: string): SessionKey | undefined {
  const [projectKey, session, ...rest] = partsBelow(filePath, posix.join(slashed(configFolder), 'projects'));
  if (!isSafeName(projectKey)) return undefined;
  if (rest.length === 0) {
    const sessionId = withoutSuffix(session ?? '');
    return sessionId === session || !isSafeName(sessionId) ? undefined : { projectKey, sessionId };
  }
  if (!isSafeName(session)) return undefined;
  // A file directly in a session's folder is not one of its transcripts.
  const [name, ...folders] = rest.toReversed();
  if (!name || folders.length === 0) return undefined;
  const subpath = [...folders.reverse(), withoutSuffix(name)].join('/');
  return isSafeSubpath(subpath) ? { projectKey, sessionId: session, subpath } : undefined;
}

/**
 * The key that a transcript would have if its folder were the right one. Good for saying which transcript is meant, not
 * for storing it: only the folder proves that the path is of this run.
 * @returns `undefined` for a path that does not look like a transcript's.
 */
export function keyElsewhere(filePath: string): SessionKey | undefined {
  const plain = slashed(filePath);
  const at = plain.lastIndexOf(PROJECTS);
  const key = at === -1 ? undefined : keyOfTranscript(plain, plain.slice(0, at) || '/');
  return key !== undefined && isSessionId(key.sessionId) ? key : undefined;
}

/** The segments below a folder; none for a path outside it. */
function partsBelow(path: string, folder: string): readonly string[] {
  const plain = slashed(path);
  const isWindows = isWindowsPath(path);
  const start = plain.slice(0, folder.length + 1);
  const isBelow = isWindows ? start.toLowerCase() === `${folder}/`.toLowerCase() : start === `${folder}/`;
  return isBelow ? plain.slice(folder.length + 1).split('/') : [];
}

/** One form for the paths of both platforms, `..` resolved. A backslash is a separator only after a drive or share. */
function slashed(path: string): string {
  return posix.normalize(isWindowsPath(path) ? path.replaceAll('\\', '/') : path);
}

function withoutSuffix(name: string): string {
  return name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name;
}
