import type { APIContentBlock, APIRefusalCategory } from './content-block.js';
import type { APIUsage } from './usage.js';

export type APIStopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'compaction'
  | 'refusal'
  | 'model_context_window_exceeded';

/** More about a refusal. */
export interface APIStopDetails {
  type: 'refusal';
  category: APIRefusalCategory | null;
  explanation: string | null;
  recommended_model: string | null;
  fallback_credit_token: string | null;
  fallback_has_prefill_claim: boolean | null;
}

/** The machine that the API's code tools ran on. */
export interface APIContainer {
  id: string;
  expires_at: string;
  skills: { type: 'anthropic' | 'custom'; skill_id: string; version: string }[] | null;
}

/** What the API took out of the conversation to save room. */
export interface APIContextManagement {
  applied_edits: (
    | {
        type: 'clear_tool_uses_20250919';
        cleared_input_tokens: number;
        cleared_tool_uses: number;
      }
    | {
        type: 'clear_thinking_20251015';
        cleared_input_tokens: number;
        cleared_thinking_turns: number;
      }
  )[];
}

/** Why the prompt cache did not serve. */
export interface APIDiagnostics {
  cache_miss_reason:
    | {
        type: 'model_changed' | 'system_changed' | 'tools_changed' | 'messages_changed';
        cache_missed_input_tokens: number;
      }
    | { type: 'previous_message_not_found' | 'unavailable' }
    | null;
}

/** What the API changed in the request before the model saw it. */
export interface APIInputTransformation {
  type: 'thinking_dropped' | 'thinking_mismatch_allowed';
  path: string;
  reason:
    | 'model_binding_mismatch'
    | 'prefix_binding_mismatch'
    | 'organization_binding_mismatch'
    | 'end_user_binding_mismatch';
}

/**
 * The `message` of an `assistant` frame: the API's own object, passed on. What stands in for the API (a gateway, an older release)
 * may leave fields out that came later, such as `container`, `diagnostics`, `stop_details` and parts of `usage`.
 */
export interface APIAssistantMessage {
  id: string;
  type: 'message';
  role: 'assistant';
  /** `<synthetic>` when the CLI wrote the message itself, such as an API error. */
  model: string;
  /** One block. The frames of one API message share `id`. */
  content: APIContentBlock[];
  /** `null` in every frame of a real API message: the reason is in the result. */
  stop_reason: APIStopReason | null;
  stop_sequence: string | null;
  stop_details: APIStopDetails | null;
  /** Not final: the final counts are in the result. */
  usage: APIUsage;
  container: APIContainer | null;
  context_management: APIContextManagement | null;
  diagnostics: APIDiagnostics | null;
  input_transformations?: APIInputTransformation[] | null;
}
