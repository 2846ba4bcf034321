import type { SessionStore, SessionStoreFlush } from '../../transcripts/store/session-store.js';

/** Which conversation is continued, and what is kept of it. */
export type SessionOptions = {
  /** Goes on with the newest session of the folder. Wire: `--continue`. @defaultValue false */
  continue?: boolean;

  /** Id of the session to go on with. Wire: `--resume=V`. */
  resume?: string;

  /** Goes on in a copy, under a new id. Wire: `--fork-session`. @defaultValue false */
  forkSession?: boolean;

  /** Id of the new session, a UUID. Wire: `--session-id=V`. @defaultValue the CLI makes one */
  sessionId?: string;

  /** Id of the message up to which the session is taken over. Wire: `--resume-session-at=V`. */
  resumeSessionAt?: string;

  /** Id of a user message whose turn is dropped. Wire: `--resume-drops-turn=V`, also when empty. */
  resumeDropsTurn?: string;

  /** `false` writes no session file. Wire: `--no-session-persistence`. @defaultValue true */
  persistSession?: boolean;

  /**
   * Keeps copies of files that tools change, for `rewindFiles()`.
   * Wire: variable `CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true`.
   *
   * @defaultValue false
   */
  enableFileCheckpointing?: boolean;

  /**
   * Where the transcript is kept beside the CLI's own files: every entry the CLI writes is appended to it, and `resume` and
   * `continue` take the session from it. Not with `persistSession: false` or `enableFileCheckpointing`; `continue` without
   * `resume` needs `listSessions`. Wire: `--session-mirror`.
   *
   * Trouble with it never ends the run: entries that it does not take become a `system` message of subtype `mirror_error`.
   */
  sessionStore?: SessionStore;

  /** `eager` appends every group of entries as it comes. @defaultValue 'batched': before each result at the latest */
  sessionStoreFlush?: SessionStoreFlush;

  /**
   * Milliseconds for each call to the store before the start (`load`, `listSessions`, `listSubkeys`). `0` or `Infinity`: no
   * limit. Then a `SessionStoreError`, and nothing is started.
   *
   * @defaultValue `60_000`
   */
  loadTimeoutMs?: number;
};
