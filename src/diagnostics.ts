/**
 * A problem that the SDK noticed and survived. Nothing that the peer sent is dropped without one of these, and none is
 * printed: they reach the `onDiagnostic` option and the logger, at level debug or warn.
 */
export interface Diagnostic {
  /** Stable within a major version. */
  readonly code: DiagnosticCode;
  /** One sentence for a person. Never a whole payload. */
  readonly message: string;
  /** Small facts for a machine: ids, subtypes, sizes in bytes, short excerpts. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What a callback of the program threw, with its stack. */
  readonly cause?: unknown;
}

export type DiagnosticCode =
  /** stdout: a line that is not JSON; skipped. */
  | 'line_not_json'
  /** stdout: a JSON value that is not an object; skipped. */
  | 'line_not_object'
  /** Frames were taken from a line that has other text too. `excerpt` is that text. */
  | 'text_around_frame'
  /** stdout: a frame that had been taken from such a line came again; skipped. */
  | 'frame_repeated'
  /** stdout: an unfinished line when the stream ended that could not be parsed. */
  | 'line_incomplete'
  /** A control frame without the fields it needs; skipped, or answered with an error. */
  | 'control_frame_malformed'
  /** An answer to a request that is no longer, or was never, pending. */
  | 'response_unknown'
  /** An answer that came after the request timed out. */
  | 'response_late'
  /** A control request was not answered in time. */
  | 'request_timed_out'
  /** The same request id again while the first is in flight. */
  | 'request_duplicate'
  /** A cancellation for a request that is not in flight. */
  | 'cancel_unknown'
  /** An inbound request without a handler; answered with an error. */
  | 'request_unsupported'
  /** A callback's result was not usable; the answer failed closed. */
  | 'callback_result_invalid'
  /** A callback threw; its error went to the peer. */
  | 'callback_threw'
  /** An answer could not be written any more (cancelled, or the session had ended). */
  | 'answer_dropped'
  /** A callback of the program (`stderr`, `onDiagnostic`, ...) threw; the error was contained. */
  | 'listener_threw'
  /** stdin was closed by the 600 s cap, not by a rule. */
  | 'stdin_closed_by_cap'
  /** The CLI exited cleanly and left messages without an answer. */
  | 'messages_unanswered'
  /** The executable did not tell its release, so it counts as the newest. */
  | 'cli_release_unknown'
  /** The release of the CLI does not honour an option of the run. */
  | 'option_not_honoured'
  /** The process had to be ended with a signal. */
  | 'process_signalled'
  /** A transcript frame without what it needs; its entries are not stored. */
  | 'mirror_frame_malformed'
  /** The CLI writes a transcript somewhere else than in its projects folder; it is not stored. */
  | 'mirror_path_unknown'
  /** Entries could not be appended to the session store; they are lost to it. */
  | 'mirror_failed'
  /** A part of a stored session was left out because its name or shape cannot be a file's. */
  | 'stored_part_skipped'
  /** A private file could not be removed. */
  | 'cleanup_failed'
  /** The prompt iterable failed while it was being stopped. */
  | 'prompt_return_failed'
  /** An in-process MCP server could not be prepared, or a tool was left out. */
  | 'mcp_server_problem'
  /** Reading was paused because the consumer is slow, or resumed. */
  | 'flow_paused'
  | 'flow_resumed'
  /** Messages that wait for the consumer go to a temporary file from here on. */
  | 'queue_spooled';

/** Receives diagnostics. Must not throw; a throw is contained. */
export type DiagnosticListener = (diagnostic: Diagnostic) => void;
