import type { EffortWord } from './common.js';

/** Agent and Workflow. */

export type AgentInput = {
  /** Three to five words. */
  description: string;
  prompt: string;
  subagent_type?: string;
  model?: 'sonnet' | 'opus' | 'haiku' | 'fable';
  effort?: EffortWord;
  run_in_background?: boolean;
  name?: string;
  team_name?: string;
  mode?: 'acceptEdits' | 'auto' | 'bypassPermissions' | 'default' | 'dontAsk' | 'plan';
  /** A working tree of its own, or another machine. */
  isolation?: 'worktree' | 'remote';
};

type AgentUsage = {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  cache_creation: { ephemeral_1h_input_tokens: number; ephemeral_5m_input_tokens: number } | null;
  server_tool_use: { web_search_requests: number; web_fetch_requests: number } | null;
  service_tier: string | null;
  inference_geo?: string | null;
  speed?: string | null;
  iterations?: unknown;
  output_tokens_details?: { thinking_tokens?: number | null } | null;
  fallback_credit?: unknown;
};

/** Told apart by `status`: the agent has ended, or goes on in the background or on another machine. */
export type AgentOutput =
  | {
      status: 'completed';
      agentId: string;
      agentType?: string;
      prompt: string;
      content: { type: 'text'; text: string; citations?: unknown[] | null }[];
      resolvedModel?: string;
      modelsUsed?: string[];
      totalToolUseCount: number;
      totalDurationMs: number;
      totalTokens: number;
      usage: AgentUsage;
      toolsUsed?: string[];
      toolStats?: {
        readCount: number;
        searchCount: number;
        bashCount: number;
        editFileCount: number;
        linesAdded: number;
        linesRemoved: number;
        otherToolCount: number;
        frameCount?: number;
      };
      worktreePath?: string;
      worktreeBranch?: string;
    }
  | {
      status: 'async_launched';
      isAsync?: true;
      agentId: string;
      description: string;
      prompt: string;
      resolvedModel?: string;
      modelsUsed?: string[];
      /** A file that shows how far it is. */
      outputFile: string;
      canReadOutputFile?: boolean;
    }
  | {
      status: 'remote_launched';
      taskId: string;
      sessionUrl: string;
      description: string;
      prompt: string;
      outputFile: string;
    };

/** A script that runs agents: inline, by name or by path. */
export type WorkflowInput = {
  script?: string;
  name?: string;
  scriptPath?: string;
  description?: string;
  title?: string;
  args?: { [name: string]: unknown };
  resumeFromRunId?: string;
};

export type WorkflowOutput = {
  status: 'async_launched' | 'remote_launched';
  taskId: string;
  taskType?: 'local_workflow' | 'remote_agent';
  workflowName?: string;
  runId?: string;
  summary?: string;
  transcriptDir?: string;
  scriptPath?: string;
  sessionUrl?: string;
  warning?: string;
  error?: string;
};

/** The to-do list (TodoWrite), the task list (TaskCreate, TaskGet, TaskUpdate, TaskList), and TaskStop. */

type TaskStatus = 'pending' | 'in_progress' | 'completed';

type Todo = {
  content: string;
  status: TaskStatus;
  /** While it is worked on: `Running tests`. */
  activeForm: string;
};

export type TodoWriteInput = { todos: Todo[] };

export type TodoWriteOutput = { oldTodos: Todo[]; newTodos: Todo[] };

export type TaskCreateInput = {
  subject: string;
  description: string;
  activeForm?: string;
  metadata?: { [key: string]: unknown };
};

export type TaskCreateOutput = { task: { id: string; subject: string; description?: string } };

export type TaskGetInput = { taskId: string };

export type TaskGetOutput = {
  /** `null`: no task of this id. */
  task: {
    id: string;
    subject: string;
    description: string;
    status: TaskStatus;
    blocks: string[];
    blockedBy: string[];
  } | null;
};

export type TaskUpdateInput = {
  taskId: string;
  subject?: string;
  description?: string;
  activeForm?: string;
  status?: TaskStatus | 'deleted';
  /** Ids of tasks that wait for this one. */
  addBlocks?: string[];
  /** Ids of tasks that this one waits for. */
  addBlockedBy?: string[];
  owner?: string;
  /** Merged; `null` removes a key. */
  metadata?: { [key: string]: unknown };
};

export type TaskUpdateOutput = {
  success: boolean;
  taskId: string;
  updatedFields: string[];
  error?: string;
  statusChange?: { from: string; to: string };
};

// biome-ignore lint/suspicious/noEmptyInterface: the tool takes nothing
export interface TaskListInput {}

export type TaskListOutput = {
  tasks: { id: string; subject: string; status: TaskStatus; owner?: string; blockedBy: string[] }[];
};

/** Stops a background task. */
export type TaskStopInput = {
  task_id?: string;
  /** @deprecated Use `task_id`. */
  shell_id?: string;
};

export type TaskStopOutput = { message: string; task_id: string; task_type: string; command?: string };

/** What runs later: cron jobs, wake-ups, triggers in the cloud. Points in time are milliseconds since the epoch. */

export type CronCreateInput = {
  /** Five fields, in local time. */
  cron: string;
  prompt: string;
  /** `false`: once. */
  recurring?: boolean;
  /** Outlives the session. */
  durable?: boolean;
};

export type CronCreateOutput = {
  id: string;
  humanSchedule: string;
  recurring: boolean;
  durable?: boolean;
  nextFireAt?: number;
  maxAgeMs?: number;
  otherOneShots?: { id: string; humanSchedule: string; prompt: string }[];
};

export type CronDeleteInput = { id: string };

export type CronDeleteOutput = { id: string; endedLoopWakeup?: true };

// biome-ignore lint/suspicious/noEmptyInterface: the tool takes nothing
export interface CronListInput {}

export type CronListOutput = {
  jobs: {
    id: string;
    cron: string;
    humanSchedule: string;
    prompt: string;
    recurring?: boolean;
    durable?: boolean;
    nextFireAt?: number;
  }[];
};

export type ScheduleWakeupInput = {
  delaySeconds?: number;
  reason?: string;
  prompt?: string;
  stop?: boolean;
  noop?: boolean;
};

export type ScheduleWakeupOutput = {
  scheduledFor: number;
  clampedDelaySeconds: number;
  wasClamped: boolean;
  stopped?: boolean;
  cancelledWakeups?: number;
};

export type RemoteTriggerInput = {
  action: 'list' | 'get' | 'create' | 'update' | 'run' | 'create_webhook_trigger' | 'list_runs' | 'get_run_log';
  trigger_id?: string;
  session_id?: string;
  cursor?: string;
  body?: { [key: string]: unknown };
};

export type RemoteTriggerOutput = {
  /** HTTP status. */
  status: number;
  json: string;
  summary?: string;
};

/** Plan mode and working trees. */

// biome-ignore lint/suspicious/noEmptyInterface: the tool takes nothing
export interface EnterPlanModeInput {}

export type EnterPlanModeOutput = { message: string };

export type ExitPlanModeInput = {
  /** Kinds of commands that the plan needs. */
  allowedPrompts?: { tool: 'Bash'; prompt: string }[];
  [key: string]: unknown;
};

export type ExitPlanModeOutput = {
  plan: string | null;
  isAgent: boolean;
  filePath?: string;
  hasTaskTool?: boolean;
  planWasEdited?: boolean;
  awaitingLeaderApproval?: boolean;
  requestId?: string;
};

export type EnterWorktreeInput = { name?: string; path?: string };

export type EnterWorktreeOutput = { worktreePath: string; worktreeBranch?: string; message: string };

export type ExitWorktreeInput = { action: 'keep' | 'remove'; discard_changes?: boolean };

export type ExitWorktreeOutput = {
  action: 'keep' | 'remove';
  originalCwd: string;
  worktreePath: string;
  worktreeBranch?: string;
  tmuxSessionName?: string;
  discardedFiles?: number;
  discardedCommits?: number;
  message: string;
};

/** AskUserQuestion. */

type QuestionOption = { label: string; description: string; preview?: string };

type TwoToFour<T> = [T, T] | [T, T, T] | [T, T, T, T];

type Question = {
  question: string;
  /** A word or two, shown above it. */
  header: string;
  options: TwoToFour<QuestionOption>;
  multiSelect: boolean;
};

type Annotation = {
  /** Of the option that was chosen. */
  preview?: string;
  notes?: string;
};

export type AskUserQuestionInput = {
  questions: [Question] | TwoToFour<Question>;
  /** By question; several labels are joined by commas. A permission callback answers by giving them. */
  answers?: { [question: string]: string };
  annotations?: { [question: string]: Annotation };
  metadata?: { source?: string };
};

export type AskUserQuestionOutput = {
  questions: Question[];
  answers: { [question: string]: string };
  /** What the user said instead of choosing. */
  response?: string;
  annotations?: { [question: string]: Annotation & { unanswered?: 'skipped' | 'replied_in_chat' | 'dismissed' } };
  /** The user was away for so long. */
  afkTimeoutMs?: number;
};
