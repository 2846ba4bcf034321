import type { McpServerProvenance, PermissionUpdate } from './permission-types.js';

/** Fields every hook input has. Unknown fields pass through. */
export type BaseHookInput = {
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
};

export type PreToolUseHookInput = BaseHookInput & {
  hook_event_name: 'PreToolUse';
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  /** For a tool of an MCP server. */
  mcp_server?: McpServerProvenance;
};

export type PostToolUseHookInput = BaseHookInput & {
  hook_event_name: 'PostToolUse';
  tool_name: string;
  tool_input: unknown;
  tool_response: unknown;
  tool_use_id: string;
  duration_ms?: number;
  mcp_server?: McpServerProvenance;
};

export type PostToolUseFailureHookInput = BaseHookInput & {
  hook_event_name: 'PostToolUseFailure';
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  error: string;
  is_interrupt?: boolean;
  duration_ms?: number;
  mcp_server?: McpServerProvenance;
};

/** One call of a {@link PostToolBatchHookInput}. */
export type PostToolBatchToolCall = {
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  tool_response?: unknown;
};

/** All calls of one answer of the model have ended. */
export type PostToolBatchHookInput = BaseHookInput & {
  hook_event_name: 'PostToolBatch';
  tool_calls: PostToolBatchToolCall[];
};

export type PermissionRequestHookInput = BaseHookInput & {
  hook_event_name: 'PermissionRequest';
  tool_name: string;
  tool_input: unknown;
  permission_suggestions?: PermissionUpdate[];
  mcp_server?: McpServerProvenance;
};

export type PermissionDeniedHookInput = BaseHookInput & {
  hook_event_name: 'PermissionDenied';
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  reason: string;
  mcp_server?: McpServerProvenance;
};

export type UserPromptSubmitHookInput = BaseHookInput & {
  hook_event_name: 'UserPromptSubmit';
  prompt: string;
  /** Who wrote it. */
  source?: 'user' | 'sdk' | 'system' | 'loop_wakeup' | 'schedule_wakeup' | 'poll_event';
  session_title?: string;
};

/** A slash command or an MCP prompt becomes the text that the model gets. */
export type UserPromptExpansionHookInput = BaseHookInput & {
  hook_event_name: 'UserPromptExpansion';
  expansion_type: 'slash_command' | 'mcp_prompt';
  command_name: string;
  command_args: string;
  command_source?: string;
  prompt: string;
};

/** A piece of a message's text as it is shown. */
export type MessageDisplayHookInput = BaseHookInput & {
  hook_event_name: 'MessageDisplay';
  turn_id: string;
  message_id: string;
  /** Of the piece within the message. */
  index: number;
  /** The last piece. */
  final: boolean;
  delta: string;
};

/** A background task that lives on when the turn ends. */
export type BackgroundTaskSummary = {
  id: string;
  type: string;
  status: string;
  description: string;
  command?: string;
  agent_type?: string;
  server?: string;
  tool?: string;
  name?: string;
};

/** A prompt that the session will send itself at set times. */
export type SessionCronSummary = {
  id: string;
  /** A cron expression. */
  schedule: string;
  recurring: boolean;
  prompt: string;
};

export type StopHookInput = BaseHookInput & {
  hook_event_name: 'Stop';
  /** A Stop hook has already kept this turn going. */
  stop_hook_active: boolean;
  last_assistant_message?: string;
  background_tasks?: BackgroundTaskSummary[];
  session_crons?: SessionCronSummary[];
};

/** The turn ended with an error of the API instead of an answer. */
export type StopFailureHookInput = BaseHookInput & {
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
};

export type SubagentStartHookInput = BaseHookInput & {
  hook_event_name: 'SubagentStart';
  agent_id: string;
  agent_type: string;
};

export type SubagentStopHookInput = BaseHookInput & {
  hook_event_name: 'SubagentStop';
  stop_hook_active: boolean;
  agent_id: string;
  agent_transcript_path: string;
  agent_type: string;
  last_assistant_message?: string;
  background_tasks?: BackgroundTaskSummary[];
  session_crons?: SessionCronSummary[];
};
