import type { APIRedactedThinkingBlock, APIThinkingBlock, APIToolUseBlock } from './api-message.js';
import type {
  APIServerToolName,
  APIToolCaller,
  BashCodeExecutionError,
  BashRun,
  CodeExecutionError,
  CodeRun,
  EncryptedCodeRun,
  Explained,
  FetchedPage,
  FileChanged,
  FileView,
  FileWritten,
  TextEditorError,
  ToolResult,
  ToolSearchError,
  WebFetchError,
  WebPage,
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

/** Blocks of a user message: what a prompt may contain, and what the CLI adds to the conversation. */

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

type ServerToolResult<Type extends string, Content> = ToolResult<Type, Content> & Cacheable;

/** The same in a prompt: what may be `null` may also be left out. */
type SentBack<T> = { [Key in keyof T as null extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as null extends T[Key] ? Key : never]?: T[Key];
};

type FetchedPageParam = SentBack<Omit<FetchedPage, 'content'>> & { content: APIDocumentBlock };

/** Results of the API's own tools, sent back as a part of the conversation. */
type ServerToolResultParam =
  | (ServerToolResult<'web_search_tool_result', SentBack<WebPage>[] | WebSearchError> & { caller?: APIToolCaller })
  | (ServerToolResult<'web_fetch_tool_result', WebFetchError | FetchedPageParam> & { caller?: APIToolCaller })
  | ServerToolResult<'code_execution_tool_result', CodeExecutionError | CodeRun | EncryptedCodeRun>
  | ServerToolResult<'bash_code_execution_tool_result', BashCodeExecutionError | BashRun>
  | ServerToolResult<
      'text_editor_code_execution_tool_result',
      SentBack<Explained<TextEditorError>> | SentBack<FileView> | FileWritten | SentBack<FileChanged>
    >
  | ServerToolResult<
      'tool_search_tool_result',
      | SentBack<Explained<ToolSearchError>>
      | { type: 'tool_search_tool_search_result'; tool_references: APIToolReferenceBlock[] }
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
 * The `message` of a `user` frame, in both directions. The CLI takes the role `user` only: any other in a prompt ends
 * the process.
 */
export type APIUserMessage = { role: 'user' | 'assistant' | 'system'; content: string | APIContentBlockParam[] };
