import type { ContentBlock } from './call-tool-result.js';
import type { InferOutput, StandardSchemaLike } from './standard-schema.js';
import type { AnySdkMcpToolDefinition, InferShape, ToolAnnotations, ToolHandler, ToolInputShape } from './tool.js';
import type { McpNotification, McpRequest, McpRequestOptions, ToolCallExtra } from './tool-call.js';

/** What may be done with one tool of a server without asking. */
export type McpServerToolPolicy = {
  name: string;
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

/** A server that runs in this process: made by `createSdkMcpServer`, or any `McpServer` or `Server` of the MCP SDK. */
export type McpSdkServerConfigWithInstance = McpSdkServerConfig & { instance: McpServerLike };

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

/**
 * The MCP SDK's server, as far as programs use it, without an import of that package. Its classes have private members,
 * so a value of these types fits our `mcpServers`, not a variable declared as their `McpServer`.
 */

/** What is needed of an MCP SDK server. Structural: every 1.x version of `McpServer` and `Server` fits. */
export interface McpServerLike {
  /** Takes the MCP SDK's `Transport`. */
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

/** A transport of the MCP SDK. */
interface McpTransportLike {
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
}

interface Connectable extends McpServerLike {
  connect(transport: McpTransportLike): Promise<void>;
}

/** The low-level `Server`. */
export interface SdkMcpLowLevelServer extends Connectable {
  notification(notification: McpNotification): Promise<void>;
  request<Schema extends StandardSchemaLike>(
    request: McpRequest,
    resultSchema: Schema,
    options?: McpRequestOptions,
  ): Promise<InferOutput<Schema>>;
  setRequestHandler<Schema extends StandardSchemaLike>(
    requestSchema: Schema,
    handler: (request: InferOutput<Schema>, extra: ToolCallExtra) => unknown,
  ): void;
  setNotificationHandler<Schema extends StandardSchemaLike>(
    notificationSchema: Schema,
    handler: (notification: InferOutput<Schema>) => unknown,
  ): void;
  removeRequestHandler(method: string): void;
}

/** Something registered on a server: it can be hidden, shown and taken away, and each tells the client. */
interface McpRegistration {
  enabled: boolean;
  enable(): void;
  disable(): void;
  remove(): void;
}

type Or<T> = T | Promise<T>;
type Texts = Record<string, unknown>;

/** What reading a resource gives: text, or bytes in base64. */
type ResourceContents = {
  [key: string]: unknown;
  contents: ({ uri: string; mimeType?: string } & ({ text: string } | { blob: string }))[];
};

type ReadResource = (uri: URL, extra: ToolCallExtra) => Or<ResourceContents>;
type ReadTemplate = (
  uri: URL,
  variables: Record<string, string | string[]>,
  extra: ToolCallExtra,
) => Or<ResourceContents>;

type PromptMessages = {
  [key: string]: unknown;
  description?: string;
  messages: { role: 'user' | 'assistant'; content: ContentBlock }[];
};

type BarePrompt = (extra: ToolCallExtra) => Or<PromptMessages>;
type PromptWithArgs<Shape extends ToolInputShape> = (
  args: InferShape<Shape>,
  extra: ToolCallExtra,
) => Or<PromptMessages>;

/** The `McpServer` behind a server made by `createSdkMcpServer`. */
export interface SdkMcpServerInstance extends Connectable {
  readonly server: SdkMcpLowLevelServer;
  isConnected(): boolean;
  registerTool<Schema extends ToolInputShape | StandardSchemaLike | undefined = undefined>(
    name: string,
    config: {
      title?: string;
      description?: string;
      inputSchema?: Schema;
      outputSchema?: ToolInputShape | StandardSchemaLike;
      annotations?: ToolAnnotations;
      _meta?: Record<string, unknown>;
    },
    handler: ToolHandler<Schema>,
  ): McpRegistration;
  registerTool(
    name: string,
    config: Readonly<Record<string, unknown>>,
    handler: AnySdkMcpToolDefinition['handler'],
  ): McpRegistration;
  /** @deprecated Use `registerTool`. */
  tool(name: string, handler: ToolHandler<undefined>): McpRegistration;
  tool(name: string, description: string, handler: ToolHandler<undefined>): McpRegistration;
  tool<Shape extends ToolInputShape>(name: string, shape: Shape, handler: ToolHandler<Shape>): McpRegistration;
  tool<Shape extends ToolInputShape>(
    name: string,
    description: string,
    shape: Shape,
    handler: ToolHandler<Shape>,
  ): McpRegistration;
  tool<Shape extends ToolInputShape>(
    name: string,
    description: string,
    shape: Shape,
    annotations: ToolAnnotations,
    handler: ToolHandler<Shape>,
  ): McpRegistration;
  registerResource(name: string, uri: string, metadata: Texts, read: ReadResource): McpRegistration;
  /** @param template - A `ResourceTemplate` of the MCP SDK. */
  registerResource(name: string, template: object, metadata: Texts, read: ReadTemplate): McpRegistration;
  /** @deprecated Use `registerResource`. */
  resource(name: string, uri: string, read: ReadResource): McpRegistration;
  resource(name: string, uri: string, metadata: Texts, read: ReadResource): McpRegistration;
  registerPrompt<Shape extends ToolInputShape>(
    name: string,
    config: { title?: string; description?: string; argsSchema: Shape },
    answer: PromptWithArgs<Shape>,
  ): McpRegistration;
  registerPrompt(name: string, config: { title?: string; description?: string }, answer: BarePrompt): McpRegistration;
  /** @deprecated Use `registerPrompt`. */
  prompt(name: string, answer: BarePrompt): McpRegistration;
  prompt(name: string, description: string, answer: BarePrompt): McpRegistration;
  sendToolListChanged(): void;
  sendResourceListChanged(): void;
  sendPromptListChanged(): void;
  sendLoggingMessage(
    params: {
      level: 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';
      logger?: string;
      data: unknown;
    },
    sessionId?: string,
  ): Promise<void>;
}

/** As in the official SDK, which leaves out everything else. */
export function isCallTimeout(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}
