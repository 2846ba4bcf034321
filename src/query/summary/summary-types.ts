import type { SDKPermissionDenial } from '../../parser/message.js';
import type { ModelUsage } from '../../usage/model-usage.js';
import type { TokenUsage } from '../../usage/token-usage.js';
import type { Outcome } from '../outcome/outcome-types.js';

/** What a run came to: this run alone, not the session that it resumed. */
export interface RunSummary<T = unknown> {
  /** How it ended; see `outcomeOf`. */
  readonly outcome: Outcome;
  /** What the loop over the run threw, or would have thrown; `undefined`: nothing. */
  readonly error: unknown;
  /**
   * The answer: the text of the last result. Of a turn that did not complete, what the model had written in its
   * last message. Empty when
   * there is none; what went wrong is in `outcome.message`.
   */
  readonly text: string;
  /**
   * The value for `outputFormat`; `undefined` when there is none. Claude Code has checked it against the schema,
   * this package has not.
   */
  readonly structuredOutput: T | undefined;
  /**
   * Tokens of every turn, with sub-agents and Claude Code's own calls. When the process died in the middle of a
   * turn, what its messages told:
   * then `costUsd` is `undefined`, and output tokens are too low.
   */
  readonly usage: TokenUsage;
  /** The same by model, with costs. */
  readonly usageByModel: ModelUsage;
  /**
   * US dollars as Claude Code estimates them. `undefined` when they are not known exactly: a process that died in
   * the middle of a turn, or
   * a resumed session with a release that does not tell what was added (`model_usage_since_last_result`).
   */
  readonly costUsd: number | undefined;
  /** Calls that were not allowed, each once. */
  readonly permissionDenials: readonly SDKPermissionDenial[];
  /** Milliseconds from the prompt to the end of the run, by the clock of this process. */
  readonly durationMs: number;
  /** The sum over all results. Not a number of API calls. */
  readonly numTurns: number;
  /** `undefined` when no message came. */
  readonly sessionId: string | undefined;
}
