import type { PermissionMode } from '../control/permission-types.js';
import { invalidOption } from '../errors/invalid-option.js';
import type { InvalidOptionError } from '../errors.js';
import type { McpServerConfig } from '../mcp/mcp-server-config.js';
import type { SDKMessage, SDKUserMessage } from '../parser/message.js';
import { isJsonObject } from '../util/json.js';
import type {
  AccountInfo,
  AgentInfo,
  McpServerStatus,
  McpSetServersResult,
  ModelInfo,
  RewindFilesResult,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SDKControlMcpReadResourceResponse,
  SDKControlReadFileResponse,
  SDKControlReloadOutputStylesResponse,
  SDKControlReloadPluginsResponse,
  SDKControlReloadSkillsResponse,
  SlashCommand,
} from './control-answers.js';
import type { SendControlRequest } from './control-requests.js';
import { openSession } from './open-session.js';
import type { SdkPluginConfig } from './options/extension-options.js';
import type { QuerySession } from './query-session.js';
import type { FlagSettings, Query, QueryParams } from './query-types.js';
import { SessionRequests } from './session-requests.js';
import { UndeclaredRequests } from './undeclared-requests.js';
import type {
  SDKControlGetContextUsageResponse,
  SDKControlGetUsageResponse,
} from './usage-answer.js';

/**
 * Starts Claude Code with a prompt and returns its messages as they come.
 *
 * Synchronous: when it returns, the process is spawned and `initialize` and a string prompt are written.
 * The run goes on whether or not anybody iterates, and the loop ends when the process has ended.
 *
 * @param params.prompt - One message, or an iterable of them; the iterable is pulled no faster than the CLI reads.
 * @throws InvalidOptionError an option cannot be used; nothing was started.
 * @throws AbortError `abortController` had already been aborted; nothing was started.
 *
 * The loop throws, after every message that was received: `CLINotFoundError`, `CLIConnectionError` (the
 * process could not be started), `ProcessError` (it exited with an error), `ResultError` (it exited with an error
 * after an error result), `AbortError`, `PromptError`, and the time-out and limit errors of the options.
 *
 * @example
 * for await (const message of query({ prompt: 'Say hello.' })) {
 *   if (message.type === 'result') console.log(message.subtype);
 * }
 */
export function query(params: QueryParams): Query {
  if (!isJsonObject(params)) throw misusedQuery(params);
  const { prompt, options } = params;
  return new SessionQuery(openSession({ front: 'query', prompt, options: options ?? {} }));
}

function misusedQuery(params: unknown): InvalidOptionError {
  const hint = 'Call it as in `query({ prompt: "Say hello.", options: { model: "sonnet" } })`.';
  return invalidOption('params', 'an object with a `prompt`', params, hint);
}

/** `Query` over a session. All decisions are the session's. @internal */
export class SessionQuery extends UndeclaredRequests implements Query {
  readonly #session: QuerySession;
  readonly #requests: SessionRequests;
  readonly request: SendControlRequest;

  constructor(session: QuerySession) {
    super();
    this.#session = session;
    this.#requests = new SessionRequests(session);
    this.request = this.#requests.request;
  }

  /** The session behind a query; `undefined` for one that is not ours. */
  static sessionOf(query: object): QuerySession | undefined {
    return #session in query ? query.#session : undefined;
  }

  next(): Promise<IteratorResult<SDKMessage, void>> {
    return this.#session.messages.next();
  }

  async return(value?: void | PromiseLike<void>): Promise<IteratorResult<SDKMessage, void>> {
    this.#session.messages.abandon();
    this.#session.close();
    await this.#session.left();
    return { value: await value, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<SDKMessage, void>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  close(): void {
    this.#session.close();
  }

  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    return this.#session.streamInput(stream);
  }

  interrupt(options?: {
    cancelQueued?: boolean;
  }): Promise<SDKControlInterruptResponse | undefined> {
    return this.#requests.interrupt(options);
  }

  setPermissionMode(mode: PermissionMode): Promise<void> {
    return this.#requests.setPermissionMode(mode);
  }

  setModel(model?: string): Promise<void> {
    return this.#requests.setModel(model);
  }

  setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: 'summarized' | 'omitted' | 'highlights' | null,
  ): Promise<void> {
    return this.#requests.setMaxThinkingTokens(maxThinkingTokens, thinkingDisplay);
  }

  applyFlagSettings(settings: FlagSettings): Promise<void> {
    return this.#requests.settings.applyFlagSettings(settings);
  }

  updateSettings(
    source: 'localSettings' | 'userSettings',
    settings: Record<string, unknown>,
  ): Promise<void> {
    return this.#requests.settings.updateSettings(source, settings);
  }

  reloadPlugins(options?: {
    holdOnCacheImpact?: boolean;
    addPlugins?: SdkPluginConfig[];
    refuseIfBusy?: boolean;
  }): Promise<SDKControlReloadPluginsResponse> {
    return this.#requests.settings.reloadPlugins(options);
  }

  reloadSkills(): Promise<SDKControlReloadSkillsResponse> {
    return this.#requests.settings.reloadSkills();
  }

  reloadOutputStyles(): Promise<SDKControlReloadOutputStylesResponse> {
    return this.#requests.settings.reloadOutputStyles();
  }

  initializationResult(): Promise<SDKControlInitializeResponse> {
    return this.#requests.initializationResult();
  }

  reinitialize(): Promise<SDKControlInitializeResponse> {
    return this.#requests.reinitialize();
  }

  supportedCommands(): Promise<SlashCommand[]> {
    return this.#requests.initializationPart(
      ({ commands }) => this.#session.latestCommands ?? commands ?? [],
    );
  }

  supportedModels(): Promise<ModelInfo[]> {
    return this.#requests.initializationPart(({ models }) => models ?? []);
  }

  supportedAgents(): Promise<AgentInfo[]> {
    return this.#requests.initializationPart(({ agents }) => agents ?? []);
  }

  accountInfo(): Promise<AccountInfo> {
    return this.#requests.initializationPart(({ account }) => account ?? {});
  }

  setMcpServers(servers: Record<string, McpServerConfig>): Promise<McpSetServersResult> {
    return this.#requests.mcp.setServers(servers);
  }

  mcpServerStatus(): Promise<McpServerStatus[]> {
    return this.#requests.mcp.status();
  }

  reconnectMcpServer(serverName: string): Promise<void> {
    return this.#requests.mcp.reconnect(serverName);
  }

  toggleMcpServer(serverName: string, enabled: boolean): Promise<void> {
    return this.#requests.mcp.toggle(serverName, enabled);
  }

  readMcpResource(serverName: string, uri: string): Promise<SDKControlMcpReadResourceResponse> {
    return this.#requests.mcp.readResource(serverName, uri);
  }

  setMcpPermissionModeOverride(
    serverName: string,
    mode: 'default' | 'auto' | null,
  ): Promise<{ warning?: string }> {
    return this.#requests.mcp.setPermissionModeOverride(serverName, mode);
  }

  readFile(
    path: string,
    options?: { maxBytes?: number; encoding?: 'utf-8' | 'base64' },
  ): Promise<SDKControlReadFileResponse | null> {
    return this.#requests.files.readFile(path, options);
  }

  seedReadState(path: string, mtime: number): Promise<void> {
    return this.#requests.files.seedReadState(path, mtime);
  }

  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<RewindFilesResult> {
    return this.#requests.files.rewindFiles(userMessageId, options);
  }

  getContextUsage(options?: {
    detail?: 'summary' | 'full';
  }): Promise<SDKControlGetContextUsageResponse> {
    return this.#requests.getContextUsage(options);
  }

  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(options?: {
    skipBehaviors?: boolean;
  }): Promise<SDKControlGetUsageResponse> {
    return this.#requests.getUsage(options);
  }

  stopTask(taskId: string): Promise<void> {
    return this.#requests.stopTask(taskId);
  }

  backgroundTasks(toolUseId?: string): Promise<boolean> {
    return this.#requests.backgroundTasks(toolUseId);
  }
}
