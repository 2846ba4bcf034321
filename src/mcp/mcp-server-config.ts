import type { McpServerLike, SdkMcpServerInstance } from './server-instance.js';

/** What may be done with one tool of a server without asking. */
export type McpServerToolPolicy = {
  name: string;
  /**
   * Claude Code holds in-process servers to it from 2.1.301 on, and HTTP servers not at all (seen with 2.1.330): their tools
   * with `always_deny` and `always_ask` ran in bypass mode, and where `allowedTools` names them. Use `disallowedTools`, or
   * `permissions.ask` in `settings`.
   */
  permission_policy?: 'always_allow' | 'always_ask' | 'always_deny';
  /** The most that the organisation lets anybody allow. */
  org_max_permission?: 'allow' | 'ask' | 'blocked';
};

/** Which settings a server is configured in. */
export type ConfigScope = 'local' | 'user' | 'project';

/** A server that the CLI starts as a process. Fields not listed here reach the CLI as well. */
export type McpStdioServerConfig = {
  type?: 'stdio';
  command: string;
  args?: string[];
  env?: Record<string, string>;
  /** Milliseconds one tool call may take. @defaultValue the CLI's `MCP_TOOL_TIMEOUT` */
  timeout?: number;
  /** Keeps all its tools in the prompt instead of behind tool search. */
  alwaysLoad?: boolean;
};

/** A server that the CLI reaches over server-sent events. */
export type McpSSEServerConfig = RemoteServerConfig<'sse'>;

/** A server that the CLI reaches over streamable HTTP. */
export type McpHttpServerConfig = RemoteServerConfig<'http'>;

type RemoteServerConfig<Type> = {
  type: Type;
  url: string;
  headers?: Record<string, string>;
  tools?: McpServerToolPolicy[];
  /** Milliseconds one tool call may take. */
  timeout?: number;
  alwaysLoad?: boolean;
};

/** The part of an in-process server's configuration that can cross to the CLI. */
export type McpSdkServerConfig = {
  type: 'sdk';
  /** For people. The wire knows the server by its key in `mcpServers`. */
  name: string;
  /** Milliseconds the CLI waits for one tool call. Sent in `sdkMcpServerConfigs` if {@link isCallTimeout}. */
  timeout?: number;
  tools?: McpServerToolPolicy[];
};

/** A server that runs in this process: made by `createSdkMcpServer`, or any `McpServer` of the MCP SDK. */
export type McpSdkServerConfigWithInstance = McpSdkServerConfig & {
  /** With `createSdkMcpServer`: built, and the MCP SDK loaded, when first read. */
  instance: SdkMcpServerInstance;
};

/** Any entry of the `mcpServers` option. */
export type McpServerConfig =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfigWithInstance;

/** An entry as the CLI may see it: without live objects. */
export type McpServerConfigForProcessTransport =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfig;

/**
 * True for a configuration that runs in this process. Does not read `instance`, which would build it. `{type: 'sdk'}`
 * without an instance is passed to the CLI as it is.
 */
export function isSdkServerConfig(config: unknown): config is McpSdkServerConfigWithInstance {
  if (typeof config !== 'object' || config === null) return false;
  if (!('type' in config) || config.type !== 'sdk') return false;
  const instance = Object.getOwnPropertyDescriptor(config, 'instance');
  return instance !== undefined && (instance.get !== undefined || isServerLike(instance.value));
}

function isServerLike(value: unknown): value is McpServerLike {
  return typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function';
}

/** As in the official SDK, which leaves out everything else. */
export function isCallTimeout(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}
