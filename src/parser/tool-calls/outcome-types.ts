/**
 * What became of a tool call.
 * - `ran`: it ended well. A command that went on in the background counts.
 * - `failed`: it ran, and ended with an error. Without hooks, transcripts of releases before 2.1.200 do not tell a call that
 *   a hook or `canUseTool` denied from one that failed.
 * - `denied`: a rule, a mode, a hook or `canUseTool` refused it.
 * - `never_started`: the turn ended before it began.
 * - `unknown`: it was cut, or has no result: it may have taken effect wholly, in part or not at all.
 */
export type ToolCallOutcomeKind = 'ran' | 'failed' | 'denied' | 'never_started' | 'unknown';

/** What became of one tool call. */
export interface ToolCallOutcome {
  /** `tool_use_id`. */
  readonly id: string;
  /** `undefined`: the messages have the result and not the call. */
  readonly name: string | undefined;
  readonly kind: ToolCallOutcomeKind;
  /**
   * What the model was told: `tool`: what the tool gave. `cli`: a text that the CLI wrote instead, or may have written.
   * `none`: the messages have no result.
   */
  readonly result: 'tool' | 'cli' | 'none';
}

/** How {@link ToolCallReader} is to read. */
export interface ToolCallReaderOptions {
  /**
   * Every call of these hook events is given to `addHook()`, for all tools. Then a hook that was not called says something
   * too: without PreToolUse a tool did not start, without PostToolUse and PostToolUseFailure it did not end.
   * @defaultValue none: only hooks that were called count
   */
  readonly hookEvents?: readonly ('PreToolUse' | 'PostToolUse' | 'PostToolUseFailure')[];
}
