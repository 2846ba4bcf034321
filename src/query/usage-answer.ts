import type { SDKUsageReport } from '../parser/message.js';

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
  rate_limits: {
    five_hour?: UsageWindow | null;
    seven_day?: UsageWindow | null;
    seven_day_oauth_apps?: UsageWindow | null;
    seven_day_opus?: UsageWindow | null;
    seven_day_sonnet?: UsageWindow | null;
    model_scoped?: (UsageWindow & { display_name: string })[];
    extra_usage?: {
      is_enabled: boolean;
      monthly_limit: number | null;
      used_credits: number | null;
      utilization: number | null;
      currency?: string | null;
    } | null;
  } | null;
  /** `null` with `skipBehaviors`. */
  behaviors: { day: UsageBehaviors; week: UsageBehaviors } | null;
};
