import type { UUID } from 'node:crypto';
import type { FrameIds } from './common.js';

/** A heartbeat every 30 s of a long tool call or of a hook without an answer. */
export type SDKToolProgressMessage = FrameIds & {
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
};

export type SDKToolUseSummaryMessage = FrameIds & {
  type: 'tool_use_summary';
  summary: string;
  preceding_tool_use_ids: string[];
};

export type SDKAuthStatusMessage = FrameIds & {
  type: 'auth_status';
  isAuthenticating: boolean;
  output: string[];
  error?: string;
};

export type SDKRateLimitInfo = {
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
  overageDisabledReason?:
    | 'overage_not_provisioned'
    | 'org_level_disabled'
    | 'org_level_disabled_until'
    | 'org_service_level_disabled'
    | 'out_of_credits'
    | 'seat_tier_level_disabled'
    | 'seat_tier_zero_credit_limit'
    | 'member_level_disabled'
    | 'member_zero_credit_limit'
    | 'group_zero_credit_limit'
    | 'no_limits_configured'
    | 'fetch_error'
    | 'unknown';
  isUsingOverage?: boolean;
  overageInUse?: boolean;
  overageEnabled?: boolean;
  surpassedThreshold?: number;
  /** What the limit applies to. */
  limitScope?: 'service' | 'channel' | 'group_pool';
  errorCode?: 'credits_required';
  canUserPurchaseCredits?: boolean;
  hasChargeableSavedPaymentMethod?: boolean;
};

/** The plan's limit changed state. Not sent for API keys. */
export type SDKRateLimitEvent = FrameIds & { type: 'rate_limit_event'; rate_limit_info: SDKRateLimitInfo };

/** What the person might ask next; after a result, when asked for. */
export type SDKPromptSuggestionMessage = FrameIds & { type: 'prompt_suggestion'; suggestion: string };

/** `/clear`: from here on frames carry another session id. */
export type SDKConversationResetMessage = FrameIds & {
  type: 'conversation_reset';
  new_conversation_id: UUID;
  trigger?: 'clear' | 'plan_mode_exit' | 'fresh_session' | 'onboarding';
  user_message_uuid?: string;
  timestamp?: string;
};

/** The life of a user message that carried a `uuid`. Sent by the CLI; not in the official union. */
export type SDKCommandLifecycleMessage = FrameIds & {
  type: 'command_lifecycle';
  command_uuid: string;
  state: 'queued' | 'started' | 'completed' | 'cancelled';
};

/** The goal that the session works towards, or `null` when there is none. Reaches transports; not in the official union. */
export type SDKActiveGoalMessage = FrameIds & {
  type: 'active_goal';
  value: {
    condition: string;
    iterations: number;
    /** Milliseconds since the epoch. */
    set_at: number;
    tokens_at_start: number;
    last_reason?: string;
  } | null;
};
