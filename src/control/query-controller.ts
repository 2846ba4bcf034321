import type { FrameReceiver } from '../transport/transport.js';
import { ignoreRejection } from '../util/deferred.js';
import { type JsonObject, stringField } from '../util/json.js';
import type { QueryControllerOptions, RequestOptions } from './controller-options.js';
import { openQuestionsOf, parseAnswer, requestFrame } from './envelope.js';
import { type FrameSinks, routeFrame } from './frame-router.js';
import { createHandlers } from './handlers.js';
import { InboundRouter } from './inbound-router.js';
import { Handshake } from './initialize.js';
import { McpBridge } from './mcp-bridge.js';
import type { McpEndpointFactory, McpServerManifest } from './mcp-endpoint.js';
import { MessageLedger } from './message-ledger.js';
import { OutboundQueue } from './outbound-queue.js';
import { OutboundRequests } from './outbound-requests.js';
import { PendingRequests } from './pending-requests.js';
import { captureCallSite, toFrameError } from './request-errors.js';
import { StdinLifetime } from './stdin-lifetime.js';

/** A stack costs more than all else in a request: beyond so many at once, errors do without the caller's. */
const TRACED_REQUESTS = 8;

/**
 * The control protocol of one session: writes `initialize` and requests, gives the CLI's questions
 * to the host's callbacks, passes messages on, and decides when stdin is closed. Reads frames from
 * the first byte and never waits for the consumer.
 */
export class QueryController {
  /**
   * The first answer to `initialize`, `{}` when it has no body. Rejects with the CLI's error answer, a
   * `ControlRequestTimeoutError` or the end of the session. Never counts as an unhandled rejection.
   */
  readonly initialized: Promise<JsonObject>;

  readonly #options: QueryControllerOptions;
  readonly #queue: OutboundQueue;
  readonly #pending: PendingRequests;
  readonly #router: InboundRouter;
  readonly #mcpBridge: McpBridge;
  readonly #lifetime: StdinLifetime;
  readonly #messages = new MessageLedger();
  readonly #requests: OutboundRequests;
  readonly #handshake: Handshake;
  #hasStarted = false;
  #endsWhenOpened = false;
  #hasEnded = false;

  constructor(options: QueryControllerOptions) {
    this.#options = options;
    const { transport, callbacks, policy, receiver } = options;
    const onDiagnostic = receiver.onDiagnostic.bind(receiver);
    const write = (frame: object): void => {
      this.#queue.send(frame);
    };
    const onSettled = () => this.#lifetime.evaluate();
    this.#queue = new OutboundQueue(transport);
    this.#pending = new PendingRequests(onDiagnostic, onSettled);
    this.#mcpBridge = new McpBridge(write, onDiagnostic);
    this.#router = new InboundRouter({
      handlers: createHandlers(callbacks, policy, this.#mcpBridge, onDiagnostic),
      answerAfterCancel: policy.answerAfterCancel,
      write,
      onDiagnostic,
      onSettled,
    });
    this.#lifetime = new StdinLifetime({
      closeRule: policy.closeRule,
      needStdin: () => this.hasCallbacks,
      outboundCount: () => this.pendingRequestCount,
      messages: this.#messages,
      inboundCount: () => this.openInboundCount,
      close: (why) => this.#endInputByRule(why),
    });
    const outbound = { queue: this.#queue, pending: this.#pending };
    this.#requests = new OutboundRequests({
      ...outbound,
      nextRequestId: options.nextRequestId,
      controlTimeoutMs: policy.controlTimeoutMs,
    });
    this.#handshake = new Handshake({
      ...outbound,
      requestId: this.#requests.newId(),
      fields: options.initialize,
      timeoutMs: policy.initializeTimeoutMs,
      countsHooks: policy.countsStartHooks === true,
    });
    this.initialized = this.#handshake.answered;
  }

  /** True until stdin was ended, by us or with the peer. */
  get isInputOpen(): boolean {
    return !this.#endsWhenOpened && this.#queue.isInputOpen;
  }

  /** Why the session ended; `undefined` while it goes on. */
  get closedBy(): Error | undefined {
    return this.#queue.closedBy;
  }

  /**
   * True since the first `system/init`: the CLI is at work. A timeout of {@link initialized} then says
   * only that its answer is missing.
   */
  get isUp(): boolean {
    return this.#handshake.isUp;
  }

  /** Outbound requests without an answer, the first `initialize` left out. */
  get pendingRequestCount(): number {
    return this.#pending.size - (this.#pending.has(this.#handshake.requestId) ? 1 : 0);
  }

  /** True while the CLI may ask the host something: it has callbacks, or an in-process server. */
  get hasCallbacks(): boolean {
    return this.#options.callbacks.needStdin || this.#mcpBridge.serverCount > 0;
  }

  /** The in-process servers as they are now, by name. */
  get mcpServers(): ReadonlyMap<string, McpEndpointFactory> {
    return this.#mcpBridge.servers;
  }

  /** Background tasks of the CLI that have not ended. */
  get liveTaskCount(): number {
    return this.#lifetime.liveTaskCount;
  }

  /** What of the user messages is unanswered. */
  get messages(): Pick<MessageLedger, 'isTurnOpen' | 'unansweredCount'> {
    return this.#messages;
  }

  /** Inbound requests that are owed an answer. */
  get openInboundCount(): number {
    return this.#router.openCount;
  }

  /**
   * Opens the transport and writes `initialize`: at once, or with in-process servers after their
   * manifests (250 ms at most). Whatever is sent earlier waits behind it.
   */
  start(): void {
    if (this.#hasStarted || this.#queue.closedBy !== undefined) return;
    this.#hasStarted = true;
    this.#options.transport.open(this.#createReceiver());
    const { peerStarted } = this.#options;
    if (peerStarted === undefined) this.#handshake.start();
    else void peerStarted.then(() => this.#handshake.start());
    const { mcpServers } = this.#options.callbacks;
    for (const [name, factory] of mcpServers) this.#mcpBridge.set(name, factory);
    if (mcpServers.size === 0 || this.#endsWhenOpened) this.#writeInitialize({});
    else void this.#mcpBridge.manifests().then((manifests) => this.#writeInitialize(manifests));
  }

  /**
   * Sends one control request.
   *
   * @returns the answer's `response`, `undefined` when it has none.
   * @throws ControlRequestError the CLI refused; ControlRequestTimeoutError no answer in time;
   * AbortError `options.signal` fired; SessionClosedError stdin is closed or the session ended in
   * good order; the session's own error when it ended badly; InvalidOptionError the payload is not
   * JSON, or an option is not what it should be.
   */
  request(
    subtype: string,
    payload?: JsonObject,
    options?: RequestOptions | null,
  ): Promise<JsonObject | undefined> {
    const callSite = this.#pending.size < TRACED_REQUESTS ? captureCallSite(this.request) : {};
    return this.#requests.send(subtype, payload, options, callSite);
  }

  /** `initialize` again: same payload, same hook ids, no manifests. The CLI redelivers its open questions. */
  reinitialize(): Promise<JsonObject> {
    const { initialize, policy } = this.#options;
    const answered = this.request('initialize', initialize, {
      timeoutMs: policy.initializeTimeoutMs,
    }).then((response) => response ?? {});
    ignoreRejection(answered);
    return answered;
  }

  /**
   * Writes one user message as it is.
   *
   * @returns false when the pipe is full: await {@link drained}.
   * @throws CLIConnectionError input is over; TypeError the frame is not JSON.
   */
  sendUserMessage(frame: object): boolean {
    try {
      const type = (frame as JsonObject).type;
      // First: a result may come before `send` returns.
      if (type === undefined || type === 'user') this.#messages.onWritten(frame as JsonObject);
      return this.#queue.send(frame);
    } catch (thrown) {
      throw toFrameError(thrown);
    }
  }

  /** Resolves when more can be written. Never hangs: also when the input or the session is over. */
  drained(): Promise<void> {
    return this.#queue.drained();
  }

  /** The prompt of a session that was opened without one: its rule decides when stdin is closed. */
  promptIs(rule: 'string' | 'stream'): void {
    this.#lifetime.promptIs(rule);
  }

  /** One more source of user messages. The prompt counts as the first from the start. */
  inputStarted(): void {
    this.#lifetime.inputStarted();
  }

  /** One source is exhausted; the rules decide when stdin is closed. */
  inputEnded(): void {
    this.#lifetime.inputEnded();
  }

  /**
   * Tells the CLI to drop all its work: the turn, the queued messages, the background tasks. Nobody waits for the answers.
   *
   * @returns false when it cannot be told, since we ended stdin. A pipe that the CLI broke is the sign of its own end.
   */
  stopWork(): boolean {
    // Before `initialize` is written nothing else was.
    if (!this.#queue.hasOpened) return true;
    if (!this.isInputOpen) return !this.#hasEnded;
    try {
      this.#queue.send(requestFrame(this.#requests.newId(), 'interrupt', { cancel_queued: true }));
      for (const taskId of this.#lifetime.liveTaskIds) {
        this.#queue.send(requestFrame(this.#requests.newId(), 'stop_task', { task_id: taskId }));
      }
    } catch {
      // The pipe broke under the write.
    }
    return true;
  }

  /** Ends stdin now, whatever the rules say. What was sent before is written first, `initialize` included. */
  endInput(): void {
    this.#lifetime.dispose();
    this.#endsWhenOpened = true;
    if (!this.#hasStarted) return;
    if (this.#queue.hasOpened || this.#queue.closedBy !== undefined) this.#endQueue();
    else this.#writeInitialize({});
  }

  /** As {@link endInput}, for a CLI that refused the session: it owes no answer to what was written. */
  endRefusedInput(): void {
    this.#messages.onRefused();
    this.endInput();
  }

  /** Adds an in-process server, or replaces the one of that name. */
  setMcpServer(name: string, factory: McpEndpointFactory): void {
    if (this.#queue.closedBy === undefined) this.#mcpBridge.set(name, factory);
  }

  /** Resolves when the server let go of this query. */
  removeMcpServer(name: string): Promise<void> {
    const removed = this.#mcpBridge.remove(name);
    // It may have been the last reason to keep stdin open.
    this.#lifetime.evaluate();
    return removed;
  }

  /**
   * Ends everything but the transport: pending requests reject, handed-out signals abort, in-process
   * servers close, timers go. Results that callbacks give later are dropped with a diagnostic. The
   * first reason wins.
   */
  shutdown(reason: Error): void {
    if (this.#queue.closedBy !== undefined) return;
    this.#lifetime.dispose();
    this.#handshake.dispose();
    this.#queue.close(reason);
    this.#pending.rejectAll(reason);
    this.#router.close(reason);
    this.#mcpBridge.close();
  }

  #createReceiver(): FrameReceiver {
    const { receiver } = this.#options;
    const sinks: FrameSinks = {
      onResponse: (frame) => this.#onResponse(frame),
      onRequest: (frame) => {
        this.#lifetime.onActivity();
        this.#router.onRequest(frame);
      },
      onCancel: (frame) => this.#router.onCancel(frame),
      onMessage: (frame, bytes, line) => {
        if (this.#messages.note(frame)) this.#lifetime.evaluate();
        this.#lifetime.onActivity();
        receiver.onMessage(frame, bytes, line);
      },
      onHiddenFrame: (type) => receiver.onHiddenFrame(type),
      onKeepAlive: (frame) => this.#handshake.onKeepAlive(frame),
      onTranscriptMirror: (frame, bytes) => receiver.onTranscriptMirror(frame, bytes),
      onResult: () => this.#lifetime.onResult(),
      onSystem: (subtype, frame) => this.#onSystem(subtype, frame),
    };
    return {
      onFrame: (frame, bytes, line) => routeFrame(frame, bytes, line, sinks),
      onDiagnostic: (diagnostic) => receiver.onDiagnostic(diagnostic),
      onEnd: (end) => this.shutdown(receiver.onEnd(end)),
    };
  }

  #onResponse(frame: JsonObject): void {
    // Nobody waits for an answer any more.
    if (this.#queue.closedBy !== undefined) return;
    const answer = parseAnswer(frame);
    if (answer === undefined) {
      this.#options.receiver.onDiagnostic({
        code: 'control_frame_malformed',
        message: 'A control response without a response object or its request_id',
      });
      return;
    }
    const subtype = this.#pending.subtypeOf(answer.requestId);
    if (subtype === undefined) {
      if (!this.#mcpBridge.ownsAnswer(answer.requestId)) this.#pending.reportStray(answer);
      return;
    }
    // First the questions: settling may let stdin close, and they need it.
    if (subtype === 'initialize') {
      for (const question of openQuestionsOf(answer.body)) this.#router.onRequest(question);
    }
    this.#pending.settle(answer);
    if (answer.requestId === this.#handshake.requestId) this.#handshake.settled();
  }

  #onSystem(subtype: unknown, frame: JsonObject): void {
    switch (subtype) {
      case 'init':
      case 'hook_started':
      case 'hook_response':
        this.#handshake.onSystem(subtype, frame);
        return;
      case 'session_state_changed': {
        this.#lifetime.onActivity();
        const state = stringField(frame, 'state');
        if (state !== undefined) {
          this.#messages.onState(state);
          this.#lifetime.onState(state);
        }
        return;
      }
      default:
        this.#lifetime.onTaskFrame(subtype, frame);
    }
  }

  #writeInitialize(manifests: Record<string, McpServerManifest>): void {
    if (this.#queue.hasOpened || this.#queue.closedBy !== undefined) return;
    this.#handshake.write(manifests);
    if (this.#endsWhenOpened) this.#endQueue();
    else this.#lifetime.ready();
  }

  #endInputByRule(why: 'rule' | 'cap'): void {
    if (why === 'cap') {
      this.#options.receiver.onDiagnostic({
        code: 'stdin_closed_by_cap',
        message: 'stdin was closed: nothing came from Claude Code for 600 s after the turn',
      });
    }
    this.#endQueue();
  }

  #endQueue(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#queue.endInput();
    this.#options.receiver.onInputEnd();
  }
}
