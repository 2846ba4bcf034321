import type { FrameReceiver } from '../transport/transport.js';
import { type JsonObject, stringField } from '../util/json.js';
import type { QueryControllerOptions } from './controller-options.js';
import { openQuestionsOf, type ParsedAnswer, parseAnswer, requestFrame } from './envelope.js';
import { createHandlers, InboundRouter } from './inbound-router.js';
import { Handshake } from './initialize.js';
import { McpBridge } from './mcp-bridge.js';
import type { McpEndpointFactory, McpServerManifest } from './mcp-endpoint.js';
import { MessageLedger } from './message-ledger.js';
import { OutboundQueue } from './outbound-queue.js';
import { OutboundRequests } from './outbound-requests.js';
import { toFrameError } from './request-errors.js';
import { StdinLifetime } from './stdin-lifetime.js';
import { TaskLedger } from './task-ledger.js';
import { TurnOrder } from './turn-order.js';

/**
 * The control protocol of one session: writes `initialize` and requests, gives the CLI's questions to the host's
 * callbacks, passes messages on, and decides when stdin is closed. Reads frames from the first byte and never waits for
 * the consumer.
 */
export class QueryController {
  /**
   * The first answer to `initialize`, `{}` when it has no body. Rejects with the CLI's error answer, a
   * `ControlRequestTimeoutError` or the end of the session. Never counts as an unhandled rejection.
   */
  readonly initialized: Promise<JsonObject>;
  /** Our own control requests. */
  readonly requests: OutboundRequests;
  /** The questions of the CLI that are owed an answer. */
  readonly inbound: InboundRouter;
  /** The user messages without an answer, and whether a turn is open. */
  readonly messages = new MessageLedger();
  /** Background tasks of the CLI that have not ended. */
  readonly tasks = new TaskLedger();
  /** Told where user messages come from, so that stdin is closed when the last source is exhausted. */
  readonly stdin: StdinLifetime;

  readonly #options: QueryControllerOptions;
  readonly #queue: OutboundQueue;
  readonly #mcpBridge: McpBridge;
  readonly #handshake: Handshake;
  readonly #order = new TurnOrder();
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
    const onSettled = () => this.stdin.evaluate();
    this.#queue = new OutboundQueue(transport);
    this.requests = new OutboundRequests({
      queue: this.#queue,
      nextRequestId: options.nextRequestId,
      controlTimeoutMs: policy.controlTimeoutMs,
      onDiagnostic,
      onSettled,
    });
    this.#mcpBridge = new McpBridge(write, onDiagnostic);
    this.inbound = new InboundRouter({
      handlerOf: createHandlers(callbacks, policy, this.#mcpBridge, onDiagnostic),
      answerAfterCancel: policy.answerAfterCancel,
      write,
      onDiagnostic,
      onSettled,
    });
    this.stdin = new StdinLifetime({
      closeRule: policy.closeRule,
      quietCapMs: policy.quietCapMs,
      needStdin: () => this.hasCallbacks,
      outboundCount: () => this.pendingRequestCount,
      messages: this.messages,
      inboundCount: () => this.inbound.openCount,
      tasks: this.tasks,
      close: (why) => this.#endInputByRule(why),
    });
    this.#handshake = new Handshake({
      queue: this.#queue,
      requests: this.requests,
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

  /** As {@link closedBy}, for an input that turned out to be closed. */
  whyClosed(): Promise<Error | undefined> {
    return this.#queue.whyClosed();
  }

  /**
   * True since the first `system/init`: the CLI is at work. A timeout of {@link initialized} then says only that its
   * answer is missing.
   */
  get isUp(): boolean {
    return this.#handshake.isUp;
  }

  /** Outbound requests without an answer, the first `initialize` left out. */
  get pendingRequestCount(): number {
    const isInitializing = this.requests.subtypeOf(this.#handshake.requestId) !== undefined;
    return this.requests.size - (isInitializing ? 1 : 0);
  }

  /** True while the CLI may ask the host something: it has callbacks, or an in-process server. */
  get hasCallbacks(): boolean {
    return this.#options.callbacks.needStdin || this.#mcpBridge.servers.size > 0;
  }

  /** The in-process servers as they are now, by name. */
  get mcpServers(): ReadonlyMap<string, McpEndpointFactory> {
    return this.#mcpBridge.servers;
  }

  /**
   * Opens the transport and writes `initialize`: at once, or with in-process servers after their manifests (250 ms at
   * most). Whatever is sent earlier waits behind it.
   */
  start(): void {
    if (this.#hasStarted || this.#queue.closedBy !== undefined) return;
    this.#hasStarted = true;
    this.#options.transport.open(this.#createReceiver());
    const { peerStarted = Promise.resolve() } = this.#options;
    void peerStarted.then(() => this.#handshake.start());
    const { mcpServers } = this.#options.callbacks;
    for (const [name, factory] of mcpServers) this.#mcpBridge.set(name, factory);
    if (mcpServers.size === 0 || this.#endsWhenOpened) this.#writeInitialize();
    else void this.#mcpBridge.manifests().then((manifests) => this.#writeInitialize(manifests));
  }

  /** `initialize` again: same payload, same hook ids, no manifests. The CLI redelivers its open questions. */
  reinitialize(): Promise<JsonObject> {
    const { initialize, policy } = this.#options;
    const options = { timeoutMs: policy.initializeTimeoutMs };
    return this.requests.send('initialize', initialize, options, (response) => response ?? {});
  }

  /**
   * Writes one user message as it is.
   * @returns false when the pipe is full: await {@link drained}.
   * @throws CLIConnectionError input is over; TypeError the frame is not JSON.
   */
  sendUserMessage(frame: object): boolean {
    try {
      const type = (frame as JsonObject).type;
      // First: a result may come before `send` returns.
      if (type === undefined || type === 'user') this.messages.onWritten(frame as JsonObject);
      return this.#queue.send(frame);
    } catch (thrown) {
      throw toFrameError(thrown);
    }
  }

  /** Resolves when more can be written. Never hangs: also when the input or the session is over. */
  drained(): Promise<void> {
    return this.#queue.drained();
  }

  /**
   * Tells the CLI to drop all its work: the turn, the queued messages, the background tasks. Ignores the answers.
   * @returns false when it cannot be told, since we ended stdin. A pipe that the CLI broke is the sign of its own end.
   */
  stopWork(): boolean {
    // Nothing is written before `initialize`, so there is no work to stop.
    if (!this.#queue.hasOpened) return true;
    if (!this.isInputOpen) return !this.#hasEnded;
    try {
      this.#queue.send(requestFrame(this.requests.newId(), 'interrupt', { cancel_queued: true }));
      for (const taskId of this.tasks.liveIds) {
        this.#queue.send(requestFrame(this.requests.newId(), 'stop_task', { task_id: taskId }));
      }
    } catch {
      // The pipe broke under the write.
    }
    return true;
  }

  /** Ends stdin now, whatever the rules say. What was sent before is written first, `initialize` included. */
  endInput(): void {
    this.stdin.dispose();
    this.#endsWhenOpened = true;
    if (!this.#hasStarted) return;
    if (this.#queue.hasOpened || this.#queue.closedBy !== undefined) this.#endQueue();
    else this.#writeInitialize();
  }

  /** As {@link endInput}, for a CLI that refused the session: it owes no answer to what was written. */
  endRefusedInput(): void {
    this.messages.onRefused();
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
    this.stdin.evaluate();
    return removed;
  }

  /**
   * Before a stop: passes on what was received and waits for its turn. No callback starts.
   * @returns true when a callback asks for the stop in the middle of a read. The rest of that read was received too, and
   * comes before the next promise reaction.
   */
  passOnReceived(): boolean {
    this.#order.passOnAll();
    return this.#order.isStarting;
  }

  /**
   * Ends everything but the transport: pending requests reject, handed-out signals abort, in-process servers close,
   * timers go. Results that callbacks give later are dropped with a diagnostic. The first reason wins.
   */
  shutdown(reason: Error): void {
    if (this.#queue.closedBy !== undefined) return;
    this.stdin.dispose();
    this.#handshake.dispose();
    this.#queue.close(reason);
    this.requests.rejectAll(reason);
    this.inbound.close(reason);
    this.#mcpBridge.close();
  }

  #createReceiver(): FrameReceiver {
    const { receiver } = this.#options;
    return {
      onFrame: (frame, bytes, line) => this.#onFrame(frame, bytes, line),
      onDiagnostic: (diagnostic) => receiver.onDiagnostic(diagnostic),
      onEnd: (end) => this.#inOrder(() => this.shutdown(receiver.onEnd(end))),
      isWaiting: () => this.messages.unansweredCount > 0,
    };
  }

  /**
   * Hidden from the consumer are control frames, `keep_alive`, `transcript_mirror`, and session states meant for the
   * host only (TS-169, TS-169a). Everything else is shown, also unknown types (TS-168).
   */
  #onFrame(frame: JsonObject, bytes: number, line: string | undefined): void {
    switch (frame.type) {
      // First the types that come by the thousand.
      case 'stream_event':
      case 'assistant':
      case 'user':
        break;
      case 'control_response':
        this.#onAnswer(parseAnswer(frame));
        return;
      case 'keep_alive':
        this.#hide(frame.type, () => this.#handshake.onKeepAlive(frame));
        return;
      case 'transcript_mirror':
        this.#hide(frame.type, () => this.#options.receiver.onTranscriptMirror(frame, bytes));
        return;
      case 'control_request':
        this.#options.receiver.onHiddenFrame(frame.type);
        this.stdin.onActivity();
        this.#onQuestion(frame);
        return;
      case 'control_cancel_request':
        // Before its turn: a callback that has not started gets an aborted signal.
        this.#options.receiver.onHiddenFrame(frame.type);
        this.inbound.onCancel(frame);
        return;
    }
    if (this.#order.holdsMessage()) this.#order.hold('message', () => this.#onMessage(frame, bytes, line));
    else this.#onMessage(frame, bytes, line);
  }

  #onMessage(frame: JsonObject, bytes: number, line: string | undefined): void {
    switch (frame.type) {
      case 'system':
        if (isHostOnlyState(frame)) this.#options.receiver.onHiddenFrame(frame.type);
        else this.#show(frame, bytes, line);
        this.#onSystem(frame.subtype, frame);
        return;
      case 'result':
        this.#show(frame, bytes, line);
        this.stdin.onResult();
        return;
      default:
        this.#show(frame, bytes, line);
    }
  }

  #show(frame: JsonObject, bytes: number, line: string | undefined): void {
    if (this.messages.note(frame)) this.stdin.evaluate();
    this.stdin.onActivity();
    this.#options.receiver.onMessage(frame, bytes, line);
  }

  #onQuestion(frame: JsonObject): void {
    const start = this.inbound.accept(frame);
    if (start !== undefined) this.#order.startCallback(start);
  }

  /** Handles a frame that the consumer does not see. */
  #hide(type: string, handle: () => void): void {
    this.#inOrder(() => {
      this.#options.receiver.onHiddenFrame(type);
      handle();
    });
  }

  /** Handles a frame that is not a message, a question or an answer: after the held ones, or at once if none is held. */
  #inOrder(pass: () => void): void {
    if (this.#order.isHolding) this.#order.hold(undefined, pass);
    else pass();
  }

  #onAnswer(answer: ParsedAnswer | undefined): void {
    if (answer !== undefined) this.requests.onArrived(answer.requestId);
    const settle = (): void => {
      this.#options.receiver.onHiddenFrame('control_response');
      this.#onResponse(answer);
    };
    // The answer to `initialize` takes no turn, so that a question right behind it starts at once.
    if (answer?.requestId === this.#handshake.requestId) this.#inOrder(settle);
    else this.#order.settleAnswer(settle);
  }

  #onResponse(answer: ParsedAnswer | undefined): void {
    // Every pending request has been rejected.
    if (this.#queue.closedBy !== undefined) return;
    if (answer === undefined) {
      this.#options.receiver.onDiagnostic({
        code: 'control_frame_malformed',
        message: 'A control response without a response object or its request_id',
      });
      return;
    }
    const subtype = this.requests.subtypeOf(answer.requestId);
    if (subtype === undefined) {
      if (!this.#mcpBridge.ownsAnswer(answer.requestId)) this.requests.reportStray(answer);
      return;
    }
    // First the questions: settling may let stdin close, and they need it.
    if (subtype === 'initialize') {
      for (const question of openQuestionsOf(answer.body)) this.#onQuestion(question);
    }
    this.requests.settle(answer);
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
        this.stdin.onActivity();
        const state = stringField(frame, 'state');
        if (state !== undefined) {
          this.messages.onState(state);
          this.stdin.onState(state);
        }
        return;
      }
      default:
        this.stdin.onTaskFrame(subtype, frame);
    }
  }

  #writeInitialize(manifests?: Record<string, McpServerManifest>): void {
    if (this.#queue.hasOpened || this.#queue.closedBy !== undefined) return;
    this.#handshake.write(manifests);
    if (this.#endsWhenOpened) this.#endQueue();
    else this.stdin.ready();
  }

  #endInputByRule(why: 'rule' | 'cap'): void {
    if (why === 'cap') {
      this.#options.receiver.onDiagnostic({
        code: 'stdin_closed_by_cap',
        message: `stdin was closed: nothing came from Claude Code for ${this.stdin.capMs / 1000} s after the turn${this.tasks.stillRunning}`,
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

function isHostOnlyState(frame: JsonObject): boolean {
  return frame.subtype === 'session_state_changed' && frame.sdk_host_only === true;
}
