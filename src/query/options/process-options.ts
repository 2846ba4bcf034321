import type { DiagnosticListener } from '../../diagnostics.js';
import type { SessionStore, SessionStoreFlush } from '../../transcripts/store/session-store.js';
import type { SpawnedProcess, SpawnOptions } from '../../transport/custom-spawn.js';
import type { TransportLike } from '../../transport/pull-adapter.js';

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
   * Keeps copies of files that tools change, for `rewindFiles()`. Wire: variable
   * `CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true`.
   * @defaultValue false
   */
  enableFileCheckpointing?: boolean;
  /**
   * Where the transcript is kept beside the CLI's own files: every entry the CLI writes is appended to it, and `resume`
   * and `continue` take the session from it. Not with `persistSession: false` or `enableFileCheckpointing`; `continue`
   * without `resume` needs `listSessions`. Wire: `--session-mirror`.
   *
   * Trouble with it never ends the run: entries that it does not take become a `system` message of subtype `mirror_error`.
   */
  sessionStore?: SessionStore;
  /** `eager` appends every group of entries as it comes. @defaultValue 'batched': before each result at the latest */
  sessionStoreFlush?: SessionStoreFlush;
  /**
   * Milliseconds for each call to the store before the start (`load`, `listSessions`, `listSubkeys`). `0` or
   * `Infinity`: no limit. Then a `SessionStoreError`, and nothing is started.
   * @defaultValue `60_000`
   */
  loadTimeoutMs?: number;
};

/** Where and how the CLI runs. */
export type ProcessOptions = {
  /** The child's working directory. @defaultValue the host's */
  cwd?: string;
  /** Further folders the tools may use. Wire: one `--add-dir=P` each. */
  additionalDirectories?: string[];
  /** Folder that project settings are read from. Wire: `--project-config-root=P`. */
  projectConfigRoot?: string;
  /**
   * The child's environment. It **replaces** the host's: spread `process.env` into it to add to that (without `PATH`
   * and `HOME` little works). `undefined` and `null` leave a name out; numbers and booleans are written as text. The
   * SDK adds `CLAUDE_CODE_ENTRYPOINT`, `CLAUDE_CODE_SDK_READS_SESSION_STATE` and `CLAUDE_AGENT_SDK_VERSION` unless they
   * are there, and removes `NODE_OPTIONS` and `DEBUG`.
   * @defaultValue the host's `process.env`
   */
  env?: { [envVar: string]: string | undefined };
  /**
   * Your application and its version (`my-app/1.0.0`), for the requests to the API: `CLAUDE_AGENT_SDK_CLIENT_APP`, over
   * the one in `env`. Empty: no name. A character above U+00FF is refused, since no header may have it.
   */
  clientApp?: string;
  /** Runtime for executables that are scripts: a name on the `PATH`, or a path. @defaultValue 'node' */
  executable?: 'bun' | 'deno' | 'node';
  /** Arguments before the script's path; for a native executable its first arguments. */
  executableArgs?: string[];
  /**
   * The Claude Code executable, or the folder of its npm package. Files named `.js .mjs .ts .tsx .jsx` run with
   * `executable`, all others directly.
   * @defaultValue looked for: see `docs/reference/options.md`
   */
  pathToClaudeCodeExecutable?: string;
  /**
   * The release of the CLI, such as `2.1.330`, or `newest`: what it is known not to honour is made true another way,
   * reported, or refused with a `CLIVersionError`. Local.
   * @defaultValue found out; for `spawnClaudeCodeProcess` and `transport` the newest
   */
  claudeCodeVersion?: string;
  /**
   * Further flags, without the dashes. `null`: the bare flag. Text: a second token, or `--flag=text` when it starts
   * with `-`. They come after the SDK's own flags and are not checked.
   */
  extraArgs?: Record<string, string | null>;
  /** The CLI writes debug output to stderr. Wire: `--debug`. @defaultValue false */
  debug?: boolean;
  /** The CLI writes debug output to this file instead. Wire: `--debug-file=P`. */
  debugFile?: string;
  /** Receives the CLI's stderr, chunk by chunk, as text. A throw is contained. */
  stderr?: (data: string) => void;
  /** Its signal ends the run: the loop throws an `AbortError` whose `cause` is the signal's reason. */
  abortController?: AbortController;
  /**
   * Starts the CLI in a process group and session of its own, away from the terminal: Ctrl-C, Ctrl-Z and a closed
   * terminal reach only your program, which decides what they mean, such as `interrupt()`. When your program ends, in
   * any way, the CLI's input ends. No effect on Windows. Not together with `spawnClaudeCodeProcess` or `transport`.
   * @defaultValue false: the CLI is in your program's group, as with the official SDK
   * @see docs/reference/signals.md in the repository
   */
  ownProcessGroup?: boolean;
  /**
   * Starts the CLI in another way (a container, another machine). Called synchronously. Its exceptions leave `query()`.
   * No private files are used with it: what it gets is the whole command line.
   */
  spawnClaudeCodeProcess?: (options: SpawnOptions) => SpawnedProcess;
  /**
   * Speaks to the CLI over this instead of starting a process. The options about the process then have no effect. Not
   * together with `spawnClaudeCodeProcess`.
   */
  transport?: TransportLike;
};

/** A logger with pino's methods; a pino instance is one. */
export type Logger = {
  trace(fields: object, message?: string): void;
  debug(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
  /** Asked once a run: records of a level that is off are then not made. pino has it. @defaultValue every level is on */
  isLevelEnabled?(level: string): boolean;
};

/**
 * Bounds and reports that the official SDK does not have. Times are milliseconds, sizes bytes; `0`, `Infinity`, and
 * times past 2 147 483 647 ms (what a timer can hold) mean no limit.
 */
export type LimitOptions = {
  /**
   * For the answer to `initialize`, not counting start-up hooks that are reported running. Then a
   * `ControlRequestTimeoutError`, and the child is ended.
   * @defaultValue `60_000`
   */
  initializeTimeoutMs?: number;
  /**
   * For the answer to a control request, from the answer to `initialize` or the call, whichever is later. Then a
   * `ControlRequestTimeoutError`; the session goes on. A value holds for every request that has no `timeoutMs` of its own.
   * @defaultValue `60_000`, and `600_000` for requests that wait for work: `mcp_reconnect`, `mcp_set_servers`,
   * `mcp_toggle`, `mcp_call`, `reload_plugins`, `get_context_usage`, `side_question`,
   * `submit_feedback`, `ultrareview_launch`, `claude_oauth_*`, `mcp_oauth_callback_url`
   */
  controlTimeoutMs?: number;
  /** Without any frame while a turn runs. Then an `IdleTimeoutError`. @defaultValue no limit */
  idleTimeoutMs?: number;
  /** For the whole run, from its start. Then an interrupt, a grace, and a `RunDeadlineError`. @defaultValue no limit */
  deadlineMs?: number;
  /** Without a frame after stdin ended, until the CLI is told to leave with a signal. @defaultValue `60_000` */
  exitGraceMs?: number;
  /** Longest line of the CLI. Then a `FrameTooLargeError`, after the messages before it. @defaultValue 256 MiB */
  maxBufferBytes?: number;
  /** Messages waiting for the consumer. Then a `QueueLimitError`. @defaultValue no limit */
  maxQueuedBytes?: number;
  /**
   * Messages waiting for the consumer in a private temporary file, which takes what is beyond 8 to 20 MiB in memory.
   * Then a `QueueLimitError`, after the messages before it.
   * @defaultValue 4 GiB
   */
  maxSpooledBytes?: number;
  /**
   * What a hook or permission callback that throws does. `report`: the CLI gets the error, and **runs the tool** after
   * a failed PreToolUse hook. `deny`: the answer is a denial.
   * @defaultValue 'report', the official behaviour
   */
  onHookError?: 'report' | 'deny';
  /** Receives what the SDK noticed and went on from. A throw is contained. */
  onDiagnostic?: DiagnosticListener;
  /**
   * Receives log lines, without secrets. `info`: one line at the end of a run. `debug`: start, control requests, exit.
   * `trace`: every frame, cut. See "Logging" in docs/reference/options.md of the repository.
   * @defaultValue the one that `CLAUDEWIRE_LOG` switches on, or none
   */
  logger?: Logger;
  /**
   * What a stream does that ended without a result, or before every message was answered, although the CLI exited
   * cleanly. `throw`: an `IncompleteStreamError`.
   * @defaultValue 'end', the official behaviour
   */
  incompleteStream?: 'end' | 'throw';
};
