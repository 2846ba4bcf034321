import type { APITextCitation } from './citation.js';
import type {
  APIServerToolResultBlock,
  APIServerToolUseBlock,
  APIToolCaller,
} from './server-tool.js';
import type { APIToolChange } from './tool-definition.js';

/**
 * Blocks of a message of the model, exactly as they travel. Structural: what the Messages API and its client
 * libraries produce fits, and the other way round, without an import of one.
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

export type APIRefusalCategory =
  | 'cyber'
  | 'bio'
  | 'frontier_llm'
  | 'reasoning_extraction'
  | 'general_harms';

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
