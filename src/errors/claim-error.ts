import { ClaudeSDKError, type ClaudeSDKErrorOptions } from './claude-sdk-error.js';

/** What a spare process answered to its claim. A type and not an interface, as the official one: it fits a `Record`. */
export type ClaimInfo = {
  /** The session's working directory, as the CLI resolved it. */
  cwd: string;
  sessionId: string;
  /** How long the process had been waiting, in milliseconds. */
  parkedMs?: number;
  /** Whether the in-process MCP servers had finished their handshakes. */
  sdkMcpSettled: boolean;
};

/**
 * Why a spare process serves no session, or not quite the one that was asked for.
 *
 * - `spare_closed`, `spare_exited`: it ended before it was claimed.
 * - `settings_not_applied`: the `settings` were refused; the prompt was not sent.
 * - `option_not_applied`: the CLI took the prompt, and refused `model` or `maxThinkingTokens`. The session runs.
 */
export type ClaimFailure =
  | 'spare_closed'
  | 'spare_exited'
  | 'settings_not_applied'
  | 'option_not_applied';

/** A spare process serves no session, or not quite the one that was asked for. The message begins with `reason`. */
export class ClaimError extends ClaudeSDKError {
  override name = 'ClaimError';
  readonly reason: ClaimFailure;
  /** The claim itself, where it was made. */
  declare readonly claim?: ClaimInfo;

  constructor(
    reason: ClaimFailure,
    explanation: string,
    options: ClaudeSDKErrorOptions & { readonly claim?: ClaimInfo | undefined } = {},
  ) {
    super(`${reason}: ${explanation}`, 'claim_failed', options);
    this.reason = reason;
    if (options.claim !== undefined) this.claim = options.claim;
  }
}
