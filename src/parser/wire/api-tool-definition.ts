/** Definitions of tools, as a compaction block names those that were added. */

/** How long the API keeps a part of the prompt at hand. */
export interface APICacheControl {
  type: 'ephemeral';
  ttl?: '5m' | '1h';
}

interface Shared {
  /** Who may call the tool. */
  allowed_callers?: ('direct' | 'code_execution_20250825' | 'code_execution_20260120' | 'code_execution_20260521')[];
  defer_loading?: boolean;
  strict?: boolean;
}

interface BuiltIn<Type extends string, Name extends string> extends Shared {
  type: Type;
  name: Name;
  cache_control?: APICacheControl | null;
}

interface WithExamples {
  input_examples?: { [key: string]: unknown }[];
}

interface CustomTool extends Shared, WithExamples {
  type?: 'custom' | null;
  name: string;
  description?: string;
  input_schema: {
    type: 'object';
    properties?: { [key: string]: unknown } | null;
    required?: string[] | null;
    [keyword: string]: unknown;
  };
  eager_input_streaming?: boolean | null;
}

interface Screen extends WithExamples {
  display_width_px: number;
  display_height_px: number;
  display_number?: number | null;
}

interface WebTool {
  allowed_domains?: string[] | null;
  blocked_domains?: string[] | null;
  max_uses?: number | null;
}

interface WebSearch extends WebTool {
  user_location?: {
    type: 'approximate';
    city?: string | null;
    region?: string | null;
    country?: string | null;
    timezone?: string | null;
  } | null;
}

type AllOrNone = { type: 'all' } | { type: 'none' };
type ToolFilter = { type: 'only' | 'except'; tools: { type: 'tool_reference'; name: string }[] };

interface WebFetch extends WebTool {
  citations?: { enabled?: boolean } | null;
  max_content_tokens?: number | null;
  url_sources?: {
    user_input?: AllOrNone;
    client_tool_results?: AllOrNone | ToolFilter;
    server_tool_results?: AllOrNone | ToolFilter;
  } | null;
}

interface Inclusion {
  response_inclusion?: 'full' | 'excluded';
}

interface UseCache {
  use_cache?: boolean;
}

interface Member {
  enabled?: boolean | null;
  defer_loading?: boolean | null;
}

type ComputerMember =
  | 'double_click'
  | 'hold_key'
  | 'key'
  | 'left_click'
  | 'left_click_drag'
  | 'left_mouse_down'
  | 'left_mouse_up'
  | 'middle_click'
  | 'mouse_move'
  | 'right_click'
  | 'screenshot'
  | 'scroll'
  | 'triple_click'
  | 'type'
  | 'wait'
  | 'zoom';

type BrowserMember =
  | ComputerMember
  | 'close_tab'
  | 'file_upload'
  | 'find'
  | 'form_input'
  | 'get_page_text'
  | 'hover'
  | 'javascript_exec'
  | 'list_tabs'
  | 'navigate'
  | 'new_tab'
  | 'read_console'
  | 'read_network'
  | 'read_page'
  | 'scroll_to'
  | 'switch_tab';

interface Toolset<Type extends string, Name extends string> {
  type: Type;
  cache_control?: APICacheControl | null;
  configs?: { [Key in Name]?: Member | null } | null;
}

interface Switches {
  enabled?: boolean;
  defer_loading?: boolean;
}

interface MCPToolset {
  type: 'mcp_toolset';
  mcp_server_name: string;
  cache_control?: APICacheControl | null;
  configs?: { [tool: string]: Switches } | null;
  default_config?: Switches;
  tools?: { name: string; description?: string | null; input_schema: { [key: string]: unknown } }[] | null;
}

export type APIToolDefinition =
  | CustomTool
  | (BuiltIn<'bash_20241022' | 'bash_20250124', 'bash'> & WithExamples)
  | BuiltIn<
      'code_execution_20250522' | 'code_execution_20250825' | 'code_execution_20260120' | 'code_execution_20260521',
      'code_execution'
    >
  | (BuiltIn<'memory_20250818', 'memory'> & WithExamples)
  | (BuiltIn<'computer_20241022' | 'computer_20250124', 'computer'> & Screen)
  | (BuiltIn<'computer_20251124', 'computer'> & Screen & { enable_zoom?: boolean })
  | (BuiltIn<'text_editor_20241022' | 'text_editor_20250124', 'str_replace_editor'> & WithExamples)
  | (BuiltIn<'text_editor_20250429', 'str_replace_based_edit_tool'> & WithExamples)
  | (BuiltIn<'text_editor_20250728', 'str_replace_based_edit_tool'> & WithExamples & { max_characters?: number | null })
  | (BuiltIn<'web_search_20250305' | 'web_search_20260209', 'web_search'> & WebSearch)
  | (BuiltIn<'web_search_20260318', 'web_search'> & WebSearch & Inclusion)
  | (BuiltIn<'web_fetch_20250910' | 'web_fetch_20260209', 'web_fetch'> & WebFetch)
  | (BuiltIn<'web_fetch_20260309', 'web_fetch'> & WebFetch & UseCache)
  | (BuiltIn<'web_fetch_20260318', 'web_fetch'> & WebFetch & UseCache & Inclusion)
  | (BuiltIn<'advisor_20260301', 'advisor'> & {
      model: string;
      caching?: APICacheControl | null;
      max_tokens?: number | null;
      max_uses?: number | null;
    })
  | BuiltIn<'tool_search_tool_bm25_20251119' | 'tool_search_tool_bm25', 'tool_search_tool_bm25'>
  | BuiltIn<'tool_search_tool_regex_20251119' | 'tool_search_tool_regex', 'tool_search_tool_regex'>
  | Toolset<'browser_toolset_20260801', BrowserMember>
  | Toolset<'computer_toolset_20260801', ComputerMember | 'cursor_position'>
  | MCPToolset;

type ToolReference =
  | { type: 'tool_reference'; name: string }
  | { type: 'mcp_tool_reference'; server_name: string; name: string }
  | { type: 'mcp_toolset_reference'; server_name: string };

/** A tool that came or went while the conversation ran. */
export type APIToolChange =
  | { type: 'tool_addition'; tool: ToolReference | { type: 'tool_definition'; definition: APIToolDefinition } }
  | { type: 'tool_removal'; tool: ToolReference };
