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

interface Repository {
  /** A branch, a tag or a commit. */
  ref?: string;
  /** Of the marketplace file in it. */
  path?: string;
  sparsePaths?: string[];
  skipLfs?: boolean;
}

interface NpmPackage {
  source: 'npm';
  package: string;
  version?: string;
  registry?: string;
}

interface RequestHeaders {
  headers?: { [name: string]: string };
  /** A command that prints the headers as JSON. */
  headersHelper?: string;
}

/** A commit, by name and by hash. */
interface Pinned {
  ref?: string;
  sha?: string;
}

/** Where a plugin of a marketplace comes from. A string is a path within the marketplace. */
type PluginSource =
  | string
  | NpmPackage
  | ({ source: 'url'; url: string } & Pinned)
  | ({ source: 'github'; repo: string } & Pinned)
  | ({ source: 'git-subdir'; url: string; path: string } & Pinned)
  | { source: 'archive'; url: string; sha256?: string }
  | { source: 'command'; command: string; timeout?: number; mode?: 'copy' | 'link' }
  | { source: 'unsupported'; error?: string };

/** Where a marketplace comes from, told apart by `source`. */
type MarketplaceSource =
  | ({ source: 'url'; url: string } & RequestHeaders)
  | ({ source: 'github'; repo: string } & Repository)
  | ({ source: 'git'; url: string } & Repository)
  | NpmPackage
  | { source: 'file'; path: string }
  | { source: 'directory'; path: string }
  | { source: 'skills-dir' }
  | { source: 'hostPattern'; hostPattern: string }
  | { source: 'pathPattern'; pathPattern: string }
  | {
      /** Written out in the settings. */
      source: 'settings';
      name: string;
      plugins: ({
        name: string;
        source: PluginSource;
        description?: string;
        version?: string;
        strict?: boolean;
        engines?: { [engine: string]: unknown };
      } & RequestHeaders)[];
      owner?: { name: string; email?: string; url?: string };
    };

/** Marketplaces by name. */
interface MarketplaceSettings {
  [marketplace: string]: {
    source: MarketplaceSource;
    installLocation?: string;
    autoUpdate?: boolean;
    pluginDigests?: { [plugin: string]: string[] };
  };
}

/** The values a plugin's own options take. */
interface PluginOptions {
  [option: string]: string | number | boolean | string[];
}

/** Plugins, their marketplaces, and what a policy allows of them. */
export interface PluginSettings {
  /** By `plugin@marketplace`. */
  enabledPlugins?: { [plugin: string]: string[] | boolean | { [key: string]: unknown } };
  prependPlugins?: string[];
  appendPlugins?: string[];
  pluginConfigs?: {
    [plugin: string]:
      | { mcpServers?: { [server: string]: PluginOptions }; options?: PluginOptions }
      | { [key: string]: unknown };
  };
  extraKnownMarketplaces?: MarketplaceSettings;
  additionalMarketplaces?: MarketplaceSettings;
  /** Policy: only these. */
  strictKnownMarketplaces?: MarketplaceSource[];
  allowedMarketplaces?: MarketplaceSource[];
  blockedMarketplaces?: MarketplaceSource[];
  pluginSuggestionMarketplaces?: string[];
  disableCommandPluginSources?: boolean;
  disableSideloadFlags?: boolean;
  pluginTrustMessage?: string;
  /** Only plugins may add these kinds of things. */
  strictPluginOnlyCustomization?: boolean | ('skills' | 'agents' | 'hooks' | 'mcp')[];
}

/** Every optional field may also be `undefined`, as in values that a schema library has parsed. */

/** Hosts and ports that sandboxed commands may reach. */
export type SandboxNetworkConfig = {
  allowedDomains?: string[] | undefined;
  deniedDomains?: string[] | undefined;
  strictAllowlist?: boolean | undefined;
  allowManagedDomainsOnly?: boolean | undefined;
  allowUnixSockets?: string[] | undefined;
  allowAllUnixSockets?: boolean | undefined;
  allowLocalBinding?: boolean | undefined;
  allowMachLookup?: string[] | undefined;
  httpProxyPort?: number | undefined;
  socksProxyPort?: number | undefined;
  tlsTerminate?: { caCertPath?: string | undefined; caKeyPath?: string | undefined } | undefined;
};

/** Paths that sandboxed commands may read and write. */
export type SandboxFilesystemConfig = {
  allowWrite?: string[] | undefined;
  denyWrite?: string[] | undefined;
  denyRead?: string[] | undefined;
  allowRead?: string[] | undefined;
  allowManagedReadPathsOnly?: boolean | undefined;
  disabled?: boolean | undefined;
};

/** What is hidden from, or masked for, sandboxed commands. */
export type SandboxCredentialRule = {
  mode: 'deny' | 'mask';
  extract?: string | undefined;
  onExtractNoMatch?: 'deny' | 'error' | 'warn' | undefined;
  decode?: 'jwt' | undefined;
  maskClaims?: string[] | undefined;
  injectHosts?: string[] | undefined;
};

export type SandboxCredentialsConfig = {
  files?: (SandboxCredentialRule & { path: string; maskDuplicates?: boolean | undefined })[] | undefined;
  envVars?: (SandboxCredentialRule & { name: string })[] | undefined;
  allowPlaintextInject?: boolean | undefined;
  awsPairs?: { accessKeyIdVar: string; secretAccessKeyVar: string; sessionTokenVar?: string | undefined }[] | undefined;
  sigv4?: { [Kind in 'streaming' | 'presigned' | 'sigv4a']?: 'deny' | 'passthrough' | undefined } | undefined;
};

/** Paths whose violations are not reported, by command. */
export type SandboxIgnoreViolations = Record<string, string[]>;

/** The `sandbox` block of Claude Code's settings. Open: unknown keys reach the CLI. */
export type SandboxSettings = {
  /** Runs Bash commands in a sandbox. */
  enabled?: boolean | undefined;
  /** Whether a machine without the sandbox's helpers is an error. Without it commands run unprotected. @defaultValue true when `enabled` comes from the `sandbox` option */
  failIfUnavailable?: boolean | undefined;
  autoAllowBashIfSandboxed?: boolean | undefined;
  allowUnsandboxedCommands?: boolean | undefined;
  network?: SandboxNetworkConfig | undefined;
  filesystem?: SandboxFilesystemConfig | undefined;
  credentials?: SandboxCredentialsConfig | undefined;
  ignoreViolations?: SandboxIgnoreViolations | undefined;
  enableWeakerNestedSandbox?: boolean | undefined;
  allowNestedUserNamespaces?: boolean | undefined;
  enableWeakerNetworkIsolation?: boolean | undefined;
  allowAppleEvents?: boolean | undefined;
  excludedCommands?: string[] | undefined;
  ripgrep?: { command: string; args?: string[] | undefined } | undefined;
  bwrapPath?: string | undefined;
  socatPath?: string | undefined;
  [setting: string]: unknown;
};
