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

export type AdvisorError = ToolError<
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

export type TextEditorError = ToolError<
  'text_editor_code_execution_tool_result_error',
  Timed | 'file_not_found'
>;

export type ToolSearchError = ToolError<'tool_search_tool_result_error', Timed>;
