import type { PermissionMode } from '../control/permission-types.js';
import type { McpServerConfig } from '../mcp/mcp-server-config.js';
import type { SDKMessage, SDKUserMessage } from '../parser/message.js';
import type {
  AccountInfo,
  AgentInfo,
  McpServerStatus,
  McpSetServersResult,
  ModelInfo,
  RewindFilesResult,
  SDKControlGetContextUsageResponse,
  SDKControlGetUsageResponse,
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
import type { SdkPluginConfig, Settings } from './options/extension-options.js';
import type { EffortLevel } from './options/model-options.js';
import type { Options } from './options.js';

/** A user message, or many: the input of a run. */
export type QueryParams = {
  /** A string is one message; an iterable keeps the session open while it lasts. */
  prompt: string | AsyncIterable<SDKUserMessage>;
  options?: Options;
};

/** Settings for the rest of the session. `null` takes one back. */
export type FlagSettings = {
  [K in keyof Settings]?: K extends 'effortLevel' ? EffortLevel | null : Settings[K] | null;
};

/**
 * A running session: an async iterable of what the CLI sends, and the requests that can be made of it.
 *
 * It runs from the moment `query()` returns, whether or not anybody iterates. Leaving the loop early (`break`, a throw)
 * ends the CLI. A request method rejects:
 * @throws ControlRequestError the CLI refused; the message is its own text, `errorCode` its code.
 * @throws ControlRequestTimeoutError no answer in time; the session goes on.
 * @throws SessionClosedError the session, or its input, is over: nothing was sent, or no answer will come.
 */
export interface Query extends AsyncGenerator<SDKMessage, void> {
  /**
   * Any control request, typed by its subtype; an unknown subtype goes out as it is.
   * @param options.timeoutMs - Milliseconds; `0` waits for ever. @defaultValue `controlTimeoutMs`
   * @see docs/reference/protocol.md in the repository, "Control requests"
   */
  readonly request: SendControlRequest;
  /**
   * Stops the turn that runs; the session goes on. The turn ends with a result of subtype `error_during_execution`,
   * which `outcomeOf` calls `interrupted`: pass it the messages of that turn, up to its result.
   * @param options.cancelQueued - Takes back the messages that wait too; older releases ignore it.
   * @returns the receipt with `still_queued`, or `undefined` from a CLI that gives none.
   */
  interrupt(options?: { cancelQueued?: boolean }): Promise<SDKControlInterruptResponse | undefined>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** For the API calls that follow, also inside a running turn. No argument: the default model. */
  setModel(model?: string): Promise<void>;
  /** `null` lifts the limit, `0` switches thinking off. */
  setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: 'summarized' | 'omitted' | 'highlights' | null,
  ): Promise<void>;
  /** Adds to what the `settings` option gave; a key that is given again wins, `null` takes it back. */
  applyFlagSettings(settings: FlagSettings): Promise<void>;
  /** Writes into a settings file of the user or of the project. */
  updateSettings(source: 'localSettings' | 'userSettings', settings: Record<string, unknown>): Promise<void>;
  /**
   * Reads the plugins anew.
   * @param options.holdOnCacheImpact - Does nothing where the prompt cache would be lost, and says so.
   * @param options.addPlugins - Further ones.
   * @param options.refuseIfBusy - An error while a turn runs.
   */
  reloadPlugins(options?: {
    holdOnCacheImpact?: boolean;
    addPlugins?: SdkPluginConfig[];
    refuseIfBusy?: boolean;
  }): Promise<SDKControlReloadPluginsResponse>;
  reloadSkills(): Promise<SDKControlReloadSkillsResponse>;
  reloadOutputStyles(): Promise<SDKControlReloadOutputStylesResponse>;
  /** The first answer to `initialize`. No traffic. */
  initializationResult(): Promise<SDKControlInitializeResponse>;
  /** Sends `initialize` again, with the same hooks. The CLI asks its open questions anew. */
  reinitialize(): Promise<SDKControlInitializeResponse>;
  /** From the answer to `initialize`, kept up to date by `system/commands_changed`. */
  supportedCommands(): Promise<SlashCommand[]>;
  supportedModels(): Promise<ModelInfo[]>;
  supportedAgents(): Promise<AgentInfo[]>;
  accountInfo(): Promise<AccountInfo>;
  /**
   * Makes these the MCP servers of the session, in place of those of `mcpServers` and of calls before. In-process ones
   * that are already there go on undisturbed; another server under the same name replaces the one before. When the CLI
   * refuses, the servers are what they were.
   * @returns what changed. Servers that could not be connected are in `errors`.
   * @throws InvalidOptionError a server that the option would refuse; as a rejection, nothing was sent.
   */
  setMcpServers(servers: Record<string, McpServerConfig>): Promise<McpSetServersResult>;
  mcpServerStatus(): Promise<McpServerStatus[]>;
  reconnectMcpServer(serverName: string): Promise<void>;
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;
  readMcpResource(serverName: string, uri: string): Promise<SDKControlMcpReadResourceResponse>;
  /** A permission mode for the tools of one server. `null`: the session's. */
  setMcpPermissionModeOverride(serverName: string, mode: 'default' | 'auto' | null): Promise<{ warning?: string }>;
  /**
   * A file of the CLI's machine. Never rejects.
   * @returns `null` when the file cannot be read, for whatever reason, the end of the session included.
   */
  readFile(
    path: string,
    options?: { maxBytes?: number; encoding?: 'utf-8' | 'base64' },
  ): Promise<SDKControlReadFileResponse | null>;
  /**
   * Tells the CLI that the model has seen this file, so that it may be edited without being read.
   * @param mtime - Of the file when it was seen, in milliseconds since 1970.
   */
  seedReadState(path: string, mtime: number): Promise<void>;
  /** Needs `enableFileCheckpointing`. */
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<RewindFilesResult>;
  getContextUsage(options?: { detail?: 'summary' | 'full' }): Promise<SDKControlGetContextUsageResponse>;
  /** Cost and limits. The name is the official one: the answer changes with the CLI. */
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(options?: {
    skipBehaviors?: boolean;
  }): Promise<SDKControlGetUsageResponse>;
  /** Stops a background task. */
  stopTask(taskId: string): Promise<void>;
  /**
   * Lets what the turn waits for go on in the background: one tool call, or all.
   * @returns false when there was nothing to let go.
   */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /**
   * Writes more user messages, no faster than the CLI reads; resolves when the iterable is exhausted. Calls may
   * overlap: their frames interleave whole.
   */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  /**
   * Ends the session: end of input now, SIGTERM after 2 s, SIGKILL after 7 s. Returns at once, may be called twice.
   * Messages already received stay readable; then the loop ends without an error.
   */
  close(): void;
  /** As leaving the loop: resolves when the CLI is gone, at the latest after 2 s. */
  [Symbol.asyncDispose](): Promise<void>;
}
