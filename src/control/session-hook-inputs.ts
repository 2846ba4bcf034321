import type { BaseHookInput } from './hook-inputs.js';

/** Inputs of the events around turns: the session, its model and settings, tasks, files, MCP questions. */

export type SetupHookInput = BaseHookInput & {
  hook_event_name: 'Setup';
  trigger: 'init' | 'maintenance';
};

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

export type SessionEndHookInput = BaseHookInput & {
  hook_event_name: 'SessionEnd';
  reason: ExitReason;
};

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

export type TaskCreatedHookInput = TaskEvent & {
  hook_event_name: 'TaskCreated';
};

export type TaskCompletedHookInput = TaskEvent & {
  hook_event_name: 'TaskCompleted';
};

/** An MCP server asks the user something. */
export type ElicitationHookInput = BaseHookInput & {
  hook_event_name: 'Elicitation';
  mcp_server_name: string;
  message: string;
  mode?: 'form' | 'url';
  url?: string;
  elicitation_id?: string;
  requested_schema?: Record<string, unknown>;
};

/** The user's answer, before the server gets it. */
export type ElicitationResultHookInput = BaseHookInput & {
  hook_event_name: 'ElicitationResult';
  mcp_server_name: string;
  elicitation_id?: string;
  mode?: 'form' | 'url';
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

export type WorktreeCreateHookInput = BaseHookInput & {
  hook_event_name: 'WorktreeCreate';
  name: string;
};

export type WorktreeRemoveHookInput = BaseHookInput & {
  hook_event_name: 'WorktreeRemove';
  worktree_path: string;
};

export type CwdChangedHookInput = BaseHookInput & {
  hook_event_name: 'CwdChanged';
  old_cwd: string;
  new_cwd: string;
};

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
