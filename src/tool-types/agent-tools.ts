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
  cache_creation: {
    ephemeral_1h_input_tokens: number;
    ephemeral_5m_input_tokens: number;
  } | null;
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
