import type { ContentBlock } from './call-tool-result.js';
import type { InferOutput, StandardSchemaLike } from './standard-schema.js';
import type { AnySdkMcpToolDefinition, InferShape, ToolAnnotations, ToolHandler, ToolInputShape } from './tool.js';
import type { McpNotification, McpRequest, McpRequestOptions, ToolCallExtra } from './tool-call.js';

/**
 * The MCP SDK's server, as programs use it, without an import of that package. An `McpServer` of version 1.18 or newer
 * has these types; the other way round a cast is needed, because its class has private members.
 *
 * A method with type parameters has two forms, of which calls take the first. The compiler ignores type parameters only
 * where it compares overloads; a lone form would not fit a method that asks for a class of zod.
 */

/** What is called of a server in the `mcpServers` option: an `McpServer` or the `Server` below it, of any version. */
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
  sessionId?: string | undefined;
}

type Fields = Record<string, unknown>;

type LogMessage = {
  level: 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';
  logger?: string;
  data: unknown;
};

/** What every server can do. */
interface AnyServer extends McpServerLike {
  connect(transport: McpTransportLike): Promise<void>;
  sendLoggingMessage(params: LogMessage, sessionId?: string): Promise<void>;
}

type Root = { uri: string; name?: string | undefined };
type ClientCapabilities = Partial<Record<'roots' | 'sampling' | 'elicitation' | 'experimental', Fields | undefined>>;

/** What a model said, asked for with `createMessage`. */
type SampledMessage<Content> = {
  model: string;
  role: 'user' | 'assistant';
  /** A list only of a model that was given tools. */
  content: Content;
  stopReason?: string | undefined;
};

/** What a person answered to `elicitInput`. */
type ElicitedInput = {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]> | undefined;
};

/** The low-level `Server`. */
export interface SdkMcpLowLevelServer extends AnyServer {
  readonly transport: McpTransportLike | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  oninitialized?: (() => void) | undefined;
  getClientCapabilities(): ClientCapabilities | undefined;
  getClientVersion(): { name: string; version: string; title?: string | undefined } | undefined;
  registerCapabilities(capabilities: Fields): void;
  ping(): Promise<object>;
  createMessage<Content = ContentBlock>(params: Fields, options?: McpRequestOptions): Promise<SampledMessage<Content>>;
  createMessage<Content = ContentBlock>(params: Fields): Promise<SampledMessage<Content>>;
  elicitInput(params: Fields, options?: McpRequestOptions): Promise<ElicitedInput>;
  listRoots(params?: Fields, options?: McpRequestOptions): Promise<{ roots: Root[] }>;
  sendResourceUpdated(params: { uri: string }): Promise<void>;
  sendResourceListChanged(): Promise<void>;
  sendToolListChanged(): Promise<void>;
  sendPromptListChanged(): Promise<void>;
  notification(notification: McpNotification): Promise<void>;
  request<Schema extends StandardSchemaLike>(
    request: McpRequest,
    resultSchema: Schema,
    options?: McpRequestOptions,
  ): Promise<InferOutput<Schema>>;
  request<Schema extends StandardSchemaLike>(request: McpRequest, resultSchema: Schema): Promise<InferOutput<Schema>>;
  setRequestHandler<Schema extends StandardSchemaLike>(
    requestSchema: Schema,
    handler: (request: InferOutput<Schema>, extra: ToolCallExtra) => unknown,
  ): void;
  setRequestHandler<Schema extends StandardSchemaLike>(
    requestSchema: Schema,
    handler: (request: InferOutput<Schema>) => unknown,
  ): void;
  setNotificationHandler<Schema extends StandardSchemaLike>(
    notificationSchema: Schema,
    handler: (notification: InferOutput<Schema>) => unknown,
  ): void;
  setNotificationHandler<Schema extends StandardSchemaLike>(notificationSchema: Schema, handler: () => unknown): void;
  removeRequestHandler(method: string): void;
  removeNotificationHandler(method: string): void;
}

/** Something registered on a server: it can be hidden, shown and taken away, and each tells the client. */
interface McpRegistration {
  enabled: boolean;
  enable(): void;
  disable(): void;
  update(updates: Readonly<Fields>): void;
  remove(): void;
}

type Or<T> = T | Promise<T>;

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
export interface SdkMcpServerInstance extends AnyServer {
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
      _meta?: Fields;
    },
    handler: ToolHandler<Schema>,
  ): McpRegistration;
  registerTool(name: string, config: Readonly<Fields>, handler: AnySdkMcpToolDefinition['handler']): McpRegistration;
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
  registerResource(name: string, uri: string, metadata: Fields, read: ReadResource): McpRegistration;
  /** @param template - A `ResourceTemplate` of the MCP SDK. */
  registerResource(name: string, template: object, metadata: Fields, read: ReadTemplate): McpRegistration;
  /** @deprecated Use `registerResource`. */
  resource(name: string, uri: string, read: ReadResource): McpRegistration;
  resource(name: string, uri: string, metadata: Fields, read: ReadResource): McpRegistration;
  resource(name: string, template: object, read: ReadTemplate): McpRegistration;
  resource(name: string, template: object, metadata: Fields, read: ReadTemplate): McpRegistration;
  registerPrompt<Shape extends ToolInputShape>(
    name: string,
    config: { title?: string; description?: string; argsSchema: Shape },
    answer: PromptWithArgs<Shape>,
  ): McpRegistration;
  registerPrompt(name: string, config: { title?: string; description?: string }, answer: BarePrompt): McpRegistration;
  /** @deprecated Use `registerPrompt`. */
  prompt(name: string, answer: BarePrompt): McpRegistration;
  prompt(name: string, description: string, answer: BarePrompt): McpRegistration;
  prompt<Shape extends ToolInputShape>(name: string, argsSchema: Shape, answer: PromptWithArgs<Shape>): McpRegistration;
  prompt<Shape extends ToolInputShape>(
    name: string,
    description: string,
    argsSchema: Shape,
    answer: PromptWithArgs<Shape>,
  ): McpRegistration;
  sendToolListChanged(): void;
  sendResourceListChanged(): void;
  sendPromptListChanged(): void;
}
