import type { UUID } from 'node:crypto';
import type { FrameIds } from './common.js';

/** A heartbeat every 30 s of a long tool call or of a hook without an answer. */
export interface SDKToolProgressMessage extends FrameIds {
  type: 'tool_progress';
  /** `<call id>-heartbeat-<n>` on a heartbeat: not the call's own id. */
  tool_use_id: string;
  tool_name: string;
  /** The call's own id on a heartbeat. */
  parent_tool_use_id: string | null;
  elapsed_time_seconds: number;
  heartbeat?: boolean;
  task_id?: string;
  subagent_type?: string;
  subagent_retry?: {
    agent_id: string;
    attempt: number;
    max_retries: number;
    retry_delay_ms: number;
    error_status: number | null;
    error_category: string;
  };
}

export interface SDKToolUseSummaryMessage extends FrameIds {
  type: 'tool_use_summary';
  summary: string;
  preceding_tool_use_ids: string[];
}

export interface SDKAuthStatusMessage extends FrameIds {
  type: 'auth_status';
  isAuthenticating: boolean;
  output: string[];
  error?: string;
}

export interface SDKRateLimitInfo {
  status: 'allowed' | 'allowed_warning' | 'rejected';
  /** Seconds since the epoch. */
  resetsAt?: number;
  rateLimitType?:
    | 'five_hour'
    | 'seven_day'
    | 'seven_day_opus'
    | 'seven_day_sonnet'
    | 'seven_day_overage_included'
    | 'overage';
  utilization?: number;
  overageStatus?: 'allowed' | 'allowed_warning' | 'rejected';
  overageResetsAt?: number;
  overageDisabledReason?: string;
  isUsingOverage?: boolean;
  overageInUse?: boolean;
  overageEnabled?: boolean;
  surpassedThreshold?: number;
}

/** The plan's limit changed state. Not sent for API keys. */
export interface SDKRateLimitEvent extends FrameIds {
  type: 'rate_limit_event';
  rate_limit_info: SDKRateLimitInfo;
}

/** What the person might ask next; after a result, when asked for. */
export interface SDKPromptSuggestionMessage extends FrameIds {
  type: 'prompt_suggestion';
  suggestion: string;
}

/** `/clear`: from here on frames carry another session id. */
export interface SDKConversationResetMessage extends FrameIds {
  type: 'conversation_reset';
  new_conversation_id: UUID;
  trigger?: 'clear' | 'plan_mode_exit' | 'fresh_session' | 'onboarding';
  user_message_uuid?: string;
  timestamp?: string;
}

/** The life of a user message that carried a `uuid`. Sent by the CLI; not in the official union. */
export interface SDKCommandLifecycleMessage extends FrameIds {
  type: 'command_lifecycle';
  command_uuid: string;
  state: 'queued' | 'started' | 'completed' | 'cancelled';
}
