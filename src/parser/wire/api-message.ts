import type { APIContentBlock, APIContentBlockParam } from './content-block.js';

/** Token counts of one API message, or of one turn in a result. */
export interface APIUsage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  cache_creation?: {
    ephemeral_1h_input_tokens: number;
    ephemeral_5m_input_tokens: number;
  } | null;
  server_tool_use?: { web_search_requests: number; web_fetch_requests?: number } | null;
  service_tier?: string | null;
}

/** The same in a result, where the counts are always numbers. */
export interface NonNullableUsage extends APIUsage {
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

/** The `message` of an `assistant` frame. */
export interface APIAssistantMessage {
  id: string;
  type: 'message';
  role: 'assistant';
  /** `<synthetic>` when the CLI wrote the message itself, such as an API error. */
  model: string;
  /** One block. The frames of one API message share `id`. */
  content: APIContentBlock[];
  /** `null` in every frame of a real API message: the reason is in the result. */
  stop_reason: string | null;
  stop_sequence: string | null;
  /** Not final: the final counts are in the result. */
  usage: APIUsage;
}

/** The `message` of a `user` frame, in both directions. */
export interface APIUserMessage {
  /** The CLI takes `user` only: any other role in a prompt ends the process. */
  role: 'user' | 'assistant' | 'system';
  content: string | APIContentBlockParam[];
}

export type APIContentBlockDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'input_json_delta'; partial_json: string }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'citations_delta'; citation: unknown }
  | { type: 'compaction_delta'; content: string | null };

/** A raw event of the Messages API stream, inside a `stream_event` frame. */
export type APIStreamEvent =
  | { type: 'message_start'; message: APIAssistantMessage }
  | { type: 'content_block_start'; index: number; content_block: APIContentBlock }
  | { type: 'content_block_delta'; index: number; delta: APIContentBlockDelta }
  | { type: 'content_block_stop'; index: number }
  | {
      type: 'message_delta';
      delta: { stop_reason: string | null; stop_sequence: string | null };
      usage: { output_tokens: number };
    }
  | { type: 'message_stop' };
