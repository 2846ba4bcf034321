import type { RequestOptions } from '../control/controller-options.js';
import type { PermissionMode } from '../control/permission-types.js';
import type { JsonObject } from '../util/json.js';
import type {
  McpServerStatus,
  McpSetServersResult,
  RewindFilesResult,
  SDKControlGetContextUsageResponse,
  SDKControlGetUsageResponse,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SDKControlListPermissionRulesResponse,
  SDKControlMcpReadResourceResponse,
  SDKControlReadFileResponse,
  SDKControlReloadOutputStylesResponse,
  SDKControlReloadPluginsResponse,
  SDKControlReloadSkillsResponse,
} from './control-answers.js';
import type { SdkPluginConfig } from './options/extension-options.js';

export type * from './control-answers.js';

/**
 * Control requests by subtype: the payload, and the `response` of the answer, `undefined` for a success without data.
 * Some that only methods of `Query` send, such as `set_cwd`, are not here; `request()` takes them without types.
 * @see docs/reference/protocol.md in the repository, "Control requests"
 */
export interface ControlRequestMap {
  interrupt: { input: { cancel_queued?: boolean }; output: SDKControlInterruptResponse | undefined };
  set_permission_mode: { input: { mode: PermissionMode | (string & {}) }; output: { mode: string } | undefined };
  /** No `model`: back to the default. */
  set_model: { input: { model?: string | null }; output: { model?: string } | undefined };
  set_max_thinking_tokens: {
    input: { max_thinking_tokens?: number | null; thinking_display?: string | null };
    output: undefined;
  };
  mcp_status: { input: Record<never, never>; output: { mcpServers: McpServerStatus[] } };
  mcp_reconnect: { input: { serverName: string }; output: undefined };
  mcp_toggle: { input: { serverName: string; enabled: boolean }; output: undefined };
  mcp_set_servers: { input: { servers: Record<string, JsonObject> }; output: McpSetServersResult };
  mcp_read_resource: { input: { serverName: string; uri: string }; output: SDKControlMcpReadResourceResponse };
  /** `null` takes the override away. */
  set_mcp_permission_mode_override: {
    input: { serverName: string; mode: 'default' | 'auto' | null };
    output: { warning?: string } | undefined;
  };
  mcp_call: { input: { tool: string; arguments?: JsonObject; [field: string]: unknown }; output: JsonObject };
  get_context_usage: { input: { detail?: 'summary' | 'full' }; output: SDKControlGetContextUsageResponse };
  get_settings: { input: Record<never, never>; output: JsonObject };
  get_session_cost: { input: Record<never, never>; output: JsonObject };
  get_usage: { input: { skip_behaviors?: boolean; detached?: boolean }; output: SDKControlGetUsageResponse };
  get_hooks_listing: { input: Record<never, never>; output: JsonObject };
  get_binary_version: { input: Record<never, never>; output: JsonObject };
  list_models: { input: Record<never, never>; output: JsonObject };
  list_permission_rules: { input: Record<never, never>; output: SDKControlListPermissionRulesResponse };
  file_suggestions: { input: { query: string }; output: { suggestions: JsonObject[] } };
  read_file: {
    input: { path: string; max_bytes?: number; encoding?: 'utf-8' | 'base64' };
    output: SDKControlReadFileResponse | undefined;
  };
  rewind_files: { input: { user_message_id: string; dry_run?: boolean }; output: RewindFilesResult };
  stop_task: { input: { task_id: string }; output: JsonObject | undefined };
  background_tasks: { input: { tool_use_id?: string }; output: { backgrounded?: boolean } };
  cancel_async_message: { input: { message_uuid: string }; output: { cancelled: boolean; message_uuid?: string } };
  /** A `null` takes the setting back. */
  apply_flag_settings: { input: { settings: JsonObject }; output: undefined };
  update_settings: { input: { source: 'localSettings' | 'userSettings'; settings: JsonObject }; output: undefined };
  rename_session: { input: { title: string; source?: 'remote' | 'host'; session_id?: string }; output: undefined };
  seed_read_state: { input: { path: string; mtime: number }; output: undefined };
  set_has_subscribers: { input: JsonObject; output: undefined };
  register_repo_root: { input: JsonObject; output: JsonObject | undefined };
  reload_skills: { input: Record<never, never>; output: SDKControlReloadSkillsResponse };
  reload_plugins: {
    input: { hold_on_cache_impact?: boolean; add_plugins?: SdkPluginConfig[]; refuse_if_busy?: boolean };
    output: SDKControlReloadPluginsResponse;
  };
  reload_output_styles: { input: Record<never, never>; output: SDKControlReloadOutputStylesResponse };
  /** Once more. The CLI also asks its open questions again. */
  initialize: { input: JsonObject; output: SDKControlInitializeResponse };
  /** The process answers and leaves with exit code 0. Not in the official typings. */
  end_session: { input: Record<never, never>; output: undefined };
}

export type ControlRequestSubtype = keyof ControlRequestMap;

/**
 * Sends one control request: typed by its subtype, or any other with the payload as it is. For a field that the map does
 * not have yet, give the subtype as a variable of type `string`.
 */
export interface SendControlRequest {
  // First, since compilers show what the last signature refused: the field, and not the subtype.
  <S extends string>(
    subtype: [S] extends [ControlRequestSubtype] ? never : S,
    payload?: JsonObject,
    options?: RequestOptions,
  ): Promise<JsonObject | undefined>;
  <S extends ControlRequestSubtype>(
    subtype: S,
    payload?: ControlRequestMap[S]['input'],
    options?: RequestOptions,
  ): Promise<ControlRequestMap[S]['output']>;
}
