import type { PermissionMode } from '../../control/permission-types.js';
import type { ClaimInfo } from '../../errors.js';
import type { SDKUserMessage } from '../../parser/message.js';
import type { AgentDefinition } from '../options/extension-options.js';
import type { FlagSettings, Query } from '../query-types.js';

/**
 * What belongs to a session rather than to the process that serves it. Everything else was given to
 * `prewarm()` and stays as it was.
 */
export type ClaimOptions = {
  /** The session's working directory. A relative path is taken from this process; `~/` is the CLI's to expand. */
  cwd: string;
  /** Further variables. The CLI takes few at this point (tokens and the host's session id) and refuses the claim for any other. */
  env?: Record<string, string>;
  /** As the option of that name. A relative path is taken from `cwd`. */
  additionalDirectories?: string[];
  model?: string;
  /** Part of the claim: a mode that the process cannot take refuses it, so no session runs under another. */
  permissionMode?: PermissionMode;
  /** `null` lifts the limit. */
  maxThinkingTokens?: number | null;
  /**
   * Settings laid over those of the process, as `applyFlagSettings()` does. The prompt waits until they are
   * accepted, and is not sent when they are refused. Keys that govern hooks belong into `prewarm()`.
   */
  settings?: FlagSettings;
  appendSystemPrompt?: string;
  title?: string;
  agents?: Record<string, AgentDefinition>;
};

/** A CLI that has started and belongs to no session yet. For one claim only. */
export interface SpareProcess extends AsyncDisposable {
  /**
   * Makes the process a session and sends its prompt. Synchronous: the claim, what differs, and the prompt are
   * written when it returns, the prompt later where there are `settings`.
   *
   * The query describes the claimed session as soon as the claim is answered (`initializationResult()`,
   * `supportedCommands()` and the like wait for that). A claim that the CLI refuses rejects {@link claimed}; a prompt that was
   * sent already ends in an error result that begins with `not_claimed`, and the process goes.
   *
   * @throws InvalidOptionError an option cannot be used, governs hooks, or chooses another session (`resume`, `continue`, `forkSession`,
   * `sessionId`). Nothing was sent: the spare can still be claimed.
   * @throws SessionClosedError it was claimed before, was closed, or has ended (`cause` says how).
   */
  claim(params: { prompt: string | AsyncIterable<SDKUserMessage>; options: ClaimOptions }): Query;
  /**
   * Resolves when the CLI has accepted the claim and everything that went with it. Never counts as an
   * unhandled rejection. Unless it rejects with `option_not_applied`, the prompt does not run: start the session with `query()`.
   *
   * @throws ControlRequestError the CLI refused; its text begins with the reason, such as `cwd_not_found`.
   * @throws ClaimError `reason` tells which: see {@link ClaimFailure}.
   * @throws ControlRequestTimeoutError no answer to the claim within `controlTimeoutMs`; the session was ended.
   * @throws the error of the session when it ended before the answer.
   */
  readonly claimed: Promise<ClaimInfo>;
  /** Resolves when the process is gone, claimed or not. */
  readonly exited: Promise<void>;
  /** Ends the process: unclaimed it is thrown away, claimed its query is closed. */
  close(): void;
  /** As {@link close}; resolves when the process is gone, at the latest after 2 s. */
  [Symbol.asyncDispose](): Promise<void>;
}
