import type { RequestOptions } from '../control/controller-options.js';
import type { PermissionMode } from '../control/permission-types.js';
import { tooLate } from '../control/request-errors.js';
import { CLIConnectionError } from '../errors.js';
import { isResultMessage } from '../parser/guards.js';
import type { SDKMessage, SDKUserMessage } from '../parser/message.js';
import type { JsonObject } from '../util/json.js';
import type {
  McpServerStatus,
  RewindFilesResult,
  SDKControlGetContextUsageResponse,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
} from './control-answers.js';
import type { SendControlRequest } from './control-requests.js';
import { openSession } from './open-session.js';
import type { Options } from './options.js';
import { userFrame } from './prompt.js';
import { SessionQuery } from './query.js';

const DEFAULT_SESSION_ID = 'default';

/**
 * A conversation that stays open: connect once, ask many times, disconnect.
 *
 * Mirrors the Python SDK's client over the same session as `query()`: `connect()` waits for the handshake,
 * `receiveResponse()` ends after one result, the input stays open until `disconnect()`, unless `connect()` got an
 * iterable: that one is the whole input. Methods other than `connect` and `disconnect` throw when not connected.
 * @throws CLIConnectionError `Not connected. Call connect() first.` (`errorClass: 'not_connected'`)
 *
 * @example
 * await using client = new ClaudeClient({ permissionMode: 'plan' });
 * await client.connect();
 * await client.query('What is in this folder?');
 * for await (const message of client.receiveResponse()) console.log(message.type);
 */
export class ClaudeClient implements AsyncDisposable {
  readonly #options: Options;
  #query: SessionQuery | undefined;
  /** What a loop throws after an earlier one has come to the end. */
  readonly #endOf = new WeakMap<SessionQuery, unknown>();
  /** The end of the last connection. */
  #ended: Promise<void> = Promise.resolve();

  constructor(options: Options = {}) {
    this.#options = options;
  }

  /** True between a successful `connect()` and `disconnect()`, also when the CLI has ended meanwhile. */
  get isConnected(): boolean {
    return this.#query !== undefined;
  }

  /**
   * Starts the CLI, waits for its answer to `initialize` and, when given, sends the first prompt.
   * @param prompt - An iterable is the whole input, as in the Python SDK: the input ends with it (with callbacks, once
   * everything is answered), so that {@link receiveMessages} ends too, and a later `query()` throws a
   * `SessionClosedError`. Connect with a string or nothing to send more.
   * @throws InvalidOptionError, CLINotFoundError, CLIConnectionError, ControlRequestError (the CLI refused the
   * handshake), ControlRequestTimeoutError. The process is gone when it rejects.
   * @throws CLIConnectionError the client is connected already.
   */
  async connect(prompt?: string | AsyncIterable<SDKUserMessage>): Promise<void> {
    if (this.#query !== undefined) throw new CLIConnectionError('Already connected. Call disconnect() first.');
    const session = openSession({
      front: 'client',
      prompt: typeof prompt === 'string' ? undefined : prompt,
      options: this.#options,
    });
    const query = new SessionQuery(session);
    this.#query = query;
    try {
      await session.controller.initialized;
      // A guard that was not confirmed guards nothing.
      await session.confirmed;
      if (typeof prompt === 'string') await sendTo(query, prompt, DEFAULT_SESSION_ID);
    } catch (error) {
      session.close();
      await session.ended();
      // `disconnect()` and another `connect()` may have come in between.
      if (this.#query === query) this.#query = undefined;
      throw error;
    }
  }

  /**
   * Sends one message, or every message of an iterable (an item without `session_id` is sent with it). Resolves when
   * they are written; stdin stays open.
   * @param sessionId - Goes into the frame. The CLI does not act on it. @defaultValue 'default'
   * @throws InvalidOptionError the prompt is neither a string nor an iterable.
   */
  async query(prompt: string | AsyncIterable<SDKUserMessage>, sessionId = DEFAULT_SESSION_ID): Promise<void> {
    await sendTo(this.#connected(), prompt, sessionId);
  }

  /**
   * Every message until the CLI ends. May be left and entered again: nothing is lost between. Once a loop has come to
   * the end, every later one throws.
   * @throws the error that ended the connection, to each loop; SessionClosedError: it ended without one.
   */
  async *receiveMessages(): AsyncGenerator<SDKMessage, void> {
    const query = this.#connected();
    const ended = this.#endOf.get(query);
    if (ended !== undefined) throw ended;
    for (;;) {
      const step = await this.#next(query);
      if (step.done === true) return;
      yield step.value;
    }
  }

  /** As {@link receiveMessages}, up to and including the next result. */
  async *receiveResponse(): AsyncGenerator<SDKMessage, void> {
    for await (const message of this.receiveMessages()) {
      yield message;
      if (isResultMessage(message)) return;
    }
  }

  /** Any control request; see `Query.request`. */
  readonly request = ((subtype: string, payload?: JsonObject, options?: RequestOptions) =>
    this.#whenConnected((query) => query.request(subtype, payload, options))) as SendControlRequest;

  interrupt(): Promise<SDKControlInterruptResponse | undefined> {
    return this.#whenConnected((query) => query.interrupt());
  }

  setPermissionMode(mode: PermissionMode): Promise<void> {
    return this.#whenConnected((query) => query.setPermissionMode(mode));
  }

  /** No argument: the default model, sent as `null` (PY-116). */
  setModel(model?: string): Promise<void> {
    return this.#whenConnected((query) => query.setModel(model ?? null));
  }

  rewindFiles(userMessageId: string, options: { dryRun?: boolean } = {}): Promise<RewindFilesResult> {
    return this.#whenConnected((query) => query.rewindFiles(userMessageId, options));
  }

  reconnectMcpServer(serverName: string): Promise<void> {
    return this.#whenConnected((query) => query.reconnectMcpServer(serverName));
  }

  toggleMcpServer(serverName: string, enabled: boolean): Promise<void> {
    return this.#whenConnected((query) => query.toggleMcpServer(serverName, enabled));
  }

  stopTask(taskId: string): Promise<void> {
    return this.#whenConnected((query) => query.stopTask(taskId));
  }

  /** The servers of the answer; the Python client returns the whole answer (`request('mcp_status')` does too). */
  mcpServerStatus(): Promise<McpServerStatus[]> {
    return this.#whenConnected((query) => query.mcpServerStatus());
  }

  getContextUsage(): Promise<SDKControlGetContextUsageResponse> {
    return this.#whenConnected((query) => query.getContextUsage());
  }

  /** The answer to `initialize`. No traffic. */
  getServerInfo(): Promise<SDKControlInitializeResponse> {
    return this.#whenConnected((query) => query.initializationResult());
  }

  /**
   * Ends the conversation: end of input, SIGTERM after 5 s, SIGKILL after 10 s. Resolves when the CLI is gone. Safe
   * before `connect()` and twice: every call waits for the end.
   */
  async disconnect(): Promise<void> {
    const query = this.#query;
    this.#query = undefined;
    if (query !== undefined) {
      query.close();
      this.#ended = SessionQuery.sessionOf(query).ended();
    }
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect();
  }

  async #next(query: SessionQuery): Promise<IteratorResult<SDKMessage, void>> {
    try {
      const step = await query.next();
      if (step.done === true) {
        const { closedBy } = SessionQuery.sessionOf(query).controller;
        this.#endOf.set(query, this.#endOf.get(query) ?? tooLate('There are no more messages', closedBy));
      }
      return step;
    } catch (error) {
      this.#endOf.set(query, error);
      throw error;
    }
  }

  /** Not `async`: the extra promise could end the host with an unhandled rejection (TS-165). */
  #whenConnected<T>(send: (query: SessionQuery) => Promise<T>): Promise<T> {
    try {
      return send(this.#connected());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #connected(): SessionQuery {
    if (this.#query === undefined) {
      throw new CLIConnectionError('Not connected. Call connect() first.', { errorClass: 'not_connected' });
    }
    return this.#query;
  }
}

/** Sends messages; those without a session id are sent with this one, and the caller's objects are not touched. */
function sendTo(query: SessionQuery, prompt: string | AsyncIterable<SDKUserMessage>, sessionId: string): Promise<void> {
  const items = typeof prompt === 'string' ? [userFrame(prompt, sessionId)] : prompt;
  return SessionQuery.sessionOf(query).input.stream(items, (frame) =>
    'session_id' in frame ? frame : { ...frame, session_id: sessionId },
  );
}
