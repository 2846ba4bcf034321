import type { UUID } from 'node:crypto';
import type {
  AnsweredMessages,
  FrameIds,
  SDKAssistantMessageError,
  SDKMessageOrigin,
  SubagentFields,
} from './common.js';
import type { AssistantFrameMessage, FrameStreamEvent, UserFrameMessage } from './installed-api.js';
import type { ModelUsage } from './result.js';

/** One finished content block of the model. Frames of one API message share `message.id`. */
export type SDKAssistantMessage = FrameIds &
  AnsweredMessages &
  SubagentFields & {
    type: 'assistant';
    message: AssistantFrameMessage;
    /** The id of the Agent call when a subagent speaks. */
    parent_tool_use_id: string | null;
    /** Set on the synthetic message that reports an API failure. */
    error?: SDKAssistantMessageError;
    /** The text was cut off by an interrupt. */
    aborted?: true;
    /** The API's request id. */
    request_id?: string;
    timestamp?: string;
    /** Earlier frames that this one replaces. */
    supersedes?: UUID[];
    resume_reason?: string;
    resumed_from_incomplete_thinking?: true;
    context_usage?: SDKContextUsage;
    usage_report?: SDKUsageReport;
    /** Display names of the MCP tools called. */
    tool_use_meta?: { id: string; display_name: string; server_display_name: string; tool_name: string }[];
    is_api_error_message?: boolean;
    api_error_status?: number;
    api_error_type?: string;
    api_error?: string;
    /** What a local slash command printed, and how it ended. */
    local_command_source?: string;
    local_command_run?: { command: string; args: string };
    local_command_outcome?: { kind: string };
  };

/** A tool result, a text the CLI adds to the conversation, or, in the other direction, a prompt. */
export type SDKUserMessage = SubagentFields & {
  type: 'user';
  message: UserFrameMessage;
  parent_tool_use_id: string | null;
  /** Absent on a prompt that carries none. */
  uuid?: UUID;
  session_id?: string;
  /** Written by the CLI, not by a person. */
  isSynthetic?: boolean;
  /** The tool's structured result: an object, an array, or a string for a failure. */
  tool_use_result?: unknown;
  /** Who decided about each call, and why one did not run. */
  tool_result_meta?: {
    id: string;
    permission_decision?: { decision: 'accept' | 'reject'; source: string; reason_type?: string };
    non_execution_kind?: string;
    remedy?: { kind: string };
  }[];
  origin?: SDKMessageOrigin;
  priority?: 'now' | 'next' | 'later';
  /** On a prompt: `false` keeps the message for the next turn. */
  shouldQuery?: boolean;
  timestamp?: string;
  client_composed?: true;
  pasted_content?: UserFrameMessage['content'][];
  inline_pastes?: string[];
};

/** A user message that we sent, echoed. */
export type SDKUserMessageReplay = SDKUserMessage & {
  uuid: UUID;
  session_id: string;
  isReplay: true;
  file_attachments?: unknown[];
};

/** A raw API stream event. Only with `includePartialMessages`. */
export type SDKPartialAssistantMessage = FrameIds &
  AnsweredMessages & {
    type: 'stream_event';
    event: FrameStreamEvent;
    parent_tool_use_id: string | null;
    api_message_id?: string;
    /** Milliseconds to the first token, on `message_start`. */
    ttft_ms?: number;
    resume_reason?: string;
  };

export type SDKContextUsageCategory = { name: string; tokens: number; kind: 'used' | 'free' | 'buffer' | 'deferred' };

/** What fills the model's window: on the answer to `/context`. */
export type SDKContextUsage = {
  model: string;
  total_tokens: number;
  raw_max_tokens: number;
  percentage: number;
  over_limit?: { tokens_over: number; kind: 'hard_limit' | 'compaction_window' };
  categories: SDKContextUsageCategory[];
  mcp_tools: { name: string; server_name: string; tokens: number }[];
  memory_files: { path: string; type: string; tokens: number }[];
  agents: { agent_type: string; source: string; tokens: number }[];
  skills?: { name: string; source: string; plugin_name?: string; tokens: number }[];
};

/** Cost of the session and state of the plan's limits: on the answer to `/usage`. */
export type SDKUsageReport = {
  session: {
    total_cost_usd: number;
    total_api_duration_ms: number;
    total_duration_ms: number;
    total_lines_added: number;
    total_lines_removed: number;
    model_usage: Record<string, ModelUsage>;
  };
  rate_limits: {
    limits:
      | {
          kind: string;
          group: string;
          percent: number;
          resets_at: string | null;
          scope?: { model?: { display_name: string } | null; surface?: { display_name: string } | null } | null;
          severity: string;
          is_active: boolean;
        }[]
      | null;
    extra_usage?: {
      is_enabled: boolean;
      monthly_limit: number | null;
      used_credits: number | null;
      utilization: number | null;
      currency?: string | null;
    } | null;
  } | null;
};
