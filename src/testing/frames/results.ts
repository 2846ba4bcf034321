import type { SDKResultError, SDKResultMessage, SDKResultSuccess } from '../../index.js';
import type { FrameSession } from './session.js';

type Over<T> = Partial<Omit<T, 'type' | 'subtype'>>;

/** How a turn ends. */
export interface ResultFrames {
  /**
   * `modelUsage` says of the session's model what `usage` and `total_cost_usd` say, unless it is given.
   *
   * @param text - @defaultValue the text that the model said last
   */
  result(text?: string, over?: Over<SDKResultSuccess>): SDKResultSuccess;
  /** @param errors - @defaultValue one that names the subtype */
  errorResult(
    subtype: SDKResultError['subtype'],
    errors?: readonly string[],
    over?: Over<SDKResultError>,
  ): SDKResultError;
}

export function resultFrames(session: FrameSession): ResultFrames {
  const common = (): Omit<
    SDKResultMessage,
    'subtype' | 'result' | 'errors' | 'is_error' | 'modelUsage'
  > => ({
    type: 'result',
    duration_ms: 20,
    duration_api_ms: 10,
    num_turns: 1,
    stop_reason: 'end_turn',
    total_cost_usd: 0.001,
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
      output_tokens_details: { thinking_tokens: 0 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: 'standard',
      speed: 'standard',
      inference_geo: '',
      iterations: [],
      fallback_credit: null,
    },
    permission_denials: [],
    terminal_reason: 'completed',
    ...session.ids(),
  });
  /** What `usage` and `total_cost_usd` say, of the session's model: where there is a table, it is what counts. */
  const withModels = <T extends Pick<SDKResultMessage, 'usage' | 'total_cost_usd'>>(frame: T) => ({
    modelUsage: {
      [session.model]: {
        inputTokens: frame.usage?.input_tokens ?? 0,
        outputTokens: frame.usage?.output_tokens ?? 0,
        cacheReadInputTokens: frame.usage?.cache_read_input_tokens ?? 0,
        cacheCreationInputTokens: frame.usage?.cache_creation_input_tokens ?? 0,
        webSearchRequests: frame.usage?.server_tool_use?.web_search_requests ?? 0,
        costUSD: frame.total_cost_usd,
        contextWindow: 200_000,
        maxOutputTokens: 32_000,
      },
    },
    ...frame,
  });
  return {
    result: (text = session.lastText, over = {}) =>
      withModels({
        ...common(),
        subtype: 'success',
        is_error: false,
        api_error_status: null,
        result: text,
        ...over,
      }),
    errorResult: (subtype, errors = [`The turn failed: ${subtype}`], over = {}) =>
      withModels({
        ...common(),
        subtype,
        is_error: true,
        stop_reason: null,
        errors: [...errors],
        ...over,
      }),
  };
}
