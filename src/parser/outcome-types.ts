import type { SDKDeferredToolUse, SDKResultMessage, SDKStartupFailureReason } from './message.js';

/** On every outcome. */
export interface OutcomeFields {
  /** The same request, sent again later with nothing changed, may end otherwise. */
  readonly retryable: boolean;
  /**
   * Milliseconds to wait before the next try, as far as anything said so: until the limit resets, else what the CLI
   * itself waited before its last try. A lower bound, not a promise.
   */
  readonly retryAfterMs?: number;
  /** What happened, in the CLI's or the API's own words where there are any. */
  readonly message: string;
  /** The result that the outcome was read from. Absent when the run ended without one. */
  readonly result?: SDKResultMessage;
}

interface Kind<K extends string, Retryable extends boolean> extends OutcomeFields {
  readonly kind: K;
  readonly retryable: Retryable;
}

/** The turn reached its end. `message` is the answer's text. */
export interface CompletedOutcome extends Kind<'completed', false> {
  /** The value that matches the schema, when one was asked for. */
  readonly structuredOutput?: unknown;
}

/** A PreToolUse hook deferred a call: the turn waits for whoever runs it. */
export interface DeferredOutcome extends Kind<'deferred', false> {
  readonly deferredToolUse?: SDKDeferredToolUse;
}

/** The plan's or the key's limit is reached. */
export interface RateLimitedOutcome extends Kind<'rate_limited', true> {
  /** When the limit resets, when the CLI said so. */
  readonly resetsAt?: Date;
}

/** The process ended badly. Never `retryable`: tools may have run half way. */
export interface CrashedOutcome extends Kind<'crashed', false> {
  /** `null` after a signal. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Last 2048 UTF-16 units of stderr, trimmed. */
  readonly stderrTail: string;
}

/**
 * No turn ever began: no executable, a refused option, a failed start, an unknown session id. `retryable` only when the
 * CLI did not answer `initialize` in time.
 */
export interface NotStartedOutcome extends Kind<'not_started', boolean> {
  /** The CLI's own reason, when it gave one. */
  readonly reason?: SDKStartupFailureReason;
}

/** Something failed that has no kind of its own. `cause` is the error, when there is one. */
export interface FailedOutcome extends Kind<'failed', false> {
  readonly cause?: unknown;
}

/** How a run ended: exactly one of these. Closed within a major version. */
export type Outcome =
  | CompletedOutcome
  | DeferredOutcome
  /** A hook ended the turn, or blocked the prompt, before there was an answer. */
  | Kind<'hook_stopped', false>
  /** `maxTurns` was reached. */
  | Kind<'max_turns', false>
  /** `maxBudgetUsd` is spent. */
  | Kind<'max_budget', false>
  /** The API cut the answer off at its output limit, and going on did not help. */
  | Kind<'max_output_tokens', false>
  | RateLimitedOutcome
  /** The API is at capacity (529). */
  | Kind<'overloaded', true>
  /** No key, a wrong one, or one that may not do this. */
  | Kind<'auth', false>
  /** The account has no credit. */
  | Kind<'billing', false>
  /** The API found the request wrong. */
  | Kind<'invalid_request', false>
  /** The conversation does not fit the model's window. */
  | Kind<'context_overflow', false>
  | Kind<'model_not_found', false>
  /** The API failed (5xx), or answered with something that is not an answer. */
  | Kind<'server_error', true>
  /** The API was not reached, or did not answer in time. */
  | Kind<'connection_failed', true>
  /** A schema was given, and no value that matches it came. */
  | Kind<'structured_output_failed', true>
  /** The model declined. */
  | Kind<'refused', false>
  /** `interrupt()`, a deny with `interrupt`, SIGINT, an abort or a close by the caller. */
  | Kind<'interrupted', false>
  /** The run's `deadlineMs`. */
  | Kind<'deadline', false>
  /** Nothing came for `idleTimeoutMs`. */
  | Kind<'idle_timeout', true>
  | CrashedOutcome
  | NotStartedOutcome
  /** The stream ended cleanly without a result or before every message was answered, or the model paused the turn. */
  | Kind<'incomplete', false>
  | FailedOutcome;

export type OutcomeKind = Outcome['kind'];
