import type { APIRedactedThinkingBlock, APIThinkingBlock, APIToolUseBlock } from './api-message.js';
import type {
  APIServerToolName,
  APIToolCaller,
  BashCodeExecutionError,
  BashRun,
  CodeExecutionError,
  CodeRun,
  EncryptedCodeRun,
  FileWritten,
  TextEditorError,
  ToolSearchError,
  WebFetchError,
  WebSearchError,
} from './api-server-tool.js';
import type {
  APIBase64ImageSource,
  APIBase64PDFSource,
  APIFileSource,
  APIPlainTextSource,
  APITextCitationParam,
  APIURLSource,
} from './api-source.js';
import type { APICacheControl } from './api-tool-definition.js';

/** Blocks of a user message: what a prompt may hold, and what the CLI adds to the conversation. */

interface Cacheable {
  cache_control?: APICacheControl | null;
}

export interface APITextBlockParam extends Cacheable {
  type: 'text';
  text: string;
  citations?: APITextCitationParam[] | null;
}

export interface APIImageBlock extends Cacheable {
  type: 'image';
  source: APIBase64ImageSource | APIURLSource | APIFileSource;
  transformations?: { oversized_image?: 'downsize' | 'error' } | null;
}

export interface APIDocumentBlock extends Cacheable {
  type: 'document';
  source:
    | APIBase64PDFSource
    | APIPlainTextSource
    | APIURLSource
    | APIFileSource
    | { type: 'content'; content: string | (APITextBlockParam | APIImageBlock)[] };
  title?: string | null;
  context?: string | null;
  citations?: { enabled?: boolean } | null;
}

export interface APISearchResultBlock extends Cacheable {
  type: 'search_result';
  source: string;
  title: string;
  content: APITextBlockParam[];
  citations?: { enabled?: boolean };
}

/** A tool that was found and may now be called. */
export interface APIToolReferenceBlock extends Cacheable {
  type: 'tool_reference';
  tool_name: string;
}

interface Download<Type extends string> {
  type: Type;
  download_id: string;
  url: string;
}

export interface APIBrowserStateBlock extends Cacheable {
  type: 'browser_state';
  tabs: { tab_id: string; title: string; url: string; active?: boolean }[];
  state_changes?:
    | (
        | { type: 'tab_opened'; tab_id: string }
        | Download<'download_started'>
        | (Download<'download_completed'> & { path?: string | null; size_bytes?: number | null })
        | (Download<'download_failed'> & { error?: string | null })
      )[]
    | null;
}

export interface APIToolResultBlock extends Cacheable {
  type: 'tool_result';
  tool_use_id: string;
  content?:
    | string
    | (
        | APITextBlockParam
        | APIImageBlock
        | APISearchResultBlock
        | APIDocumentBlock
        | APIToolReferenceBlock
        | APIBrowserStateBlock
      )[];
  is_error?: boolean;
  toolset_name?: string | null;
}

interface ServerToolUse extends Cacheable {
  type: 'server_tool_use';
  id: string;
  name: APIServerToolName;
  input: unknown;
  caller?: APIToolCaller;
}

interface ServerToolResult<Type extends string, Content> extends Cacheable {
  type: Type;
  tool_use_id: string;
  content: Content;
}

interface WebPage {
  type: 'web_search_result';
  url: string;
  title: string;
  encrypted_content: string;
  page_age?: string | null;
}

interface FetchedPage {
  type: 'web_fetch_result';
  url: string;
  content: APIDocumentBlock;
  retrieved_at?: string | null;
}

interface FileView {
  type: 'text_editor_code_execution_view_result';
  content: string;
  file_type: 'text' | 'image' | 'pdf';
  start_line?: number | null;
  num_lines?: number | null;
  total_lines?: number | null;
}

interface FileChanged {
  type: 'text_editor_code_execution_str_replace_result';
  old_start?: number | null;
  old_lines?: number | null;
  new_start?: number | null;
  new_lines?: number | null;
  lines?: string[] | null;
}

type Explained<ToolError> = ToolError & { error_message?: string | null };

/** Results of the API's own tools, sent back as a part of the conversation. */
type ServerToolResultParam =
  | (ServerToolResult<'web_search_tool_result', WebPage[] | WebSearchError> & {
      caller?: APIToolCaller;
    })
  | (ServerToolResult<'web_fetch_tool_result', WebFetchError | FetchedPage> & {
      caller?: APIToolCaller;
    })
  | ServerToolResult<'code_execution_tool_result', CodeExecutionError | CodeRun | EncryptedCodeRun>
  | ServerToolResult<'bash_code_execution_tool_result', BashCodeExecutionError | BashRun>
  | ServerToolResult<
      'text_editor_code_execution_tool_result',
      Explained<TextEditorError> | FileView | FileWritten | FileChanged
    >
  | ServerToolResult<
      'tool_search_tool_result',
      Explained<ToolSearchError> | { type: 'tool_search_tool_search_result'; tool_references: APIToolReferenceBlock[] }
    >;

export type APIContentBlockParam =
  | APITextBlockParam
  | APIImageBlock
  | APIDocumentBlock
  | APISearchResultBlock
  | APIThinkingBlock
  | APIRedactedThinkingBlock
  | (APIToolUseBlock & Cacheable)
  | APIToolResultBlock
  | ServerToolUse
  | ServerToolResultParam
  | ({ type: 'container_upload'; file_id: string } & Cacheable);

/**
 * The `message` of a `user` frame, in both directions. The CLI takes the role `user` only: any other in a
 * prompt ends the process.
 */
export type APIUserMessage =
  | { role: 'user' | 'assistant'; content: string | APIContentBlockParam[] }
  | { role: 'system'; content: string | APITextBlockParam[] };
