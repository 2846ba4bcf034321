import type { BaseHookInput } from './hook-inputs.js';

/** Inputs of the events around turns: the session, its model and settings, tasks, files, MCP questions. */

export interface SetupHookInput extends BaseHookInput {
  hook_event_name: 'Setup';
  trigger: 'init' | 'maintenance';
}

export interface SessionStartHookInput extends BaseHookInput {
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
}

export type ExitReason = 'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other';

export interface SessionEndHookInput extends BaseHookInput {
  hook_event_name: 'SessionEnd';
  reason: ExitReason;
}

export interface NotificationHookInput extends BaseHookInput {
  hook_event_name: 'Notification';
  message: string;
  title?: string;
  notification_type: string;
}

export interface PreCompactHookInput extends BaseHookInput {
  hook_event_name: 'PreCompact';
  trigger: 'manual' | 'auto';
  custom_instructions: string | null;
}

export interface PostCompactHookInput extends BaseHookInput {
  hook_event_name: 'PostCompact';
  trigger: 'manual' | 'auto';
  compact_summary: string;
}

interface ModelSwitch extends BaseHookInput {
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
}

export interface PreModelSwitchHookInput extends ModelSwitch {
  hook_event_name: 'PreModelSwitch';
  source: 'command' | 'picker' | 'sdk';
}

export interface PostModelSwitchHookInput extends ModelSwitch {
  hook_event_name: 'PostModelSwitch';
  source: 'command' | 'picker' | 'sdk' | 'auto' | 'resume';
}

export interface TeammateIdleHookInput extends BaseHookInput {
  hook_event_name: 'TeammateIdle';
  teammate_name: string;
  team_name: string;
}

interface TaskEvent extends BaseHookInput {
  task_id: string;
  task_subject: string;
  task_description?: string;
  teammate_name?: string;
  team_name?: string;
}

export interface TaskCreatedHookInput extends TaskEvent {
  hook_event_name: 'TaskCreated';
}

export interface TaskCompletedHookInput extends TaskEvent {
  hook_event_name: 'TaskCompleted';
}

/** An MCP server asks the user something. */
export interface ElicitationHookInput extends BaseHookInput {
  hook_event_name: 'Elicitation';
  mcp_server_name: string;
  message: string;
  mode?: 'form' | 'url';
  url?: string;
  elicitation_id?: string;
  requested_schema?: Record<string, unknown>;
}

/** The user's answer, before the server gets it. */
export interface ElicitationResultHookInput extends BaseHookInput {
  hook_event_name: 'ElicitationResult';
  mcp_server_name: string;
  elicitation_id?: string;
  mode?: 'form' | 'url';
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
}

export interface ConfigChangeHookInput extends BaseHookInput {
  hook_event_name: 'ConfigChange';
  source: 'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings' | 'skills';
  file_path?: string;
}

export interface InstructionsLoadedHookInput extends BaseHookInput {
  hook_event_name: 'InstructionsLoaded';
  file_path: string;
  memory_type: 'User' | 'Project' | 'Local' | 'Managed';
  load_reason: 'session_start' | 'nested_traversal' | 'path_glob_match' | 'include' | 'compact';
  globs?: string[];
  trigger_file_path?: string;
  parent_file_path?: string;
}

export interface WorktreeCreateHookInput extends BaseHookInput {
  hook_event_name: 'WorktreeCreate';
  name: string;
}

export interface WorktreeRemoveHookInput extends BaseHookInput {
  hook_event_name: 'WorktreeRemove';
  worktree_path: string;
}

export interface CwdChangedHookInput extends BaseHookInput {
  hook_event_name: 'CwdChanged';
  old_cwd: string;
  new_cwd: string;
}

export interface FileChangedHookInput extends BaseHookInput {
  hook_event_name: 'FileChanged';
  file_path: string;
  event: 'change' | 'add' | 'unlink';
}

export interface DirectoryAddedHookInput extends BaseHookInput {
  hook_event_name: 'DirectoryAdded';
  directory: string;
  source: 'slash_command' | 'register_repo_root';
}
