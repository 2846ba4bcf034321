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

/** Token counts of a turn, in a result: numbers throughout. Older releases leave later fields out. */
export type NonNullableUsage = {
  [Field in keyof APIUsage]: Field extends 'fallback_credit'
    ? APIUsage[Field]
    : NonNullable<APIUsage[Field]>;
};

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
