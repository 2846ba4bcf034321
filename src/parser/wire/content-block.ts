/**
 * Content blocks exactly as they travel. Structural: these shapes accept what the Messages API
 * and its client libraries produce, without importing one.
 */

export interface APITextBlock {
  type: 'text';
  text: string;
  citations?: unknown[] | null;
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
}

/** A tool call that ran on the API's side. */
export interface APIServerToolUseBlock {
  type: 'server_tool_use' | 'mcp_tool_use';
  id: string;
  name: string;
  input: unknown;
  server_name?: string;
}

/** What a tool on the API's side returned. */
export interface APIServerToolResultBlock {
  type:
    | 'advisor_tool_result'
    | 'web_search_tool_result'
    | 'web_fetch_tool_result'
    | 'code_execution_tool_result'
    | 'bash_code_execution_tool_result'
    | 'text_editor_code_execution_tool_result'
    | 'tool_search_tool_result'
    | 'mcp_tool_result';
  tool_use_id: string;
  content: unknown;
  is_error?: boolean;
}

export interface APIContainerUploadBlock {
  type: 'container_upload';
  file_id: string;
}

/** Blocks that tell about the API's own work; the CLI passes them on. */
export interface APIInfoBlock {
  type: 'compaction' | 'fallback' | 'mcp_tool_listing';
}

/** A block of an assistant message. The CLI sends one block per `assistant` frame. */
export type APIContentBlock =
  | APITextBlock
  | APIThinkingBlock
  | APIRedactedThinkingBlock
  | APIToolUseBlock
  | APIServerToolUseBlock
  | APIServerToolResultBlock
  | APIContainerUploadBlock
  | APIInfoBlock;

export interface APIToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | APIContentBlockParam[];
  is_error?: boolean;
}

export interface APIImageBlock {
  type: 'image';
  source:
    | { type: 'base64'; media_type: string; data: string }
    | { type: 'url'; url: string }
    | { type: 'file'; file_id: string };
}

export interface APIDocumentBlock {
  type: 'document';
  source: { type: string };
  title?: string | null;
  context?: string | null;
}

export interface APISearchResultBlock {
  type: 'search_result';
  source: string;
  title: string;
  content: APITextBlock[];
}

export interface APIToolReferenceBlock {
  type: 'tool_reference';
  tool_name: string;
}

export interface APIBrowserStateBlock {
  type: 'browser_state';
  tabs: unknown[];
}

/** A block of a user message: what a prompt may hold, and what the CLI adds to the conversation. */
export type APIContentBlockParam =
  | APIContentBlock
  | APIToolResultBlock
  | APIImageBlock
  | APIDocumentBlock
  | APISearchResultBlock
  | APIToolReferenceBlock
  | APIBrowserStateBlock;
