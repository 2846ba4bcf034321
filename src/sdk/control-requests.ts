import type { RequestOptions } from '../control/controller-options.js';
import type { PermissionMode } from '../control/permission-types.js';
import type { JsonObject } from '../util/json.js';

/** A slash command or skill the session offers. */
export interface SlashCommand {
  name: string;
  description: string;
  argumentHint: string;
  aliases?: string[];
  builtin?: boolean;
}

/** A model the account can use. */
export interface ModelInfo {
  /** What `model` and `setModel()` take. */
  value: string;
  resolvedModel?: string;
  displayName: string;
  description: string;
  supportsEffort?: boolean;
  supportedEffortLevels?: ('low' | 'medium' | 'high' | 'xhigh' | 'max')[];
  supportsAdaptiveThinking?: boolean;
  supportsFastMode?: boolean;
  supportsAutoMode?: boolean;
}

/** A subagent the session offers. */
export interface AgentInfo {
  name: string;
  description: string;
  model?: string;
}

/** Where the credentials of the session come from. */
export interface AccountInfo {
  email?: string;
  organization?: string;
  subscriptionType?: string;
  tokenSource?: string;
  apiKeySource?: string;
  apiProvider?: string;
}

/** The answer to `initialize`. Unknown fields pass through. */
export interface SDKControlInitializeResponse {
  commands: SlashCommand[];
  agents: AgentInfo[];
  models: ModelInfo[];
  account: AccountInfo;
  output_style: string;
  available_output_styles: string[];
  claude_code_version?: string;
  current_permission_mode?: string;
  session_state?: string;
  /** Present only when hooks were sent. */
  hooks_applied?: boolean;
  hook_on_failure_supported?: boolean;
  /** By server name; present only when manifests were sent ahead. */
  sdk_mcp_manifests_parked?: Record<string, string>;
  pid?: number;
  [field: string]: unknown;
}

/** What `interrupt()` tells about messages that wait in the queue. */
export interface SDKControlInterruptResponse {
  /** Uuids of user messages that will still run. */
  still_queued: string[];
  /** Uuids dropped from the queue, with `cancel_queued`. */
  cancelled?: string[];
}

/** State of one MCP server. */
export interface McpServerStatus {
  name: string;
  status: 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';
  serverInfo?: { name: string; version: string };
  error?: string;
  config?: JsonObject;
  scope?: string;
  source?: string;
  tools?: {
    name: string;
    description?: string;
    annotations?: { readOnly?: boolean; destructive?: boolean; openWorld?: boolean };
  }[];
}

/** What `rewind_files` did, or would do. */
export interface RewindFilesResult {
  canRewind: boolean;
  error?: string;
  filesChanged?: string[];
  insertions?: number;
  deletions?: number;
  skippedLinks?: number;
}

/** How the context window is filled. Fields beyond these pass through. */
export interface SDKControlGetContextUsageResponse {
  totalTokens: number;
  maxTokens: number;
  percentage: number;
  model: string;
  categories: { name: string; tokens: number; color: string }[];
  [field: string]: unknown;
}

/**
 * Every control request that the recordings show, from its subtype to its payload and to the
 * `response` of its answer. A success without data has no `response` at all: `undefined` here.
 * @see docs/protocol.md, "Control requests"
 */
export interface ControlRequestMap {
  interrupt: {
    input: { cancel_queued?: boolean };
    output: SDKControlInterruptResponse | undefined;
  };
  set_permission_mode: {
    input: { mode: PermissionMode | (string & {}) };
    output: { mode: string } | undefined;
  };
  /** No `model`: back to the default. */
  set_model: { input: { model?: string | null }; output: { model?: string } | undefined };
  set_max_thinking_tokens: {
    input: { max_thinking_tokens?: number | null; thinking_display?: string | null };
    output: undefined;
  };
  mcp_status: { input: Record<never, never>; output: { mcpServers: McpServerStatus[] } };
  mcp_reconnect: { input: { serverName: string }; output: undefined };
  mcp_toggle: { input: { serverName: string; enabled: boolean }; output: undefined };
  mcp_set_servers: {
    input: { servers: Record<string, JsonObject> };
    output: { added: string[]; removed: string[]; errors: Record<string, string> };
  };
  mcp_call: { input: { tool: string; arguments?: JsonObject }; output: JsonObject };
  get_context_usage: {
    input: { detail?: 'summary' | 'full' };
    output: SDKControlGetContextUsageResponse;
  };
  get_settings: { input: Record<never, never>; output: JsonObject };
  get_session_cost: { input: Record<never, never>; output: JsonObject };
  get_usage: { input: { skip_behaviors?: boolean }; output: JsonObject };
  get_hooks_listing: { input: Record<never, never>; output: JsonObject };
  get_binary_version: { input: Record<never, never>; output: JsonObject };
  list_models: { input: Record<never, never>; output: JsonObject };
  list_permission_rules: { input: Record<never, never>; output: JsonObject };
  file_suggestions: { input: { query: string }; output: { suggestions: JsonObject[] } };
  read_file: {
    input: { path: string; max_bytes?: number; encoding?: 'utf-8' | 'base64' };
    output: { contents: string; absPath: string; [field: string]: unknown };
  };
  rewind_files: {
    input: { user_message_id: string; dry_run?: boolean };
    output: RewindFilesResult;
  };
  stop_task: { input: { task_id: string }; output: JsonObject | undefined };
  background_tasks: { input: { tool_use_id?: string }; output: { backgrounded?: boolean } };
  cancel_async_message: {
    input: { message_uuid: string };
    output: { cancelled: boolean; message_uuid?: string };
  };
  apply_flag_settings: { input: { settings: JsonObject }; output: undefined };
  rename_session: { input: { title: string; session_id?: string }; output: undefined };
  seed_read_state: { input: { path: string; mtime: number }; output: undefined };
  set_has_subscribers: { input: JsonObject; output: undefined };
  register_repo_root: { input: JsonObject; output: JsonObject | undefined };
  reload_skills: { input: Record<never, never>; output: JsonObject };
  reload_plugins: { input: JsonObject; output: JsonObject };
  reload_output_styles: { input: Record<never, never>; output: JsonObject };
  /** The process answers and leaves with exit code 0. Not in the official typings. */
  end_session: { input: Record<never, never>; output: undefined };
}

export type ControlRequestSubtype = keyof ControlRequestMap;

/** Sends one control request: typed by its subtype, or any other with the payload as it is. */
export interface SendControlRequest {
  <S extends ControlRequestSubtype>(
    subtype: S,
    payload?: ControlRequestMap[S]['input'],
    options?: RequestOptions,
  ): Promise<ControlRequestMap[S]['output']>;
  (
    subtype: string,
    payload?: JsonObject,
    options?: RequestOptions,
  ): Promise<JsonObject | undefined>;
}
