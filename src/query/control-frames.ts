import type { HookEvent, HookInput } from '../control/hook-types.js';
import type { McpServerProvenance, PermissionMode, PermissionUpdate } from '../control/permission-types.js';
import type { McpServerConfigForProcessTransport, McpServerToolPolicy } from '../mcp/mcp-server-config.js';
import type { ControlRequestMap, ControlRequestSubtype } from './control-requests.js';
import type { AgentDefinition, SdkPluginConfig } from './options/extension-options.js';

/**
 * Control frames as they are on the wire, for transports and hosts that pass them on. Requests travel in both
 * directions: the ones of {@link PeerRequest} come from the CLI, the others go to it.
 */

type Request<Subtype extends string> = { subtype: Subtype };

type Fields = Record<string, unknown>;

type RpcError = { code: number; message: string; data?: unknown };

type RpcMeta = {
  progressToken?: string | number | undefined;
  'io.modelcontextprotocol/related-task'?: { taskId: string } | undefined;
  [key: string]: unknown;
};

type RpcValue = { _meta?: RpcMeta | undefined; [key: string]: unknown };

/** A JSON-RPC message of MCP. */
export type JSONRPCMessage =
  | { jsonrpc: '2.0'; id: string | number; method: string; params?: RpcValue | undefined }
  | { jsonrpc: '2.0'; method: string; params?: RpcValue | undefined }
  | { jsonrpc: '2.0'; id: string | number; result: RpcValue }
  | { jsonrpc: '2.0'; id?: string | number | undefined; error: RpcError };

type CanUseToolRequest = Request<'can_use_tool'> & {
  tool_name: string;
  input: Fields;
  tool_use_id: string;
  agent_id?: string;
  mcp_server?: McpServerProvenance;
  permission_suggestions?: PermissionUpdate[];
  blocked_path?: string;
  decision_reason?: string;
  decision_reason_type?:
    | 'rule'
    | 'mode'
    | 'subcommandResults'
    | 'permissionPromptTool'
    | 'hook'
    | 'asyncAgent'
    | 'sandboxOverride'
    | 'workingDir'
    | 'safetyCheck'
    | 'classifier'
    | 'other';
  classifier_approvable?: boolean;
  suppress_always_allow_rule?: boolean;
  default_to_no?: boolean;
  matched_ask_rule?: { source: string; tool_name: string; rule_content?: string };
  title?: string;
  display_name?: string;
  description?: string;
  requires_user_interaction?: boolean;
};

type ElicitationFrame = Request<'elicitation'> & {
  mcp_server_name: string;
  message: string;
  mode?: 'form' | 'url';
  url?: string;
  elicitation_id?: string;
  requested_schema?: Fields;
  /** The order to show the fields in. */
  property_order?: string[];
  title?: string;
  display_name?: string;
  description?: string;
};

/** What the CLI asks. */
type PeerRequest =
  | CanUseToolRequest
  | ElicitationFrame
  | (Request<'hook_callback'> & { callback_id: string; input: HookInput; tool_use_id?: string })
  | (Request<'mcp_message'> & { server_name: string; message: JSONRPCMessage })
  | (Request<'request_user_dialog'> & { dialog_kind: string; payload: Fields; tool_use_id?: string });

type InitializeRequest = Request<'initialize'> & {
  hooks?: Partial<
    Record<
      HookEvent,
      { matcher?: string; hookCallbackIds: string[]; timeout?: number; onFailure?: 'continue' | 'block' }[]
    >
  >;
  sdkMcpServers?: string[];
  sdkMcpServerConfigs?: Record<string, { timeout?: number; tools?: McpServerToolPolicy[] }>;
  sdkMcpServerManifests?: Record<string, { initializeResult: Fields; toolsListResult?: Fields }>;
  sdkMcpServerManifestsOrigin?: 'host_per_send';
  jsonSchema?: Fields;
  systemPrompt?: string[];
  appendSystemPrompt?: string;
  systemPromptSnapshot?: boolean;
  excludeDynamicSections?: boolean;
  planModeInstructions?: string;
  toolAliases?: Record<string, string>;
  agents?: Record<string, AgentDefinition>;
  title?: string;
  skills?: string[];
  promptSuggestions?: boolean;
  agentProgressSummaries?: boolean;
  forwardSubagentText?: boolean;
  supportedDialogKinds?: string[];
  perTaskStopAffordance?: boolean;
  plugins?: SdkPluginConfig[];
  mcpServers?: Record<string, McpServerConfigForProcessTransport>;
};

/** A file that a tool called by `mcp_call` reads or writes. */
type LaneFile = { name: string; lane_path: string };

type McpCallRequest = Request<'mcp_call'> & {
  tool: string;
  arguments?: Fields;
  expires_at?: string;
  timeout_ms?: number;
  result_not_for_model?: boolean;
  check_permissions?: boolean;
  input_files?: LaneFile[];
  output_files?: (LaneFile & { if_match?: string })[];
};

/** Requests whose payload is the one of `request()`. The others are below, or not in the official types. */
type MappedSubtype = Exclude<
  ControlRequestSubtype,
  | 'end_session'
  | 'get_usage'
  | 'initialize'
  | 'mcp_call'
  | 'mcp_set_servers'
  | 'mcp_status'
  | 'register_repo_root'
  | 'set_has_subscribers'
  | 'set_max_thinking_tokens'
  | 'set_mcp_permission_mode_override'
  | 'set_permission_mode'
>;

/** What the CLI is asked. */
type HostRequest =
  | InitializeRequest
  | McpCallRequest
  | { [Subtype in MappedSubtype]: Request<Subtype> & ControlRequestMap[Subtype]['input'] }[MappedSubtype]
  | (Request<'set_permission_mode'> & { mode: PermissionMode })
  | (Request<'set_max_thinking_tokens'> & {
      max_thinking_tokens?: number | null;
      thinking_display?: 'summarized' | 'omitted' | 'highlights' | null;
    })
  | (Request<'set_color'> & { color: string })
  | (Request<'mcp_status'> & { liveReply?: boolean })
  | (Request<'mcp_set_servers'> & { servers: Record<string, McpServerConfigForProcessTransport> })
  | (Request<'get_usage'> & { skip_behaviors?: boolean })
  | (Request<'register_repo_root'> & {
      directory: string;
      reload_claude_md?: boolean;
      reload_plugins?: boolean;
      reload_skills?: boolean;
    })
  | (Request<'set_has_subscribers'> & { has_subscribers: boolean | null })
  | (Request<'get_task_output'> & { task_id: string });

/** A question, and the id that its answer will name. */
export type SDKControlRequest = { type: 'control_request'; request_id: string; request: HostRequest | PeerRequest };

type OpenQuestions = {
  /** Questions of the CLI that are still open, on the answer to `initialize`. */
  pending_permission_requests?: SDKControlRequest[];
  pending_user_dialog_requests?: SDKControlRequest[];
  pending_elicitation_requests?: SDKControlRequest[];
};

/** The answer to a {@link SDKControlRequest}. */
export type SDKControlResponse = {
  type: 'control_response';
  response:
    | ({ subtype: 'success'; request_id: string; response?: Fields } & OpenQuestions)
    | ({ subtype: 'error'; request_id: string; error: string } & OpenQuestions);
};
