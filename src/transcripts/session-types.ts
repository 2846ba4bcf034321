import type { SessionStore } from './store/session-store.js';

/** What is known about a session without reading all of it. */
export type SDKSessionInfo = {
  /** UUID of the session. */
  sessionId: string;
  /**
   * What to show: the given title, the generated title, the last prompt or summary, or the first prompt; `Image` or
   * `Document` when prompts have no text.
   */
  summary: string;
  /** When the transcript was last changed, integer milliseconds since the epoch. */
  lastModified: number;
  /** Size of the transcript in bytes. With a store: its length as JSONL, and only when the row was made by loading it. */
  fileSize?: number;
  /** The title given with `renameSession()` or `/rename`, else the generated one. */
  customTitle?: string;
  /** The user's first prompt, one line, at most 200 characters and `…`. */
  firstPrompt?: string;
  /** Git branch at the end of the session. */
  gitBranch?: string;
  /** Working directory of the session. */
  cwd?: string;
  /** The tag set with `tagSession()`. */
  tag?: string;
  /** Time of the first entry, integer milliseconds since the epoch. */
  createdAt?: number;
  /** True when archived, false when it no longer is. Absent when it never was, and with a store. */
  archived?: boolean;
};

/** One message of a session's conversation. */
export type SessionMessage = {
  type: 'user' | 'assistant' | 'system';
  /** Of a prompt that was sent in mid-turn, the `uuid` that it was sent with. */
  uuid: string;
  session_id: string;
  /** The message as the API knows it: `{role, content, ...}`. */
  message: unknown;
  /** The tool call that started this subagent. `null` in the main conversation. */
  parent_tool_use_id: string | null;
  /** The subagent that started this subagent. `null` when the main conversation did. */
  parent_agent_id: string | null;
  /** When it was written, ISO 8601. */
  timestamp?: string;
  /** `true` on messages the user did not type, such as a compaction's summary. */
  is_meta?: boolean;
  /** `true` on the summary that a compacted conversation begins with. */
  isCompactSummary?: boolean;
  /** `true` on the name and the output of a local command (`/cost`) that ran. */
  isCompletedLocalCommand?: boolean;
  /** `true` on a prompt that was sent while a turn ran, and that Claude saw in that turn. */
  isQueuedCommand?: boolean;
  /** Calls with a result in this message that were not run, and why. */
  tool_result_meta?: readonly { readonly id: string; readonly non_execution_kind: unknown }[];
  /** The origin of a prompt that was not typed, as the CLI wrote it. */
  origin?: unknown;
};

/** Where a session is looked for. */
type SessionLocation = {
  /**
   * A working directory: its sessions, and those of its repository's working trees. Absent: all sessions. A list leaves
   * out what began in another directory whose project folder has the same name (`a.b`, `a_b`).
   */
  dir?: string;
  /** This store instead of files. */
  sessionStore?: SessionStore;
};

/** The part of a list that is returned. */
export type PageOptions = {
  /** At most this many items. Absent, 0 or negative: all. */
  limit?: number;
  /** Items to skip at the start. @defaultValue 0 */
  offset?: number;
};

/** Where `listSessions()` looks, and what it returns. A store needs `listSessions`. */
export type ListSessionsOptions = SessionLocation &
  PageOptions & {
    /** With `dir` in a git repository: sessions of its other working trees too. Files only. @defaultValue true */
    includeWorktrees?: boolean;
    /**
     * Sessions that an SDK (`sdk-cli`, `sdk-ts`, `sdk-py`) or a daemon started. `false` shows what a person started, as
     * `/resume` does. Files only. @defaultValue true
     */
    includeProgrammatic?: boolean;
  };

/** Where `getSessionInfo()` looks. */
export type GetSessionInfoOptions = SessionLocation;

/** Where `getSessionMessages()` looks, and what it returns. */
export type GetSessionMessagesOptions = SessionLocation &
  PageOptions & {
    /** `system` entries too, such as the boundary of a compaction. @defaultValue false */
    includeSystemMessages?: boolean;
  };

/** Where `listSubagents()` looks. A store needs `listSubkeys`. */
export type ListSubagentsOptions = SessionLocation;

/** Where `getSubagentMessages()` looks, and what it returns. */
export type GetSubagentMessagesOptions = SessionLocation & PageOptions;

/** Where a function that changes a session finds it. Archiving refuses a store. */
export type SessionMutationOptions = SessionLocation;

/** What `forkSession()` copies. */
export type ForkSessionOptions = SessionMutationOptions & {
  /**
   * Copy up to the message with this `uuid`, which `getSessionMessages()` shows. An id of a compaction's boundary, or
   * of an entry between it and its summary, copies up to the message before the boundary; that of the summary leaves out the
   * messages that the compaction kept. Absent: everything.
   */
  upToMessageId?: string;
  /** Title of the fork. @defaultValue the title of the source and ` (fork)` */
  title?: string;
};

export type ForkSessionResult = {
  /** UUID of the new session, to be given as `resume`. */
  sessionId: string;
};
