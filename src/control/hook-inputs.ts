import type { McpServerProvenance, PermissionUpdate } from './permission-types.js';

/** Fields every hook input has. Unknown fields pass through. */
export interface BaseHookInput {
  session_id: string;
  transcript_path: string;
  cwd: string;
  permission_mode?: string;
  prompt_id?: string;
  /** Set inside a subagent. */
  agent_id?: string;
  agent_type?: string;
  /** How hard the model thinks in the turn at hand. */
  effort?: { level: string };
}

export interface PreToolUseHookInput extends BaseHookInput {
  hook_event_name: 'PreToolUse';
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  /** For a tool of an MCP server. */
  mcp_server?: McpServerProvenance;
}

export interface PostToolUseHookInput extends BaseHookInput {
  hook_event_name: 'PostToolUse';
  tool_name: string;
  tool_input: unknown;
  tool_response: unknown;
  tool_use_id: string;
  duration_ms?: number;
  mcp_server?: McpServerProvenance;
}

export interface PostToolUseFailureHookInput extends BaseHookInput {
  hook_event_name: 'PostToolUseFailure';
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  error: string;
  is_interrupt?: boolean;
  duration_ms?: number;
  mcp_server?: McpServerProvenance;
}

/** One call of a {@link PostToolBatchHookInput}. */
export interface PostToolBatchToolCall {
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  tool_response?: unknown;
}

/** All calls of one answer of the model have ended. */
export interface PostToolBatchHookInput extends BaseHookInput {
  hook_event_name: 'PostToolBatch';
  tool_calls: PostToolBatchToolCall[];
}

export interface PermissionRequestHookInput extends BaseHookInput {
  hook_event_name: 'PermissionRequest';
  tool_name: string;
  tool_input: unknown;
  permission_suggestions?: PermissionUpdate[];
  mcp_server?: McpServerProvenance;
}

export interface PermissionDeniedHookInput extends BaseHookInput {
  hook_event_name: 'PermissionDenied';
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  reason: string;
  mcp_server?: McpServerProvenance;
}

export interface UserPromptSubmitHookInput extends BaseHookInput {
  hook_event_name: 'UserPromptSubmit';
  prompt: string;
  /** Who wrote it. */
  source?: 'user' | 'sdk' | 'system' | 'loop_wakeup' | 'schedule_wakeup' | 'poll_event';
  session_title?: string;
}

/** A slash command or an MCP prompt becomes the text that the model gets. */
export interface UserPromptExpansionHookInput extends BaseHookInput {
  hook_event_name: 'UserPromptExpansion';
  expansion_type: 'slash_command' | 'mcp_prompt';
  command_name: string;
  command_args: string;
  command_source?: string;
  prompt: string;
}

/** A piece of a message's text as it is shown. */
export interface MessageDisplayHookInput extends BaseHookInput {
  hook_event_name: 'MessageDisplay';
  turn_id: string;
  message_id: string;
  /** Of the piece within the message. */
  index: number;
  /** The last piece. */
  final: boolean;
  delta: string;
}

/** A background task that lives on when the turn ends. */
export interface BackgroundTaskSummary {
  id: string;
  type: string;
  status: string;
  description: string;
  command?: string;
  agent_type?: string;
  server?: string;
  tool?: string;
  name?: string;
}

/** A prompt that the session will send itself at set times. */
export interface SessionCronSummary {
  id: string;
  /** A cron expression. */
  schedule: string;
  recurring: boolean;
  prompt: string;
}

export interface StopHookInput extends BaseHookInput {
  hook_event_name: 'Stop';
  /** A Stop hook has already kept this turn going. */
  stop_hook_active: boolean;
  last_assistant_message?: string;
  background_tasks?: BackgroundTaskSummary[];
  session_crons?: SessionCronSummary[];
}

/** The turn ended with an error of the API instead of an answer. */
export interface StopFailureHookInput extends BaseHookInput {
  hook_event_name: 'StopFailure';
  /** As in `error` of the synthetic assistant message. */
  error:
    | 'authentication_failed'
    | 'oauth_org_not_allowed'
    | 'account_on_hold'
    | 'verification_required'
    | 'billing_error'
    | 'rate_limit'
    | 'overloaded'
    | 'invalid_request'
    | 'model_not_found'
    | 'server_error'
    | 'unknown'
    | 'max_output_tokens'
    | 'cloud_credential_error';
  error_details?: string;
  last_assistant_message?: string;
}

export interface SubagentStartHookInput extends BaseHookInput {
  hook_event_name: 'SubagentStart';
  agent_id: string;
  agent_type: string;
}

export interface SubagentStopHookInput extends BaseHookInput {
  hook_event_name: 'SubagentStop';
  stop_hook_active: boolean;
  agent_id: string;
  agent_transcript_path: string;
  agent_type: string;
  last_assistant_message?: string;
  background_tasks?: BackgroundTaskSummary[];
  session_crons?: SessionCronSummary[];
}
