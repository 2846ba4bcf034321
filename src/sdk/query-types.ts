import type { PermissionMode } from '../control/permission-types.js';
import type { SDKMessage, SDKUserMessage } from '../parser/message.js';
import type {
  AccountInfo,
  AgentInfo,
  McpServerStatus,
  ModelInfo,
  RewindFilesResult,
  SDKControlGetContextUsageResponse,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SendControlRequest,
  SlashCommand,
} from './control-requests.js';
import type { Options } from './options.js';

/** A user message, or many: the input of a run. */
export interface QueryParams {
  /** A string is one message; an iterable keeps the session open while it lasts. */
  prompt: string | AsyncIterable<SDKUserMessage>;
  options?: Options;
}

/**
 * A running session: an async iterable of what the CLI sends, and the requests that can be made of it.
 *
 * It runs from the moment `query()` returns, whether or not anybody iterates. Leaving the loop early
 * (`break`, a throw) ends the CLI. Every request method
 *
 * @throws ControlRequestError the CLI refused; the message is its own text, `errorCode` its code.
 * @throws ControlRequestTimeoutError no answer in time; the session goes on.
 * @throws SessionClosedError the session, or its input, is over: nothing was sent, or no answer will come.
 */
export interface Query extends AsyncGenerator<SDKMessage, void> {
  /**
   * Any control request, typed by its subtype; an unknown subtype goes out as it is.
   *
   * @param options.timeoutMs - Milliseconds; `0` waits for ever. @defaultValue 60_000, or 600_000 for requests that wait for work
   * @see docs/protocol.md, "Control requests"
   */
  readonly request: SendControlRequest;

  /**
   * Stops the turn that runs; the session goes on. The turn ends with a result of subtype
   * `error_during_execution`, which `outcomeOf` calls `interrupted`.
   *
   * @returns the receipt with `still_queued`, or `undefined` from a CLI that gives none.
   */
  interrupt(): Promise<SDKControlInterruptResponse | undefined>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** For the API calls that follow, also inside a running turn. No argument: the default model. */
  setModel(model?: string): Promise<void>;
  /** `null` lifts the limit, `0` switches thinking off. */
  setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: 'summarized' | 'omitted' | 'highlights' | null,
  ): Promise<void>;

  /** The first answer to `initialize`. No traffic. */
  initializationResult(): Promise<SDKControlInitializeResponse>;
  /** From the answer to `initialize`, kept up to date by `system/commands_changed`. */
  supportedCommands(): Promise<SlashCommand[]>;
  supportedModels(): Promise<ModelInfo[]>;
  supportedAgents(): Promise<AgentInfo[]>;
  accountInfo(): Promise<AccountInfo>;

  mcpServerStatus(): Promise<McpServerStatus[]>;
  reconnectMcpServer(serverName: string): Promise<void>;
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;
  getContextUsage(options?: {
    detail?: 'summary' | 'full';
  }): Promise<SDKControlGetContextUsageResponse>;
  /** Needs `enableFileCheckpointing`. */
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<RewindFilesResult>;
  /** Stops a background task. */
  stopTask(taskId: string): Promise<void>;

  /**
   * Writes more user messages, no faster than the CLI reads; resolves when the iterable is exhausted.
   * Calls may overlap: their frames interleave whole.
   */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;

  /**
   * Ends the session: end of input now, SIGTERM after 2 s, SIGKILL after 7 s. Returns at once, may be
   * called twice. Messages already received stay readable; then the loop ends without an error.
   */
  close(): void;
  /** As leaving the loop: resolves when the CLI is gone, at the latest after 2 s. */
  [Symbol.asyncDispose](): Promise<void>;
}
