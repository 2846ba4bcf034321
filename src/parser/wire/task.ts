import type { FrameIds } from './common.js';

/** Work of a subagent so far. */
export type TaskUsage = {
  total_tokens: number;
  tool_uses: number;
  duration_ms: number;
};

type TaskFields = FrameIds & {
  type: 'system';
  task_id: string;
  run_id?: string;
  /** The tool call that started the task. */
  tool_use_id?: string;
};

/** A subagent, or a command that runs longer than three seconds or in the background. */
export type SDKTaskStartedMessage = TaskFields & {
  subtype: 'task_started';
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
export type SDKTaskProgressMessage = TaskFields & {
  subtype: 'task_progress';
  description: string;
  usage: TaskUsage;
  subagent_type?: string;
  last_tool_name?: string;
  summary?: string;
};

/** Fields of the task that changed. */
export type SDKTaskUpdatedMessage = FrameIds & {
  type: 'system';
  subtype: 'task_updated';
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
export type SDKTaskNotificationMessage = TaskFields & {
  subtype: 'task_notification';
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
export type SDKBackgroundTasksChangedMessage = FrameIds & {
  type: 'system';
  subtype: 'background_tasks_changed';
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
