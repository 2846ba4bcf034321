import type { APIServerToolResultBlock, APIServerToolUseBlock, APIToolCaller } from './api-server-tool.js';
import type { APITextCitation } from './api-source.js';
import type { APIToolChange } from './api-tool-definition.js';

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
    | { type: 'clear_tool_uses_20250919'; cleared_input_tokens: number; cleared_tool_uses: number }
    | { type: 'clear_thinking_20251015'; cleared_input_tokens: number; cleared_thinking_turns: number }
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

/**
 * Blocks of a message of the model, exactly as they travel. Structural: what the Messages API and its client libraries
 * produce fits, and the other way round, without an import of one.
 */

export interface APITextBlock {
  type: 'text';
  text: string;
  /** Absent in messages that the CLI writes itself. */
  citations: APITextCitation[] | null;
}

export interface APIThinkingBlock {
  type: 'thinking';
  thinking: string;
  signature: string;
}

export interface APIRedactedThinkingBlock {
  type: 'redacted_thinking';
  data: string;
}

export interface APIToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
  caller?: APIToolCaller;
  toolset_name?: string | null;
}

/** A call of a tool of an MCP server that the API itself reaches. */
export interface APIMCPToolUseBlock {
  type: 'mcp_tool_use';
  id: string;
  name: string;
  server_name: string;
  input: unknown;
}

export interface APIMCPToolResultBlock {
  type: 'mcp_tool_result';
  tool_use_id: string;
  is_error: boolean;
  content: string | APITextBlock[];
}

export interface APIMCPToolListingBlock {
  type: 'mcp_tool_listing';
  mcp_server_name: string;
  tools: { name: string; description?: string; input_schema: { [key: string]: unknown } }[];
}

export interface APIContainerUploadBlock {
  type: 'container_upload';
  file_id: string;
}

/** The API made the conversation shorter. */
export interface APICompactionBlock {
  type: 'compaction';
  content: string | null;
  encrypted_content: string | null;
  signature?: string | null;
  tool_changes?: APIToolChange[] | null;
}

export type APIRefusalCategory = 'cyber' | 'bio' | 'frontier_llm' | 'reasoning_extraction' | 'general_harms';

/** Another model took over in the middle of a message. */
export interface APIFallbackBlock {
  type: 'fallback';
  from: { model: string };
  to: { model: string };
  trigger: { type: 'refusal'; category: APIRefusalCategory | null };
}

/** A block of an assistant message. The CLI sends one block per `assistant` frame. */
export type APIContentBlock =
  | APITextBlock
  | APIThinkingBlock
  | APIRedactedThinkingBlock
  | APIToolUseBlock
  | APIServerToolUseBlock
  | APIServerToolResultBlock
  | APIMCPToolUseBlock
  | APIMCPToolResultBlock
  | APIMCPToolListingBlock
  | APIContainerUploadBlock
  | APICompactionBlock
  | APIFallbackBlock;

export interface APICacheCreation {
  ephemeral_1h_input_tokens: number;
  ephemeral_5m_input_tokens: number;
}

/** Whether a refused request's cost was credited to the model that took over. */
export interface APIFallbackCredit {
  status:
    | { type: 'redeemed' }
    | {
        type: 'not_applied';
        reason:
          | 'body_mismatch'
          | 'continuation_excluded'
          | 'continuation_only'
          | 'expired'
          | 'invalid_target_model'
          | 'not_enabled'
          | 'reprice_unavailable'
          | 'temporarily_unavailable'
          | 'variant_fields_present'
          | 'wrong_organization'
          | 'wrong_platform'
          | 'wrong_workspace';
        remove_to_redeem?: string[] | null;
      };
}

interface Iteration<Type extends string> {
  type: Type;
  input_tokens: number;
  output_tokens: number;
  cache_creation: APICacheCreation | null;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

/** One sampling of a model within a message. */
export type APIUsageIteration =
  | (Iteration<'message'> & { model: string | null })
  | Iteration<'compaction'>
  | (Iteration<'advisor_message'> & { model: string })
  | (Iteration<'fallback_message'> & { model: string });

/** Token counts of one API message. */
export interface APIUsage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  cache_creation: APICacheCreation | null;
  output_tokens_details: { thinking_tokens: number } | null;
  server_tool_use: { web_search_requests: number; web_fetch_requests: number } | null;
  service_tier: 'standard' | 'priority' | 'batch' | null;
  speed: 'standard' | 'fast' | null;
  /** Where the model ran. */
  inference_geo: string | null;
  iterations: APIUsageIteration[] | null;
  fallback_credit: APIFallbackCredit | null;
}

/** The running counts in a `message_delta` event. */
export type APIDeltaUsage = Pick<
  APIUsage,
  | 'output_tokens'
  | 'cache_creation_input_tokens'
  | 'cache_read_input_tokens'
  | 'output_tokens_details'
  | 'server_tool_use'
  | 'iterations'
  | 'fallback_credit'
> & { input_tokens: number | null };

export type APIContentBlockDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'input_json_delta'; partial_json: string }
  | { type: 'thinking_delta'; thinking: string; estimated_tokens: number | null }
  | { type: 'signature_delta'; signature: string }
  | { type: 'citations_delta'; citation: APITextCitation }
  | { type: 'compaction_delta'; content: string | null; encrypted_content: string | null };

/** A raw event of the Messages API stream, inside a `stream_event` frame. */
export type APIStreamEvent =
  | { type: 'message_start'; message: APIAssistantMessage }
  | { type: 'content_block_start'; index: number; content_block: APIContentBlock }
  | { type: 'content_block_delta'; index: number; delta: APIContentBlockDelta }
  | { type: 'content_block_stop'; index: number }
  | {
      type: 'message_delta';
      delta: {
        stop_reason: APIStopReason | null;
        stop_sequence: string | null;
        stop_details: APIStopDetails | null;
        container: APIContainer | null;
      };
      usage: APIDeltaUsage;
      context_management: APIContextManagement | null;
      input_transformations?: APIInputTransformation[] | null;
    }
  | { type: 'message_stop' };
