import type { RequestOptions } from '../control/controller-options.js';
import type { ReadAnswer } from '../control/outbound-requests.js';
import type { PermissionMode } from '../control/permission-types.js';
import { invalidOption } from '../errors/usage-errors.js';
import { ControlRequestError, ControlRequestTimeoutError } from '../errors.js';
import type { McpServerConfig } from '../mcp/mcp-server-config.js';
import type { SDKMessage, SDKUserMessage } from '../parser/message.js';
import { handled } from '../util/deferred.js';
import { isJsonObject, type JsonObject, omitUndefined } from '../util/json.js';
import type {
  ControlRequestMap,
  ControlRequestSubtype,
  McpServerStatus,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SendControlRequest,
} from './control-requests.js';
import { McpServerSet } from './mcp-server-set.js';
import { openSession } from './open-session.js';
import type { QuerySession } from './query-session.js';
import type { FlagSettings, Query, QueryParams } from './query-types.js';
import { ignore, UndeclaredMethods } from './undeclared-methods.js';

/**
 * Starts Claude Code with a prompt and returns its messages as they come.
 *
 * Synchronous: when it returns, the process is spawned and `initialize` and a string prompt are written. The run goes
 * on whether or not anybody iterates, and the loop ends when the process has ended.
 * @param params.prompt - One message, or an iterable of them; the iterable is pulled no faster than the CLI reads.
 * @throws InvalidOptionError an option cannot be used; nothing was started.
 * @throws AbortError `abortController` had already been aborted; nothing was started.
 *
 * The loop throws, after every message that was received: `CLINotFoundError`, `CLIConnectionError` (the process could
 * not be started), `ProcessError` (it exited with an error), `ResultError` (it exited with an error after an error
 * result), `AbortError`, `PromptError`, and the time-out and limit errors of the options.
 *
 * @example
 * for await (const message of query({ prompt: 'Say hello.' })) {
 *   if (message.type === 'result') console.log(message.subtype);
 * }
 */
export function query(params: QueryParams): Query {
  if (!isJsonObject(params)) {
    const hint = 'Call it as in `query({ prompt: "Say hello.", options: { model: "sonnet" } })`.';
    throw invalidOption('params', 'an object with a `prompt`', params, hint);
  }
  const { prompt, options } = params;
  return new SessionQuery(openSession({ front: 'query', prompt, options: options ?? {} }));
}

/**
 * `Query` over a session: each method sends its request. All decisions are the session's. Results have the types of
 * {@link ControlRequestMap}.
 *
 * No rejection counts as unhandled: the session may end while any request is pending (TS-165).
 *
 * @internal
 */
export class SessionQuery extends UndeclaredMethods implements Query {
  readonly #session: QuerySession;
  readonly #mcpServers: McpServerSet;

  constructor(session: QuerySession) {
    super((subtype, payload, read, options) => session.request(subtype, payload, options, read));
    this.#session = session;
    this.#mcpServers = new McpServerSet(session);
  }

  /** The session behind a query; `undefined` for one that is not ours. */
  static sessionOf(query: SessionQuery): QuerySession;
  static sessionOf(query: object): QuerySession | undefined;
  static sessionOf(query: object): QuerySession | undefined {
    return #session in query ? query.#session : undefined;
  }

  next(): Promise<IteratorResult<SDKMessage, void>> {
    return this.#session.messages.next();
  }

  return(value?: void | PromiseLike<void>): Promise<IteratorResult<SDKMessage, void>> {
    return this.#leave(true, value);
  }

  async #leave(isAbandoned: boolean, value?: void | PromiseLike<void>): Promise<IteratorResult<SDKMessage, void>> {
    this.#session.messages.abandon();
    this.#session.close(undefined, { isAbandoned });
    // One that rejects while the CLI leaves must not count as unhandled.
    const settled = handled(Promise.resolve(value));
    await this.#session.left();
    return { value: await settled, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<SDKMessage, void>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave(false);
  }

  close(): void {
    this.#session.close();
  }

  /** Undeclared, as in the official SDK. */
  isClosed(): boolean {
    return !this.#session.isRunning;
  }

  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    return this.#session.input.stream(stream);
  }

  // The subtype is what makes the answer's type true; the CLI's wire contract, not this code, keeps it.
  readonly request = ((subtype: string, payload?: JsonObject, options?: RequestOptions) =>
    this.#session.request(subtype, payload, options)) as SendControlRequest;

  interrupt(options?: { cancelQueued?: boolean }): Promise<SDKControlInterruptResponse | undefined> {
    const payload = options?.cancelQueued === true ? { cancel_queued: true } : {};
    return this.#sendRequest('interrupt', payload, (receipt) =>
      // Releases that give no receipt answer without this list.
      Array.isArray(receipt?.still_queued) ? (receipt as SDKControlInterruptResponse) : undefined,
    );
  }

  /** @param options - Undeclared, as in the official SDK. */
  setPermissionMode(mode: PermissionMode, options?: { answersBypassSwitchBack?: boolean }): Promise<void> {
    const payload = { mode, answers_bypass_switch_back: options?.answersBypassSwitchBack };
    return this.#sendRequest('set_permission_mode', omitUndefined(payload), ignore);
  }

  setModel(model?: string | null): Promise<void> {
    return this.#sendRequest('set_model', omitUndefined({ model }), ignore);
  }

  setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: 'summarized' | 'omitted' | 'highlights' | null,
  ): Promise<void> {
    const payload = { max_thinking_tokens: maxThinkingTokens, thinking_display: thinkingDisplay };
    return this.#sendRequest('set_max_thinking_tokens', omitUndefined(payload), ignore);
  }

  applyFlagSettings(settings: FlagSettings): Promise<void> {
    return this.#sendRequest('apply_flag_settings', { settings }, ignore);
  }

  updateSettings(source: 'localSettings' | 'userSettings', settings: Record<string, unknown>): Promise<void> {
    return this.#sendRequest('update_settings', { source, settings }, ignore);
  }

  reloadPlugins(options?: Parameters<Query['reloadPlugins']>[0]) {
    // Off and empty are the same as not given, and not sent.
    const payload = {
      hold_on_cache_impact: options?.holdOnCacheImpact || undefined,
      add_plugins: options?.addPlugins?.length ? options.addPlugins : undefined,
      refuse_if_busy: options?.refuseIfBusy || undefined,
    };
    return this.#requestResult('reload_plugins', omitUndefined(payload));
  }

  reloadSkills() {
    return this.#requestResult('reload_skills');
  }

  reloadOutputStyles() {
    return this.#requestResult('reload_output_styles');
  }

  /** The first answer to `initialize`, or a claim's. Unchecked: the CLI may be newer than these types. */
  initializationResult(): Promise<SDKControlInitializeResponse> {
    return this.#session.initialization as Promise<SDKControlInitializeResponse>;
  }

  reinitialize(): Promise<SDKControlInitializeResponse> {
    return this.#session.reinitialize() as Promise<SDKControlInitializeResponse>;
  }

  supportedCommands() {
    return this.#fromInitialization(({ commands }) => this.#session.record.latestCommands ?? commands ?? []);
  }

  supportedModels() {
    return this.#fromInitialization(({ models }) => models ?? []);
  }

  supportedAgents() {
    return this.#fromInitialization(({ agents }) => agents ?? []);
  }

  accountInfo() {
    return this.#fromInitialization(({ account }) => account ?? {});
  }

  setMcpServers(servers: Record<string, McpServerConfig>) {
    return handled(this.#mcpServers.replace(servers));
  }

  mcpServerStatus(): Promise<McpServerStatus[]> {
    return this.#sendRequest('mcp_status', {}, (answer) => {
      const servers = answer?.mcpServers;
      if (!Array.isArray(servers)) throw missingField('mcp_status', 'mcpServers');
      return servers as McpServerStatus[];
    });
  }

  reconnectMcpServer(serverName: string): Promise<void> {
    return this.#sendRequest('mcp_reconnect', { serverName }, ignore);
  }

  toggleMcpServer(serverName: string, enabled: boolean): Promise<void> {
    return this.#sendRequest('mcp_toggle', { serverName, enabled }, ignore);
  }

  readMcpResource(serverName: string, uri: string) {
    return this.#requestResult('mcp_read_resource', { serverName, uri });
  }

  setMcpPermissionModeOverride(serverName: string, mode: 'default' | 'auto' | null) {
    const payload = { serverName, mode };
    return handled(this.#requestResult('set_mcp_permission_mode_override', payload).then((answer) => answer ?? {}));
  }

  /** A refusal is `null`: the caller asks for a file that may not be there (TS-102). */
  readFile(path: string, options?: Parameters<Query['readFile']>[1]) {
    const { maxBytes: max_bytes, encoding } = options ?? {};
    return this.#requestResult('read_file', omitUndefined({ path, max_bytes, encoding })).then(
      (file) => file ?? null,
      (error: unknown) => {
        // A CLI that does not know the request has not looked for the file.
        if (error instanceof ControlRequestTimeoutError || isUnknownRequest(error)) throw error;
        return null;
      },
    );
  }

  seedReadState(path: string, mtime: number): Promise<void> {
    return this.#sendRequest('seed_read_state', { path, mtime }, ignore);
  }

  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }) {
    const payload = { user_message_id: userMessageId, dry_run: options?.dryRun };
    // Releases before 2.0.77 say no more than that it was done.
    const rewound = this.#requestResult('rewind_files', omitUndefined(payload));
    return handled(rewound.then((answer) => answer ?? { canRewind: true }));
  }

  getContextUsage(options?: { detail?: 'summary' | 'full' }) {
    return this.#requestResult('get_context_usage', options);
  }

  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(options?: { skipBehaviors?: boolean }) {
    const payload = { skip_behaviors: options?.skipBehaviors || undefined };
    return this.#requestResult('get_usage', omitUndefined(payload));
  }

  stopTask(taskId: string): Promise<void> {
    return this.#sendRequest('stop_task', { task_id: taskId }, ignore);
  }

  /** An answer without `backgrounded` counts as done (TS-104). */
  backgroundTasks(toolUseId?: string): Promise<boolean> {
    const payload = omitUndefined({ tool_use_id: toolUseId });
    return this.#sendRequest('background_tasks', payload, (answer) => answer?.backgrounded !== false);
  }

  /** Sends a request whose answer still has to be read. */
  #sendRequest<T>(subtype: string, payload: JsonObject, read: ReadAnswer<T>): Promise<T> {
    return this.#session.request(subtype, payload, undefined, read);
  }

  /** Sends a request whose answer is the method's value. */
  #requestResult<S extends ControlRequestSubtype>(
    subtype: S,
    payload: JsonObject = {},
  ): Promise<ControlRequestMap[S]['output']> {
    // The CLI's wire contract makes the type true.
    return this.#session.request(subtype, payload) as Promise<ControlRequestMap[S]['output']>;
  }

  #fromInitialization<T>(part: (answer: SDKControlInitializeResponse) => T): Promise<T> {
    return handled(this.initializationResult().then(part));
  }
}

/** Older releases answer so; the oldest do not answer at all. */
function isUnknownRequest(error: unknown): boolean {
  if (!(error instanceof ControlRequestError)) return false;
  return error.errorCode === 'unsupported_request' || error.message.startsWith('Unsupported control request');
}

/** A typed error in place of the `TypeError` that reading a missing field would give. */
function missingField(subtype: string, field: string): ControlRequestError {
  return new ControlRequestError(`The answer to \`${subtype}\` has no \`${field}\``, { subtype, requestId: '' });
}
