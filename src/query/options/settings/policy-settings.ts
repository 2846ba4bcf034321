/** An MCP server, by its name, its command line or its URL. */
interface McpServerMatch {
  serverName?: string;
  serverCommand?: [string, ...string[]];
  serverUrl?: string;
}

/** Signing in, and what an organization fixes for its users. */
export interface PolicySettings {
  /** Commands that print credentials, and how the CLI is started. */
  apiKeyHelper?: string;
  proxyAuthHelper?: string;
  awsCredentialExport?: string;
  awsAuthRefresh?: string;
  gcpAuthRefresh?: string;
  otelHeadersHelper?: string;
  processWrapper?: string;

  /** A program that prints policy settings. Times in milliseconds. */
  policyHelper?: { path: string; timeoutMs?: number; refreshIntervalMs?: number };
  wslInheritsWindowsSettings?: boolean;
  forceRemoteSettingsRefresh?: boolean;
  parentSettingsBehavior?: 'first-wins' | 'merge';
  managedSourcesBehavior?: 'first-wins' | 'merge';

  forceLoginMethod?: 'claudeai' | 'console' | 'gateway';
  forceLoginOrgUUID?: string | string[];
  forceLoginGatewayUrl?: string;
  gatewayInternalNetworks?: string[];
  allowNestedModelAccessUnderForceLogin?: boolean;
  allowedProviders?: (
    | 'anthropic'
    | 'customEndpoint'
    | 'bedrock'
    | 'vertex'
    | 'foundry'
    | 'anthropicAws'
    | 'mantle'
    | 'gateway'
  )[];
  minimumVersion?: string;
  requiredMinimumVersion?: string;
  requiredMaximumVersion?: string;
  companyAnnouncements?: string[];

  /** Only hooks, rules and servers of the policy count. */
  allowManagedHooksOnly?: boolean;
  allowManagedPermissionRulesOnly?: boolean;
  allowManagedMcpServersOnly?: boolean;
  allowedHttpHookUrls?: string[];
  httpHookAllowedEnvVars?: string[];
  disableAllHooks?: boolean;
  disableAutoMode?: 'disable';

  managedMcpServers?: { [server: string]: { [key: string]: unknown } };
  allowedMcpServers?: McpServerMatch[];
  deniedMcpServers?: McpServerMatch[];
  /** Servers of a project's `.mcp.json`. */
  enableAllProjectMcpServers?: boolean;
  enabledMcpjsonServers?: string[];
  disabledMcpjsonServers?: string[];
  disableClaudeAiConnectors?: boolean;
  allowAllClaudeAiMcps?: boolean;
  allowClaudeInChromeWithManagedMcp?: boolean;
  desktopMcpServersListScope?: string;

  channelsEnabled?: boolean;
  allowedChannelPlugins?: { marketplace: string; plugin: string }[];
  disableAgentView?: boolean;
  disableArtifact?: boolean;
  disableRemoteControl?: boolean;
  disableReplyCheck?: boolean;
  disableSkillShellExecution?: boolean;
  disableWindowsBashCommandSplit?: boolean;
  disableWorkflows?: boolean;
  disableDeepLinkRegistration?: 'disable';
}
