import type { DiagnosticListener } from '../../diagnostics.js';

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
 * Bounds and reports that the official SDK does not have. Times are milliseconds, sizes bytes; `0`,
 * `Infinity`, and times past 2 147 483 647 ms (what a timer can hold) mean no limit.
 */
export type LimitOptions = {
  /**
   * For the answer to `initialize`, not counting start-up hooks that are reported running. Then a
   * `ControlRequestTimeoutError`, and the child is ended.
   *
   * @defaultValue `60_000`
   */
  initializeTimeoutMs?: number;

  /**
   * For the answer to a control request, from the answer to `initialize` or the call, whichever is later. Then a
   * `ControlRequestTimeoutError`; the session goes on. A value holds for every request that has no `timeoutMs` of its own.
   *
   * @defaultValue `60_000`, and `600_000` for requests that wait for work: `mcp_reconnect`, `mcp_set_servers`, `mcp_toggle`,
   * `mcp_call`, `reload_plugins`, `get_context_usage`, `side_question`
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
   * Messages waiting for the consumer in a private temporary file, which takes what is beyond 8 to 20 MiB in memory. Then a
   * `QueueLimitError`, after the messages before it.
   *
   * @defaultValue 4 GiB
   */
  maxSpooledBytes?: number;

  /**
   * What a hook or permission callback that throws does. `report`: the CLI gets the error, and **runs the tool** after a
   * failed PreToolUse hook. `deny`: the answer is a denial.
   *
   * @defaultValue 'report', the official behaviour
   */
  onHookError?: 'report' | 'deny';

  /** Receives what the SDK noticed and went on from. A throw is contained. */
  onDiagnostic?: DiagnosticListener;

  /**
   * Receives log lines, without secrets. `info`: one line at the end of a run. `debug`: start, control requests, exit. `trace`:
   * every frame, cut. See "Logging" in docs/options.md of the repository.
   *
   * @defaultValue the one that `CLAUDEWIRE_LOG` switches on, or none
   */
  logger?: Logger;

  /**
   * What a stream does that ended without a result, or before every message was answered, although the CLI exited cleanly.
   * `throw`: an `IncompleteStreamError`.
   *
   * @defaultValue 'end', the official behaviour
   */
  incompleteStream?: 'end' | 'throw';
};
