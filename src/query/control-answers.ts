import type { McpServerConfigForProcessTransport } from '../mcp/mcp-server-config.js';
import type { FastModeDisabledReason, FastModeState, SDKUsageReport } from '../parser/message.js';

/** A slash command or skill the session offers. */
export type SlashCommand = {
  name: string;
  description: string;
  argumentHint: string;
  aliases?: string[];
  builtin?: boolean;
};

/** A model the account can use. */
export type ModelInfo = {
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
};

/** A subagent the session offers. */
export type AgentInfo = { name: string; description: string; model?: string };

/** Where the credentials of the session come from. */
export type AccountInfo = {
  email?: string;
  organization?: string;
  subscriptionType?: string;
  tokenSource?: string;
  apiKeySource?: string;
  apiProvider?:
    | 'firstParty'
    | 'bedrock'
    | 'vertex'
    | 'foundry'
    | 'anthropicAws'
    | 'anthropicGoogleCloud'
    | 'mantle'
    | 'gateway';
};

/** The answer to `initialize`. Unknown fields pass through. */
export type SDKControlInitializeResponse = {
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
  /** Present only when plugins were sent. */
  plugins_applied?: boolean;
  /** Present only when external MCP servers were sent. */
  mcp_servers_applied?: boolean;
  /** By server name; present only when manifests were sent ahead. */
  sdk_mcp_manifests_parked?: Record<
    string,
    'parked' | 'already_connected' | 'protocol_version_mismatch' | 'malformed' | 'not_honoured'
  >;
  fast_mode_state?: FastModeState;
  fast_mode_disabled_reason?: FastModeDisabledReason;
  pid?: number;
  [field: string]: unknown;
};

/** What `interrupt()` tells about messages that wait in the queue. */
export type SDKControlInterruptResponse = {
  /** Uuids of user messages that will still run. */
  still_queued: string[];
  /** Uuids dropped from the queue, with `cancel_queued`. */
  cancelled?: string[];
};

/** State of one MCP server. */
export type McpServerStatus = {
  name: string;
  status: 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';
  serverInfo?: { name: string; version: string };
  error?: string;
  config?: McpServerStatusConfig;
  scope?: string;
  source?: string;
  tools?: {
    name: string;
    description?: string;
    annotations?: { readOnly?: boolean; destructive?: boolean; openWorld?: boolean };
    _meta?: Record<string, unknown>;
  }[];
};

/** A server that the account brings along. */
export type McpClaudeAIProxyServerConfig = {
  type: 'claudeai-proxy';
  url: string;
  id: string;
  /** Milliseconds one tool call may take. */
  timeout?: number;
};

/** How a server that runs is configured. */
export type McpServerStatusConfig = McpServerConfigForProcessTransport | McpClaudeAIProxyServerConfig;

/** What `setMcpServers()` changed, by server name. */
export type McpSetServersResult = {
  added: string[];
  removed: string[];
  /** Why a server could not be connected. The others are in place all the same. */
  errors: Record<string, string>;
};

/** A resource of an MCP server: text, or base64 in `blob`. */
export type SDKControlMcpReadResourceResponse = {
  contents: { uri: string; mimeType?: string; text?: string; blob?: string; _meta?: Record<string, unknown> }[];
};

/** A file as the CLI reads it. */
export type SDKControlReadFileResponse = {
  /** Text, or base64 where `encoding` says so. */
  contents: string;
  absPath: string;
  /** Only the first `maxBytes` are here. */
  truncated?: boolean;
  encoding?: 'base64';
  /** Bytes that are not valid UTF-8 were replaced. */
  lossy?: boolean;
};

/** What there is after `reloadPlugins()`. */
export type SDKControlReloadPluginsResponse = {
  commands: SlashCommand[];
  agents: AgentInfo[];
  plugins: { name: string; path: string; source?: string; version?: string }[];
  mcpServers: McpServerStatus[];
  /** Plugins that could not be loaded. */
  error_count: number;
  /** Nothing was reloaded, since it would have cost the prompt cache (`holdOnCacheImpact`). */
  held?: boolean;
  cache_impact?: {
    mcp_servers_added: string[];
    mcp_servers_removed: string[];
    lsp_tool_change: 'adds' | 'may-add' | 'removes' | 'may-remove' | null;
  };
};

/** What there is after `reloadSkills()`. */
export type SDKControlReloadSkillsResponse = { skills: SlashCommand[] };

/** What there is after `reloadOutputStyles()`. */
export type SDKControlReloadOutputStylesResponse = { available_output_styles: string[] };

/** What `rewind_files` did, or would do. */
export type RewindFilesResult = {
  canRewind: boolean;
  error?: string;
  filesChanged?: string[];
  insertions?: number;
  deletions?: number;
  skippedLinks?: number;
};

/** The rules that decide what may run, and where they come from. */
export type SDKControlPermissionRulesState = {
  rules: SDKPermissionRuleEntry[];
  workspaceDirectories: SDKPermissionWorkspaceDirectory[];
  originalCwd: string;
  /** Only rules of managed settings count. */
  managedOnly: boolean;
  errors?: SDKSettingsParseError[];
  /** The CLI does not show them. */
  withheld?: boolean;
};

export type SDKPermissionRuleEntry = {
  behavior: 'allow' | 'deny' | 'ask';
  source:
    | 'userSettings'
    | 'projectSettings'
    | 'localSettings'
    | 'flagSettings'
    | 'policySettings'
    | 'cliArg'
    | 'command'
    | 'session'
    | 'mcpMount'
    | 'toolsNarrowing'
    | 'mcpServerPolicy'
    | 'hostCredential';
  rule: string;
  description?: SDKPermissionRuleDescription;
  editability: 'persistent' | 'session' | 'readonly';
  notInEffect?: boolean;
};

/** Text for people, in three parts. */
export type SDKPermissionRuleDescription = { prefix: string; emphasis?: string; suffix?: string };

export type SDKPermissionWorkspaceDirectory = { path: string; source: string };

/** A part of a settings file that could not be used. */
export type SDKSettingsParseError = {
  file?: string;
  /** Within the file. */
  path: string;
  message: string;
};

/** The answer to `list_permission_rules`. */
export type SDKControlListPermissionRulesResponse = { state: SDKControlPermissionRulesState };

/** How the context window is filled, in tokens. Fields beyond these pass through. */
export type SDKControlGetContextUsageResponse = {
  model: string;
  totalTokens: number;
  /** What the session may use of the window. */
  maxTokens: number;
  /** The model's whole window. */
  rawMaxTokens: number;
  /** Of `maxTokens`, 0 to 100. */
  percentage: number;
  categories: ContextCategory[];
  /** The picture that `/context` draws. */
  gridRows: ContextSquare[][];
  memoryFiles: { path: string; type: string; tokens: number }[];
  mcpTools: { name: string; serverName: string; tokens: number; isLoaded?: boolean }[];
  mcpInstructions?: { serverName: string; tokens: number }[];
  deferredBuiltinTools?: { name: string; tokens: number; isLoaded: boolean }[];
  systemTools?: { name: string; tokens: number }[];
  systemPromptSections?: { name: string; tokens: number }[];
  agents: { agentType: string; source: string; pluginId?: string; path?: string; tokens: number }[];
  slashCommands?: { totalCommands: number; includedCommands: number; tokens: number };
  skills?: {
    totalSkills: number;
    includedSkills: number;
    tokens: number;
    skillFrontmatter: {
      name: string;
      source: string;
      pluginName?: string;
      pluginId?: string;
      path?: string;
      tokens: number;
    }[];
  };
  autoCompactThreshold?: number;
  isAutoCompactEnabled: boolean;
  messageBreakdown?: ContextMessageBreakdown;
  /** Of the last API call; `null` before the first. */
  apiUsage: {
    input_tokens: number;
    output_tokens: number;
    cache_creation_input_tokens: number;
    cache_read_input_tokens: number;
  } | null;
  [field: string]: unknown;
};

export type ContextCategory = {
  id?:
    | 'system_prompt'
    | 'system_tools'
    | 'mcp_tools'
    | 'mcp_instructions'
    | 'mcp_tools_deferred'
    | 'system_tools_deferred'
    | 'custom_agents'
    | 'memory_files'
    | 'skills'
    | 'messages'
    | 'autocompact_buffer'
    | 'compact_buffer'
    | 'free_space';
  /** For people. */
  name: string;
  tokens: number;
  color: string;
  isDeferred?: boolean;
  kind: 'used' | 'free' | 'buffer' | 'deferred';
};

export type ContextSquare = {
  color: string;
  isFilled: boolean;
  categoryName: string;
  tokens: number;
  percentage: number;
  /** 0 to 1. */
  squareFullness: number;
};

export type ContextMessageBreakdown = {
  toolCallTokens: number;
  toolResultTokens: number;
  attachmentTokens: number;
  assistantMessageTokens: number;
  userMessageTokens: number;
  redirectedContextTokens: number;
  unattributedTokens: number;
  toolCallsByType: { name: string; callTokens: number; resultTokens: number }[];
  attachmentsByType: { name: string; tokens: number }[];
};

/** One of the plan's limits: how much of it is used, in percent, and when it starts anew. */
export type UsageWindow = {
  utilization: number | null;
  /** ISO 8601. */
  resets_at: string | null;
};

/** What the plan's limits went to, in one span of time. `pct` are percent. */
export type UsageBehaviors = {
  request_count: number;
  session_count: number;
  behaviors: {
    key:
      | 'cache_miss'
      | 'long_context'
      | 'subagent_heavy'
      | 'high_parallel'
      | 'cron'
      | 'max_effort'
      | 'workflow'
      | 'always_on_context'
      | 'large_tool_results';
    pct: number;
    count: number;
  }[];
  recommendations?: { key: string; pct: number; title: string; detail?: string }[];
  fix?: { keys: string[]; messages: string[] };
  agents: UsageShare[];
  skills: UsageShare[];
  plugins: UsageShare[];
  mcp_servers: UsageShare[];
};

export type UsageShare = { name: string; pct: number };

/** Cost of the session, state of the plan's limits, and what they went to. */
export type SDKControlGetUsageResponse = {
  session: SDKUsageReport['session'];
  subscription_type: string | null;
  rate_limits_available: boolean;
  rate_limits:
    | ({
        five_hour?: UsageWindow | null;
        seven_day?: UsageWindow | null;
        seven_day_oauth_apps?: UsageWindow | null;
        seven_day_opus?: UsageWindow | null;
        seven_day_sonnet?: UsageWindow | null;
        model_scoped?: (UsageWindow & { display_name: string })[];
      } & Pick<NonNullable<SDKUsageReport['rate_limits']>, 'extra_usage'>)
    | null;
  /** `null` with `skipBehaviors`. */
  behaviors: { day: UsageBehaviors; week: UsageBehaviors } | null;
};
