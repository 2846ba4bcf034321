import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SessionKey } from '../../transcripts/store/session-store.js';
import { isWindowsPath } from '../../util/windows-path.js';
import { keyOfTranscript } from './mirror-key.js';

/** The folder that a CLI keeps its transcripts in. */
export class TranscriptFolder {
  readonly #cwd: string;
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

  /** The CLI is started with another configuration folder after all. */
  moveTo(configFolder: string): void {
    this.#configFolder = configFolder;
  }

  /**
   * The key of a transcript; `undefined` for a path that is none of this folder's.
   *
   * @param filePath - As the CLI names it: relative to its working directory when `CLAUDE_CONFIG_DIR` is.
   */
  keyOf(filePath: string): SessionKey | undefined {
    if (filePath === '') return undefined;
    const path = isWindowsPath(filePath) ? filePath : resolve(this.#cwd, filePath);
    return keyOfTranscript(path, this.#configFolder) ?? this.#keyByRealFolder(path);
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
