/**
 * Names one transcript in a store: the main one of a session, or with `subpath` one that belongs to it, such as a
 * subagent's.
 */
export type SessionKey = {
  /**
   * Groups sessions, like a folder. The SDK uses the project folder's name, which is the working directory with every
   * character outside `a-zA-Z0-9` as `-`; names over 200 characters are cut there and end in a hash.
   */
  projectKey: string;
  /** The session's UUID. */
  sessionId: string;
  /** Absent for the main transcript, never empty. A path with `/`, such as `subagents/agent-a1b2`, without `.jsonl`. */
  subpath?: string;
};

/**
 * One line of a transcript, decoded. A store keeps it whole and reads only `uuid`: what it returns must be deep-equal
 * to what it got, the order of keys aside.
 */
export type SessionStoreEntry = {
  type: string;
  /** Present on most entries. The same entry keeps its `uuid` when it is sent again. */
  uuid?: string;
  /** ISO 8601, as the CLI wrote it. */
  timestamp?: string;
  [k: string]: unknown;
};

/**
 * The facts of one session that a listing needs, so that it is not loaded. Built by {@link foldSessionSummary} while
 * entries are appended.
 */
export type SessionSummaryEntry = {
  sessionId: string;
  /**
   * When the store took the entries that are folded in, in epoch milliseconds, by the clock that `listSessions` uses for
   * this session. A summary older than the listing's `mtime` counts as out of date. Never a time found inside an entry.
   */
  mtime: number;
  /** Belongs to the SDK: stored and returned as it is. */
  data: Record<string, unknown>;
};

/**
 * When entries are sent to the store during a run: `batched` (default) before a result is delivered, or once enough of
 * them wait; `eager` one call for each group of lines that the CLI wrote, at once.
 */
export type SessionStoreFlush = 'batched' | 'eager';

/**
 * Keeps transcripts somewhere else than on the local disk. `append` and `load` are required, every other method adds
 * what its comment says. Methods are called on the object itself, so they may use `this`.
 *
 * `sessionStoreContract` of `claudewire/testing` checks an implementation against these promises.
 */
export type SessionStore = {
  /**
   * Appends entries to one transcript, creating it if necessary. Once it resolves, `load` returns them. The calls of
   * one process for one key are made one after another, and their order is the transcript's order.
   *
   * An entry whose `uuid` is already stored may be left out: failed calls are repeated, and an import can be repeated.
   * Entries without a `uuid` (titles, tags) are kept every time.
   */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** Every entry of one transcript, oldest first; `null` when nothing was ever appended to it. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /**
   * The sessions of a project that have a main transcript, in any order. `mtime` is the time of the last change in
   * whole epoch milliseconds. Needed for listing sessions and for `continue`.
   */
  listSessions?(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>>;
  /**
   * The summaries of a project's sessions, so that a listing is one call instead of one `load` for each session.
   *
   * `append` keeps them up to date with {@link foldSessionSummary}. Two calls of `append` for one session may race:
   * read, fold and write must then be one step (a lock, a transaction).
   */
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /**
   * Removes a transcript; that of a session (no `subpath`) with everything below it. Unknown keys are not an error.
   * Without this method `deleteSession` leaves the store as it is, which suits stores that must never forget.
   */
  delete?(key: SessionKey): Promise<void>;
  /** The `subpath` of every transcript below a session. Without it a resumed session comes without its subagents. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
};
