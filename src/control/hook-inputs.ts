import type { SDKAssistantMessageError } from '../constants.js';
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

type ToolCall = { tool_name: string; tool_input: unknown; tool_use_id: string };

/** `mcp_server`: for a tool of an MCP server. */
type ToolEvent = BaseHookInput & ToolCall & { mcp_server?: McpServerProvenance };

export type PreToolUseHookInput = ToolEvent & { hook_event_name: 'PreToolUse' };

export type PostToolUseHookInput = ToolEvent & {
  hook_event_name: 'PostToolUse';
  tool_response: unknown;
  duration_ms?: number;
};

export type PostToolUseFailureHookInput = ToolEvent & {
  hook_event_name: 'PostToolUseFailure';
  error: string;
  is_interrupt?: boolean;
  duration_ms?: number;
};

/** One call of a {@link PostToolBatchHookInput}. */
export type PostToolBatchToolCall = ToolCall & { tool_response?: unknown };

/** All calls of one answer of the model have ended. */
export type PostToolBatchHookInput = BaseHookInput & {
  hook_event_name: 'PostToolBatch';
  tool_calls: PostToolBatchToolCall[];
};

export type PermissionRequestHookInput = Omit<ToolEvent, 'tool_use_id'> & {
  hook_event_name: 'PermissionRequest';
  permission_suggestions?: PermissionUpdate[];
};

export type PermissionDeniedHookInput = ToolEvent & { hook_event_name: 'PermissionDenied'; reason: string };

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

type StopEvent = BaseHookInput & {
  /** A Stop hook has already kept this turn going. */
  stop_hook_active: boolean;
  last_assistant_message?: string;
  background_tasks?: BackgroundTaskSummary[];
  session_crons?: SessionCronSummary[];
};

export type StopHookInput = StopEvent & { hook_event_name: 'Stop' };

/** The turn ended with an error of the API instead of an answer. */
export type StopFailureHookInput = BaseHookInput & {
  hook_event_name: 'StopFailure';
  /** As in `error` of the synthetic assistant message. */
  error: SDKAssistantMessageError;
  error_details?: string;
  last_assistant_message?: string;
};

export type SubagentStartHookInput = BaseHookInput & {
  hook_event_name: 'SubagentStart';
  agent_id: string;
  agent_type: string;
};

export type SubagentStopHookInput = StopEvent & {
  hook_event_name: 'SubagentStop';
  agent_id: string;
  agent_transcript_path: string;
  agent_type: string;
};

export type SetupHookInput = BaseHookInput & { hook_event_name: 'Setup'; trigger: 'init' | 'maintenance' };

export type SessionStartHookInput = BaseHookInput & {
  hook_event_name: 'SessionStart';
  source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork';
  model?: string;
  session_title?: string;
  /** For a session that goes on. */
  seconds_since_last_response?: number;
  context_tokens?: number;
  prompt_cache_likely_expired?: boolean;
  /** US dollars. */
  estimated_cache_write_usd?: number;
};

export type ExitReason = 'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other';

export type SessionEndHookInput = BaseHookInput & { hook_event_name: 'SessionEnd'; reason: ExitReason };

export type NotificationHookInput = BaseHookInput & {
  hook_event_name: 'Notification';
  message: string;
  title?: string;
  notification_type: string;
};

export type PreCompactHookInput = BaseHookInput & {
  hook_event_name: 'PreCompact';
  trigger: 'manual' | 'auto';
  custom_instructions: string | null;
};

export type PostCompactHookInput = BaseHookInput & {
  hook_event_name: 'PostCompact';
  trigger: 'manual' | 'auto';
  compact_summary: string;
};

type ModelSwitch = BaseHookInput & {
  from_model: string;
  to_model: string;
  /** As it was asked for, such as an alias. `null`: the default. */
  requested_model: string | null;
  context_tokens: number;
  prompt_cache_warm: boolean;
  cache_ttl: '5m' | '1h';
  /** US dollars: what the new model pays to read the conversation in. */
  estimated_cache_write_usd: number;
  /** Where the prices of the estimate come from. */
  pricing: 'configured' | 'catalog' | 'default';
};

export type PreModelSwitchHookInput = ModelSwitch & {
  hook_event_name: 'PreModelSwitch';
  source: 'command' | 'picker' | 'sdk';
};

export type PostModelSwitchHookInput = ModelSwitch & {
  hook_event_name: 'PostModelSwitch';
  source: 'command' | 'picker' | 'sdk' | 'auto' | 'resume';
};

export type TeammateIdleHookInput = BaseHookInput & {
  hook_event_name: 'TeammateIdle';
  teammate_name: string;
  team_name: string;
};

type TaskEvent = BaseHookInput & {
  task_id: string;
  task_subject: string;
  task_description?: string;
  teammate_name?: string;
  team_name?: string;
};

export type TaskCreatedHookInput = TaskEvent & { hook_event_name: 'TaskCreated' };

export type TaskCompletedHookInput = TaskEvent & { hook_event_name: 'TaskCompleted' };

type ElicitationEvent = BaseHookInput & { mcp_server_name: string; mode?: 'form' | 'url'; elicitation_id?: string };

/** An MCP server asks the user something. */
export type ElicitationHookInput = ElicitationEvent & {
  hook_event_name: 'Elicitation';
  message: string;
  url?: string;
  requested_schema?: Record<string, unknown>;
};

/** The user's answer, before the server gets it. */
export type ElicitationResultHookInput = ElicitationEvent & {
  hook_event_name: 'ElicitationResult';
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
};

export type ConfigChangeHookInput = BaseHookInput & {
  hook_event_name: 'ConfigChange';
  source: 'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings' | 'skills';
  file_path?: string;
};

export type InstructionsLoadedHookInput = BaseHookInput & {
  hook_event_name: 'InstructionsLoaded';
  file_path: string;
  memory_type: 'User' | 'Project' | 'Local' | 'Managed';
  load_reason: 'session_start' | 'nested_traversal' | 'path_glob_match' | 'include' | 'compact';
  globs?: string[];
  trigger_file_path?: string;
  parent_file_path?: string;
};

export type WorktreeCreateHookInput = BaseHookInput & { hook_event_name: 'WorktreeCreate'; name: string };

export type WorktreeRemoveHookInput = BaseHookInput & { hook_event_name: 'WorktreeRemove'; worktree_path: string };

export type CwdChangedHookInput = BaseHookInput & { hook_event_name: 'CwdChanged'; old_cwd: string; new_cwd: string };

export type FileChangedHookInput = BaseHookInput & {
  hook_event_name: 'FileChanged';
  file_path: string;
  event: 'change' | 'add' | 'unlink';
};

export type DirectoryAddedHookInput = BaseHookInput & {
  hook_event_name: 'DirectoryAdded';
  directory: string;
  source: 'slash_command' | 'register_repo_root';
};

/**
 * What a hook is called with: the CLI's object, unchanged. Discriminate by `hook_event_name`; events that this SDK does
 * not know come as `UnknownHookInput`.
 */
export type HookInput =
  | PreToolUseHookInput
  | PostToolUseHookInput
  | PostToolUseFailureHookInput
  | PostToolBatchHookInput
  | NotificationHookInput
  | UserPromptSubmitHookInput
  | UserPromptExpansionHookInput
  | SessionStartHookInput
  | SessionEndHookInput
  | StopHookInput
  | StopFailureHookInput
  | SubagentStartHookInput
  | SubagentStopHookInput
  | PreCompactHookInput
  | PostCompactHookInput
  | PreModelSwitchHookInput
  | PostModelSwitchHookInput
  | PermissionRequestHookInput
  | PermissionDeniedHookInput
  | SetupHookInput
  | TeammateIdleHookInput
  | TaskCreatedHookInput
  | TaskCompletedHookInput
  | ElicitationHookInput
  | ElicitationResultHookInput
  | ConfigChangeHookInput
  | WorktreeCreateHookInput
  | WorktreeRemoveHookInput
  | InstructionsLoadedHookInput
  | CwdChangedHookInput
  | FileChangedHookInput
  | DirectoryAddedHookInput
  | MessageDisplayHookInput;
