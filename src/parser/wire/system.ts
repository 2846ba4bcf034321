import type { UUID } from 'node:crypto';
import type {
  ApiKeySource,
  FastModeDisabledReason,
  FastModeState,
  FrameIds,
  SDKAssistantMessageError,
  WirePermissionMode,
} from './common.js';

type SystemFrame<Subtype extends string> = FrameIds & { type: 'system'; subtype: Subtype };

/** Opens every turn; it is not a greeting. */
export type SDKSystemMessage = SystemFrame<'init'> & {
  cwd: string;
  /** Built-in tools and those of MCP servers. `StructuredOutput` is among them when a schema was given. */
  tools: string[];
  mcp_servers: { name: string; status: string; source?: string }[];
  model: string;
  permissionMode: WirePermissionMode;
  slash_commands: string[];
  terminal_slash_commands?: string[];
  apiKeySource: ApiKeySource;
  claude_code_version: string;
  output_style: string;
  agents?: string[];
  skills: string[];
  plugins: { name: string; path: string; source?: string; version?: string }[];
  plugin_errors?: {
    plugin: string;
    type: string;
    message: string;
    path?: string;
    /** A policy keeps the plugin as it is. */
    managed_lock?: { plugin_enabled: boolean; name: string; marketplace?: string };
  }[];
  betas?: string[];
  capabilities?: string[];
  fast_mode_state?: FastModeState;
  fast_mode_disabled_reason?: FastModeDisabledReason;
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null;
  view_mode?: 'focus' | 'default';
  original_cwd?: string;
  additional_directories?: string[];
  user_message_uuids?: string[];
};

export type SDKStatus = 'compacting' | 'requesting' | null;

/** `requesting` before each API call with partial messages; `null` after a mode change or a compaction. */
export type SDKStatusMessage = SystemFrame<'status'> & {
  status: SDKStatus;
  permissionMode?: WirePermissionMode;
  compact_result?: 'success' | 'failed';
  compact_error?: string;
  compact_output_chars?: number;
  user_message_uuids?: string[];
};

/** The conversation before this point was replaced by a summary. */
export type SDKCompactBoundaryMessage = SystemFrame<'compact_boundary'> & {
  compact_metadata: {
    trigger: 'manual' | 'auto';
    pre_tokens: number;
    post_tokens?: number;
    cumulative_dropped_tokens?: number;
    duration_ms?: number;
    preserved_segment?: { head_uuid: UUID; anchor_uuid: UUID; tail_uuid: UUID };
    preserved_messages?: { anchor_uuid: UUID; uuids: UUID[] };
  };
  logical_parent_uuid?: string;
};

/** Before each wait for another try at the API. */
export type SDKAPIRetryMessage = SystemFrame<'api_retry'> & {
  /** From 1. */
  attempt: number;
  max_retries: number;
  retry_delay_ms: number;
  /** `null` when no HTTP answer came. */
  error_status: number | null;
  error: SDKAssistantMessageError;
  no_response?: { waited_ms: number; retry_wait_ms: number };
};

/** While a thinking block streams, also without partial messages. */
export type SDKThinkingTokensMessage = SystemFrame<'thinking_tokens'> & {
  estimated_tokens: number;
  estimated_tokens_delta: number;
  user_message_uuid?: string;
};

/** Only with `CLAUDE_CODE_SDK_READS_SESSION_STATE=1`. */
export type SDKSessionStateChangedMessage = SystemFrame<'session_state_changed'> & {
  state: 'idle' | 'running' | 'requires_action';
  /** Meant for the SDK alone: `query()` does not yield it. */
  sdk_host_only?: boolean;
};

/** A call was denied without a question. */
export type SDKPermissionDeniedMessage = SystemFrame<'permission_denied'> & {
  tool_name: string;
  tool_use_id: string;
  message: string;
  agent_id?: string;
  decision_reason_type?: string;
  decision_reason?: string;
  decision_reason_code?: string;
};

/** A text for the person: of a hook, of a refusal, of a failed hook callback. */
export type SDKInformationalMessage = SystemFrame<'informational'> & {
  content: string;
  level: 'info' | 'notice' | 'suggestion' | 'warning';
  tool_use_id?: string;
  /** The turn ends here. */
  prevent_continuation?: boolean;
  /** `hook_callback_failed` when a hook callback gave an error or a bad answer. */
  tag?: string;
  prompt_submit_outcome?: { kind: string; prompt_kept?: boolean; reason?: string };
};

export type SDKNotificationMessage = SystemFrame<'notification'> & {
  key: string;
  text: string;
  priority: 'low' | 'medium' | 'high' | 'immediate';
  color?: string;
  timeout_ms?: number;
};

/** Output of a slash command that the CLI ran itself. */
export type SDKLocalCommandOutputMessage = SystemFrame<'local_command_output'> & { content: string };

export type SDKCommandsChangedMessage = SystemFrame<'commands_changed'> & {
  commands: { name: string; description: string; argumentHint: string; aliases?: string[]; builtin?: boolean }[];
};

/** The CLI is working on a slow control request that we sent. */
export type SDKControlRequestProgressMessage = SystemFrame<'control_request_progress'> & {
  request_id: string;
  status: 'started' | 'api_retry';
  attempt?: number;
  max_retries?: number;
  retry_delay_ms?: number;
  error_status?: number | null;
};

/** The model refused and another one took over. */
export type SDKModelRefusalFallbackMessage = SystemFrame<'model_refusal_fallback'> & {
  trigger: 'refusal';
  direction: 'retry' | 'revert' | 'sticky';
  scope?: 'session' | 'local';
  original_model: string;
  fallback_model: string;
  request_id: string | null;
  api_refusal_category?: string | null;
  api_refusal_explanation?: string | null;
  retracted_message_uuids?: string[];
  refused_user_message_uuid?: string | null;
  content: string;
};

/** The model refused and no other one could take over. */
export type SDKModelRefusalNoFallbackMessage = SystemFrame<'model_refusal_no_fallback'> & {
  original_model: string;
  request_id: string | null;
  api_refusal_category?: string | null;
  api_refusal_explanation?: string | null;
  refused_user_message_uuid?: string | null;
  content: string;
};

export type SDKPluginInstallMessage = SystemFrame<'plugin_install'> & {
  status: 'started' | 'installed' | 'failed' | 'completed';
  name?: string;
  error?: string;
};

export type SDKFilesPersistedEvent = SystemFrame<'files_persisted'> & {
  files: { filename: string; file_id: string }[];
  failed: { filename: string; error: string }[];
  processed_at: string;
};

export type SDKMemoryRecallMessage = SystemFrame<'memory_recall'> & {
  mode: 'select' | 'synthesize';
  memories: { path: string; scope: 'personal' | 'team' | 'organization'; content?: string }[];
};

export type SDKElicitationCompleteMessage = SystemFrame<'elicitation_complete'> & {
  mcp_server_name: string;
  elicitation_id: string;
};

/** Written by the SDK, not by the CLI: a session store did not take a batch. */
export type SDKMirrorErrorMessage = SystemFrame<'mirror_error'> & {
  error: string;
  key: { projectKey: string; sessionId: string; subpath?: string };
};

/** The disk is full: parts of the session could not be saved. */
export type SDKSessionWritesLostMessage = SystemFrame<'session_writes_lost'> & {
  error_code: 'ENOSPC' | 'EDQUOT';
  lost: ('transcript' | 'global_config')[];
  transcript_session_ids?: string[];
};

export type SDKWorkerShuttingDownMessage = SystemFrame<'worker_shutting_down'> & { reason: string };

/** `--fallback-model` took over. Sent by the CLI; not in the official union. */
export type SDKModelFallbackMessage = SystemFrame<'model_fallback'> & {
  trigger: string;
  original_model: string;
  fallback_model: string;
  content: string;
};

/** The session has a new title. Sent by the CLI; not in the official union. */
export type SDKSessionTitleChangedMessage = SystemFrame<'session_title_changed'> & { title: string };

type HookFrame<Subtype extends string> = SystemFrame<Subtype> & {
  hook_id: string;
  hook_name: string;
  hook_event: string;
};

/** A command hook from the settings started. Never sent for callbacks of the SDK. */
export type SDKHookStartedMessage = HookFrame<'hook_started'>;

export type SDKHookProgressMessage = HookFrame<'hook_progress'> & { stdout: string; stderr: string; output: string };

export type SDKHookResponseMessage = HookFrame<'hook_response'> & {
  output: string;
  stdout: string;
  stderr: string;
  exit_code?: number;
  outcome: 'success' | 'error' | 'cancelled';
};

/** Work of a subagent so far. */
export type TaskUsage = { total_tokens: number; tool_uses: number; duration_ms: number };

type TaskFrame<Subtype extends string> = SystemFrame<Subtype> & {
  task_id: string;
  run_id?: string;
  /** The tool call that started the task. */
  tool_use_id?: string;
};

/** A subagent, or a command that runs longer than three seconds or in the background. */
export type SDKTaskStartedMessage = TaskFrame<'task_started'> & {
  description: string;
  is_backgrounded?: boolean;
  task_type?: string;
  subagent_type?: string;
  spawn_depth?: number;
  parent_task_id?: string;
  workflow_name?: string;
  prompt?: string;
  skip_transcript?: boolean;
  ambient?: boolean;
};

/** At each tool call of a subagent. */
export type SDKTaskProgressMessage = TaskFrame<'task_progress'> & {
  description: string;
  usage: TaskUsage;
  subagent_type?: string;
  last_tool_name?: string;
  summary?: string;
};

/** Fields of the task that changed. */
export type SDKTaskUpdatedMessage = SystemFrame<'task_updated'> & {
  task_id: string;
  run_id?: string;
  patch: {
    status?: 'pending' | 'running' | 'completed' | 'failed' | 'killed' | 'paused';
    description?: string;
    /** Milliseconds since the epoch. */
    end_time?: number;
    total_paused_ms?: number;
    error?: string;
    is_backgrounded?: boolean;
  };
};

/** A resource of an MCP server that a task points to. */
export type SDKMcpResourceLink = {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** Bytes. */
  size?: number;
  annotations?: Record<string, unknown>;
};

/** The task is over. In the background it starts a turn of its own. */
export type SDKTaskNotificationMessage = TaskFrame<'task_notification'> & {
  status: 'completed' | 'failed' | 'stopped';
  output_file: string;
  summary: string;
  summary_is_report?: boolean;
  usage?: TaskUsage;
  reason?: 'worker_restart';
  resource_links?: SDKMcpResourceLink[];
  skip_transcript?: boolean;
  ambient?: boolean;
};

/** The whole list of background tasks, at each change. */
export type SDKBackgroundTasksChangedMessage = SystemFrame<'background_tasks_changed'> & {
  tasks: {
    task_id: string;
    run_id?: string;
    task_type: string;
    description: string;
    subagent_type?: string;
    parent_task_id?: string;
    ambient?: boolean;
  }[];
};
