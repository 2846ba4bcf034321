import type { AnsweredMessages, FastModeDisabledReason, FastModeState, FrameIds, SDKMessageOrigin } from './common.js';
import type { NonNullableUsage } from './installed-api.js';

/** Running totals of the session for one model, also across resumes. */
export type ModelUsage = {
  inputTokens: number;
  outputTokens: number;
  thinkingTokens?: number;
  cacheReadInputTokens: number;
  cacheCreationInputTokens: number;
  cacheCreationEphemeral5mInputTokens?: number;
  cacheCreationEphemeral1hInputTokens?: number;
  webSearchRequests: number;
  costUSD: number;
  contextWindow: number;
  maxOutputTokens: number;
  canonicalModel?: string;
  provider?: string;
  costBasis?: 'list' | 'managed' | 'unknown';
};

export type SDKPermissionDenial = { tool_name: string; tool_use_id: string; tool_input: Record<string, unknown> };

/** A call that a PreToolUse hook deferred: the turn ended before it ran. */
export type SDKDeferredToolUse = { id: string; name: string; input: Record<string, unknown> };

/** Why a turn ended, finer than `subtype`. */
export type TerminalReason =
  | 'completed'
  | 'api_error'
  | 'model_error'
  | 'prompt_too_long'
  | 'blocking_limit'
  | 'rapid_refill_breaker'
  | 'image_error'
  | 'malformed_tool_use_exhausted'
  | 'aborted_streaming'
  | 'aborted_tools'
  | 'stop_hook_prevented'
  | 'hook_stopped'
  | 'tool_deferred'
  | 'tool_deferred_unavailable'
  | 'max_turns'
  | 'budget_exhausted'
  | 'structured_output_retry_exhausted'
  | 'background_requested'
  | 'turn_setup_failed';

/** Why the CLI refused to start. */
export type SDKStartupFailureReason =
  | 'org_pin_api_key_conflict'
  | 'provider_not_allowed'
  | 'org_verify_failed'
  | 'org_pin_mismatch'
  | 'managed_settings_invalid'
  | 'remote_settings_required_unavailable'
  | 'gateway_signin_required'
  | 'gateway_access_denied'
  | 'proxy_invalid'
  | 'temp_dir_unusable'
  | 'cwd_unavailable'
  | 'shell_tool_missing'
  | 'session_held_by_background'
  | 'worktree_resume_refused'
  | 'worktree_unverified'
  | 'cli_version_too_old'
  | 'bypass_root'
  | 'org_config_required_unavailable'
  | 'org_config_refused'
  | 'sandbox_required_unavailable'
  | 'initialize_not_first'
  | 'config_file_invalid'
  | 'managed_settings_not_delivered'
  | 'initialize_fields_not_delivered';

type ResultFields = FrameIds &
  AnsweredMessages & {
    type: 'result';
    duration_ms: number;
    duration_api_ms: number;
    is_error: boolean;
    /** One, plus the `user` frames of the turn. Not the number of API calls. */
    num_turns: number;
    stop_reason: string | null;
    /** Running total of the session, also across resumes. */
    total_cost_usd: number;
    /** This turn, main thread only. */
    usage: NonNullableUsage;
    modelUsage: Record<string, ModelUsage>;
    model_usage_since_last_result?: Record<string, ModelUsage>;
    permission_denials: SDKPermissionDenial[];
    terminal_reason?: TerminalReason;
    /** Counts the results of the process, from 0. */
    result_index?: number;
    queued_turn_count?: number;
    /** Set for a turn that no user message started, such as a finished background task. */
    origin?: SDKMessageOrigin;
    resume_reason?: string;
    credential_expires_at?: string;
    fast_mode_state?: FastModeState;
    fast_mode_disabled_reason?: FastModeDisabledReason;
  };

/**
 * The end of a turn, with a text. Not necessarily a good one: an API failure is `success` with `is_error: true` and the
 * error's text in `result`. See `outcomeOf`.
 */
export type SDKResultSuccess = ResultFields & {
  subtype: 'success';
  result: string;
  /** HTTP status of the API failure. */
  api_error_status?: number | null;
  api_error_type?: string;
  /** `connection_failed` when the API was not reached. */
  api_error?: string;
  /** The value that matches the schema. Absent although a schema was given: the model never made one. */
  structured_output?: unknown;
  deferred_tool_use?: SDKDeferredToolUse;
  /** The slash command that was run instead of a turn of the model. */
  local_command?: string;
  ttft_ms?: number;
  ttft_stream_ms?: number;
  time_to_request_ms?: number;
  request_sent_wall_ms?: number;
  first_content_frame_ms?: number;
  time_to_request_from_spawn_ms?: number;
  time_origin_ms?: number;
  /** The process was started ahead of the prompt. */
  warm_spare_claimed?: boolean;
  first_stream_post_ms?: number;
  first_stream_post_ack_ms?: number;
  first_stream_post_wall_ms?: number;
  first_stream_post_queue_wait_ms?: number;
  first_stream_post_queued_behind?: QueuedBehind;
  first_text_post_ms?: number;
  first_text_post_wall_ms?: number;
  first_text_post_queue_wait_ms?: number;
  first_text_post_queued_behind?: QueuedBehind;
};

/** What the first frame waited for, in a session that is hosted elsewhere. */
type QueuedBehind = 'durable_post' | 'ephemeral_post' | 'retry_backoff' | 'hold' | 'none';

/** The end of a turn that has no text. */
export type SDKResultError = ResultFields & {
  subtype:
    | 'error_during_execution'
    | 'error_max_turns'
    | 'error_max_budget_usd'
    | 'error_max_structured_output_retries';
  errors: string[];
  startup_failure_reason?: SDKStartupFailureReason;
  invalid_config_file?: { path: string; is_global: boolean; backup_searched: boolean; backup_path?: string };
};

export type SDKResultMessage = SDKResultSuccess | SDKResultError;
