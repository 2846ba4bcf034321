import type { APIBase64PDFSource, APIPlainTextSource } from './api-source.js';

/** Calls and results of tools that run on the API's side, as the model's messages carry them. */

/** Who called a tool: the model itself, or code that it runs. */
export type APIToolCaller =
  | { type: 'direct' }
  | { type: 'code_execution_20250825'; tool_id: string }
  | { type: 'code_execution_20260120'; tool_id: string };

/** Tools on the API's side that a prompt can name. */
export type APIServerToolName =
  | 'web_search'
  | 'web_fetch'
  | 'code_execution'
  | 'bash_code_execution'
  | 'text_editor_code_execution'
  | 'tool_search_tool_regex'
  | 'tool_search_tool_bm25';

export interface APIServerToolUseBlock {
  type: 'server_tool_use';
  id: string;
  name: APIServerToolName | 'advisor';
  input: { [key: string]: unknown };
  caller?: APIToolCaller;
}

export interface ToolResult<Type extends string, Content> {
  type: Type;
  tool_use_id: string;
  content: Content;
}

export interface WebPage {
  type: 'web_search_result';
  url: string;
  title: string;
  encrypted_content: string;
  page_age: string | null;
}

interface FetchedDocument {
  type: 'document';
  source: APIBase64PDFSource | APIPlainTextSource;
  title: string | null;
  citations: { enabled: boolean } | null;
}

export interface FetchedPage {
  type: 'web_fetch_result';
  url: string;
  content: FetchedDocument;
  retrieved_at: string | null;
}

/** A program that ended; the files it left are named in `content`. */
interface ProgramRun<Type extends string, File extends string> {
  type: Type;
  stdout: string;
  stderr: string;
  return_code: number;
  content: { type: File; file_id: string }[];
}

/** The same, with an output that only the API can read. */
export interface EncryptedCodeRun {
  type: 'encrypted_code_execution_result';
  encrypted_stdout: string;
  stderr: string;
  return_code: number;
  content: { type: 'code_execution_output'; file_id: string }[];
}

export type CodeRun = ProgramRun<'code_execution_result', 'code_execution_output'>;
export type BashRun = ProgramRun<'bash_code_execution_result', 'bash_code_execution_output'>;

export interface FileView {
  type: 'text_editor_code_execution_view_result';
  content: string;
  file_type: 'text' | 'image' | 'pdf';
  start_line: number | null;
  num_lines: number | null;
  total_lines: number | null;
}

export interface FileWritten {
  type: 'text_editor_code_execution_create_result';
  is_file_update: boolean;
}

export interface FileChanged {
  type: 'text_editor_code_execution_str_replace_result';
  old_start: number | null;
  old_lines: number | null;
  new_start: number | null;
  new_lines: number | null;
  lines: string[] | null;
}

export type Explained<ToolError> = ToolError & { error_message: string | null };

/** What a tool on the API's side returned. */
export type APIServerToolResultBlock =
  | (ToolResult<'web_search_tool_result', WebSearchError | WebPage[]> & { caller?: APIToolCaller })
  | (ToolResult<'web_fetch_tool_result', WebFetchError | FetchedPage> & { caller?: APIToolCaller })
  | ToolResult<
      'advisor_tool_result',
      | AdvisorError
      | { type: 'advisor_result'; text: string; stop_reason: string | null }
      | { type: 'advisor_redacted_result'; encrypted_content: string; stop_reason: string | null }
    >
  | ToolResult<'code_execution_tool_result', CodeExecutionError | CodeRun | EncryptedCodeRun>
  | ToolResult<'bash_code_execution_tool_result', BashCodeExecutionError | BashRun>
  | ToolResult<
      'text_editor_code_execution_tool_result',
      Explained<TextEditorError> | FileView | FileWritten | FileChanged
    >
  | ToolResult<
      'tool_search_tool_result',
      | Explained<ToolSearchError>
      | { type: 'tool_search_tool_search_result'; tool_references: { type: 'tool_reference'; tool_name: string }[] }
    >;

/** Why a tool on the API's side failed, by tool. */

type Common = 'invalid_tool_input' | 'unavailable' | 'too_many_requests';
type Timed = Common | 'execution_time_exceeded';

interface ToolError<Type extends string, Code extends string> {
  type: Type;
  error_code: Code;
}

export type WebSearchError = ToolError<
  'web_search_tool_result_error',
  Common | 'max_uses_exceeded' | 'query_too_long' | 'request_too_large'
>;

export type WebFetchError = ToolError<
  'web_fetch_tool_result_error',
  | Common
  | 'url_too_long'
  | 'url_not_allowed'
  | 'url_not_in_prior_context'
  | 'url_not_accessible'
  | 'unsupported_content_type'
  | 'max_uses_exceeded'
  | 'content_too_large'
>;

type AdvisorError = ToolError<
  'advisor_tool_result_error',
  | 'max_uses_exceeded'
  | 'prompt_too_long'
  | 'too_many_requests'
  | 'overloaded'
  | 'unavailable'
  | 'execution_time_exceeded'
  | 'model_not_found'
>;

export type CodeExecutionError = ToolError<'code_execution_tool_result_error', Timed>;

export type BashCodeExecutionError = ToolError<
  'bash_code_execution_tool_result_error',
  Timed | 'output_file_too_large'
>;

export type TextEditorError = ToolError<'text_editor_code_execution_tool_result_error', Timed | 'file_not_found'>;

export type ToolSearchError = ToolError<'tool_search_tool_result_error', Timed>;
