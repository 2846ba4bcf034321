/** Which conversation is continued, and what is kept of it. */
export interface SessionOptions {
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

  /** Not supported yet: giving it throws an `InvalidOptionError`. */
  sessionStore?: never;
}
