import type { RequestOptions } from '../control/controller-options.js';
import { QueryController } from '../control/query-controller.js';
import type { DiagnosticListener } from '../diagnostics.js';
import {
  CLIConnectionError,
  IdleTimeoutError,
  IncompleteStreamError,
  QueueLimitError,
  SessionClosedError,
} from '../errors.js';
import type { SDKMessage, SDKResultMessage } from '../parser/message.js';
import type { FrameTransport, TransportEnd } from '../transport/transport.js';
import { createDeferred, ignoreRejection } from '../util/deferred.js';
import type { JsonObject } from '../util/json.js';
import { onAbort } from '../util/on-abort.js';
import { within } from '../util/race.js';
import { abortError } from './abort.js';
import { AfterStop } from './after-stop.js';
import type { SlashCommand } from './control-requests.js';
import { isFatalForHandshake, isTimeout, missingConfirmation } from './initialize-check.js';
import type { LaunchPlan } from './launch/plan.js';
import type { MessageQueue } from './message-queue.js';
import { leftUnanswered } from './outcome/unanswered.js';
import type { PromptItems, PromptSink } from './prompt-pump.js';
import { RunDeadline } from './run-deadline.js';
import { SessionInput } from './session-input.js';
import { type MirrorTarget, SessionOutput } from './session-output.js';
import { SessionRecord } from './session-record.js';
import { SessionTimers } from './session-timers.js';
import { maySpendBefore } from './summary/may-spend-before.js';
import { RunTally, type TallyEnd } from './summary/run-tally.js';

/** A failed write is most often the first sign of a dead process. Its exit tells more, so it gets this long to arrive. */
const EXIT_AFTER_FAILED_WRITE_MS = 1000;

export interface QuerySessionOptions {
  readonly plan: LaunchPlan;
  /** Not yet opened. */
  readonly transport: FrameTransport;
  /** `undefined`: nothing is sent at the start. */
  readonly prompt: string | PromptItems | undefined;
  readonly abortSignal: AbortSignal | undefined;
  readonly onDiagnostic: DiagnosticListener;
  /** What a clean exit without any result is. */
  readonly incompleteStream: 'end' | 'throw';
  /** Resolves when the child runs, or never will. `undefined`: it runs once the transport is open. */
  readonly peerStarted?: Promise<void> | undefined;
  /** Where the transcript goes; `undefined`: nowhere. */
  readonly mirror?: MirrorTarget | undefined;
  /** Whether the time of SessionStart and Setup hooks counts towards `initializeTimeoutMs`. @defaultValue false */
  readonly countsStartHooks?: boolean | undefined;
}

/**
 * One running CLI: joins a transport, a controller and a message queue, and is the one place that
 * decides how the run ends. `query()` and `ClaudeClient` are two faces of it.
 */
export class QuerySession implements PromptSink {
  readonly controller: QueryController;
  readonly messages: MessageQueue<SDKMessage>;
  readonly #output: SessionOutput;
  readonly #options: QuerySessionOptions;
  readonly #timers: SessionTimers;
  readonly #deadline: RunDeadline;
  readonly #record = new SessionRecord();
  readonly #sessionInput: SessionInput;
  readonly #afterStop = new AfterStop({
    onEnough: () => this.#output.discard(),
    onTurn: () => this.#signalNow(),
  });
  /** Resolves when the child is gone. */
  readonly #gone = createDeferred<void>();
  /** What `summaryOf` says of the run, however its messages are read. */
  readonly tally: RunTally;
  /** Resolves when it is decided how the run ends. */
  readonly #over = createDeferred<TallyEnd>();
  #beganAt = performance.now();
  #forgetAbort = (): void => {};
  #description: Promise<JsonObject> | undefined;
  #confirmed: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isInitializing = true;
  /** Writes that wait until the CLI has read more of its input. */
  #waitingWrites = 0;
  /** False while a stored session is being loaded. */
  #hasPeer: boolean;
  #writeFailureTimer: NodeJS.Timeout | undefined;
  /** We ended a CLI that did not leave by itself: how it then exits says nothing about the run. */
  #isExitForced = false;

  constructor(options: QuerySessionOptions) {
    this.#options = options;
    const { transport, onDiagnostic } = options;
    const { policy, callbacks, initialize } = options.plan;
    this.tally = new RunTally({ resumed: maySpendBefore(options.plan) });
    this.#output = new SessionOutput({
      transport,
      mayPause: () => this.#mayPause(),
      neverPauses: callbacks.needStdin || this.#isObserved,
      maxQueuedBytes: policy.limits.maxQueuedBytes,
      maxSpooledBytes: policy.limits.maxSpooledBytes,
      onSpoolFailed: (error) => this.#stop(error),
      mirror: options.mirror,
      onDiagnostic,
    });
    this.messages = this.#output.messages;
    this.#hasPeer = options.peerStarted === undefined;
    this.controller = new QueryController({
      transport,
      peerStarted: options.peerStarted,
      callbacks,
      initialize,
      policy: {
        closeRule: policy.closeRule,
        answerAfterCancel: policy.answerAfterCancel,
        fillUpdatedInput: policy.fillUpdatedInput,
        initializeTimeoutMs: policy.limits.initializeTimeoutMs,
        controlTimeoutMs: policy.limits.controlTimeoutMs,
        countsStartHooks: options.countsStartHooks === true,
      },
      receiver: {
        onMessage: (frame, bytes, line) => this.#onMessage(frame, bytes, line),
        onHiddenFrame: (type) => this.#onHiddenFrame(type),
        onTranscriptMirror: (frame, bytes) => this.#output.onTranscriptMirror(frame, bytes),
        onInputEnd: () => this.#timers.onInputEnd(),
        onDiagnostic,
        onEnd: (end) => this.#onEnd(end),
      },
    });
    this.#sessionInput = new SessionInput({
      controller: this.controller,
      sink: this,
      policy,
      onDiagnostic,
      onFailed: (error) => this.#onPromptFailed(error),
    });
    this.#timers = new SessionTimers(policy.limits, {
      isTurnOpen: () => this.controller.messages.isTurnOpen,
      owesAnswer: () => this.#owesAnswer,
      isHeld: () =>
        this.#output.isPaused || this.controller.inbound.openCount > 0 || !this.#hasPeer,
      hasLiveTasks: () => this.controller.tasks.liveCount > 0,
      onIdle: (lastFrames) =>
        this.#stop(new IdleTimeoutError(policy.limits.idleTimeoutMs, lastFrames)),
      onExitOverdue: () => this.#onExitOverdue(),
    });
    this.#deadline = new RunDeadline(policy.limits.deadlineMs, {
      canInterrupt: () =>
        this.#isRunning && this.#hasPeer && this.#owesAnswer && this.controller.isInputOpen,
      interrupt: () => ignoreRejection(this.request('interrupt', { cancel_queued: true })),
      stop: (error) => this.#stop(error),
    });
  }

  /** Starts the child and writes `initialize` and, unless it has to be confirmed first, the prompt. Synchronous. */
  start(): void {
    this.#isRunning = true;
    // First: `spawnClaudeCodeProcess` may throw, and then there is nothing to be taken back.
    this.controller.start();
    const { abortSignal } = this.#options;
    if (abortSignal !== undefined) {
      this.#forgetAbort = onAbort(abortSignal, () => this.#stop(abortError(abortSignal)));
    }
    this.#timers.start();
    void this.#options.peerStarted?.then(() => {
      // The time it took is not the silence of the CLI.
      this.#timers.onHeld();
      this.#hasPeer = true;
    });
    const { plan, prompt } = this.#options;
    if (plan.policy.deadlineFrom === 'start') this.#deadline.start();
    this.#confirmed = this.#confirm();
    ignoreRejection(this.#confirmed);
    if (prompt !== undefined) {
      const mustWait = !plan.policy.pipelinePrompt;
      this.#sessionInput.sendPrompt(prompt, mustWait ? this.#confirmed : undefined);
    }
    // `spawnClaudeCodeProcess` may have aborted it, before there was a listener.
    if (abortSignal?.aborted) this.#stop(abortError(abortSignal));
  }

  /**
   * Resolves when the answer to `initialize` is good. Rejects with why it is not, and the run then ends, unless it
   * is a `query()` that needs nothing of the answer. Never counts as an unhandled rejection.
   */
  get confirmed(): Promise<void> {
    return this.#confirmed;
  }

  /** Resolves when it is decided how the run ends: before the child is gone, when the run was stopped. */
  get over(): Promise<TallyEnd> {
    return this.#over.promise;
  }

  /** Resolves when the child is gone, however long that takes. */
  get exited(): Promise<void> {
    return this.#gone.promise;
  }

  /** The last result, also one that came after the run was told to stop. Complete once {@link exited} has resolved. */
  get lastResult(): SDKResultMessage | undefined {
    return this.#afterStop.result ?? (this.#record.lastResult as SDKResultMessage | undefined);
  }

  /** Why the run ended; `undefined` while it goes on. */
  get closedBy(): Error | undefined {
    return this.controller.closedBy;
  }

  /**
   * Sends the prompt of a session that was opened without one. Once.
   *
   * @param accepted - What has to come first; the session has been stopped when it rejects.
   */
  sendPrompt(prompt: string | PromptItems, accepted?: Promise<void>): void {
    this.#deadline.start();
    this.#beganAt = performance.now();
    this.controller.stdin.promptIs(typeof prompt === 'string' ? 'string' : 'stream');
    this.#sessionInput.sendPrompt(prompt, accepted);
  }

  /** What describes the session: the first answer to `initialize`, or what {@link describeBy} put in its place. */
  get initialization(): Promise<JsonObject> {
    return this.#description ?? this.controller.initialized;
  }

  /** Another description, from the moment it is asked for. Its rejection must not count as unhandled. */
  describeBy(description: Promise<JsonObject>): void {
    this.#description = description;
    const before = this.#record.latestCommands;
    // Commands that came meanwhile are newer than the description.
    const forget = () => {
      if (this.#record.latestCommands === before) this.#record.forgetCommands();
    };
    description.then(forget, () => {});
  }

  /** The commands of the last `system/commands_changed`; `undefined` while there was none. */
  get latestCommands(): SlashCommand[] | undefined {
    return this.#record.latestCommands;
  }

  /** True until the run has ended or was told to. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** One control request. Reading goes on while it is pending, however full the queue is. */
  request(
    subtype: string,
    payload?: JsonObject,
    options?: RequestOptions,
  ): Promise<JsonObject | undefined> {
    const answer = this.controller.requests.send(subtype, payload, options);
    this.#output.readOn();
    return answer;
  }

  /** `initialize` again. Reading goes on, as for {@link request}. */
  reinitialize(): Promise<JsonObject> {
    const answer = this.controller.reinitialize();
    this.#output.readOn();
    return answer;
  }

  sendUserMessage(frame: object): boolean {
    const hasRoom = this.controller.sendUserMessage(frame);
    this.#timers.onUserMessage();
    return hasRoom;
  }

  /** Reading goes on meanwhile: a CLI that is blocked in its own write takes no input. */
  async drained(): Promise<void> {
    this.#waitingWrites += 1;
    this.#output.readOn();
    try {
      await this.controller.drained();
    } finally {
      this.#waitingWrites -= 1;
    }
  }

  /** See {@link SessionInput.stream}. */
  streamInput(items: PromptItems, decorate?: (frame: JsonObject) => JsonObject): Promise<void> {
    return this.#sessionInput.stream(items, decorate);
  }

  /** Ends the run without an error: end of input now, signals if the child stays. Returns at once. */
  close(): void {
    this.#stop(undefined);
  }

  /** As {@link close}; the loop throws `error`. */
  fail(error: Error): void {
    this.#stop(error);
  }

  /** As {@link close}, for a prompt that was never sent: `incompleteStream` says whether the loop throws `error`. */
  giveUp(error: Error): void {
    this.#stop(this.#options.incompleteStream === 'throw' ? error : undefined);
  }

  /**
   * Resolves when the child is gone, at the latest when the ladder reaches its first signal, and the store has what was
   * written until then, or has had its time.
   */
  async left(): Promise<void> {
    const { sigtermMs = 0 } = this.#options.plan.policy.exitLadder;
    await within(sigtermMs, this.#gone.promise);
    await this.#output.settled();
  }

  /** Resolves when the child is gone or the ladder is at its end, and the store likewise. */
  async ended(): Promise<void> {
    await this.#options.transport.close(this.#options.plan.policy.exitLadder);
    await this.#output.settled();
  }

  /** True while a turn runs, or a message waits for its own. */
  get #owesAnswer(): boolean {
    const { isTurnOpen, unansweredCount } = this.controller.messages;
    return isTurnOpen || unansweredCount > 0;
  }

  /** Waits for the answer to `initialize` and checks what the options need of it. */
  async #confirm(): Promise<void> {
    const { policy } = this.#options.plan;
    try {
      const answer = await this.controller.initialized;
      const missing = missingConfirmation(answer, policy.initializeMustConfirm);
      if (missing !== undefined) throw missing;
    } catch (error) {
      // A CLI that runs a turn is up: its answer, which is long overdue, is missed by who asks for it only.
      const isMissed = policy.pipelinePrompt && this.controller.isUp && isTimeout(error);
      if (!isMissed && isFatalForHandshake(error, policy)) this.#stop(error);
      throw error;
    } finally {
      this.#isInitializing = false;
    }
  }

  #onMessage(frame: JsonObject, bytes: number, line: string | undefined): void {
    const type = frame.type;
    this.tally.note(frame);
    if (!this.#isRunning) {
      this.#afterStop.note(frame, bytes);
      return;
    }
    this.#timers.onFrame(typeof type === 'string' ? type : 'unknown');
    this.#record.note(type, frame);
    const fits = this.#output.push(frame, bytes, line);
    if (type === 'result') this.#deadline.onResult();
    if (!fits) this.#stop(new QueueLimitError(this.#options.plan.policy.limits.maxQueuedBytes));
    else if (this.#output.isPaused) this.#timers.onHeld();
  }

  #onHiddenFrame(type: string): void {
    this.#timers.onFrame(type);
    // Its answer may come, and the clock of the CLI go on, at any time until the next frame.
    if (type === 'control_request') this.#timers.onHeld();
  }

  #onExitOverdue(): void {
    this.#options.onDiagnostic({
      code: 'process_signalled',
      message: `Claude Code did not exit within ${this.#options.plan.policy.limits.exitGraceMs} ms after its input ended; it is being terminated.`,
    });
    this.#isExitForced = true;
    this.#signalNow();
  }

  #onPromptFailed(error: unknown): void {
    if (!(error instanceof Error)) return;
    if (!(error instanceof CLIConnectionError)) {
      this.#stop(error);
      return;
    }
    clearTimeout(this.#writeFailureTimer);
    this.#writeFailureTimer = setTimeout(
      () => this.#stop(error),
      EXIT_AFTER_FAILED_WRITE_MS,
    ).unref();
  }

  /** The child ended by itself, or at the end of the ladder. */
  #onEnd(end: TransportEnd): Error {
    const error = this.#deadline.passed ?? this.#toError(end);
    const pendingError =
      error ?? new SessionClosedError('Claude Code exited: query closed before response received');
    if (this.#isRunning) {
      this.#windDown(pendingError);
      this.#output.end(() => this.#endReason(error), this.#options.abortSignal);
    }
    this.#gone.resolve();
    return pendingError;
  }

  /** The deadline counts the wait for the store too. */
  #endReason(error: Error | undefined): Error | undefined {
    this.#deadline.dispose();
    const reason = this.#deadline.passed ?? error;
    this.#isOver(reason, false);
    return reason;
  }

  #isOver(error: Error | undefined, isClosed: boolean): void {
    this.#over.resolve({ error, isClosed, durationMs: performance.now() - this.#beganAt });
  }

  #toError(end: TransportEnd): Error | undefined {
    const isForced = this.#isExitForced && end.error === undefined && this.#record.hasResult;
    const error = isForced ? undefined : this.#record.toError(end);
    if (error !== undefined) return error;
    const what = this.#whatIsMissing();
    return what !== undefined && this.#options.incompleteStream === 'throw'
      ? new IncompleteStreamError(what)
      : undefined;
  }

  /** What a clean end has left open. */
  #whatIsMissing(): string | undefined {
    const { lastResult } = this.#record;
    if (lastResult === undefined) return 'Claude Code exited cleanly without a result';
    const { unansweredCount } = this.controller.messages;
    if (unansweredCount === 0) return undefined;
    const message = `Claude Code exited cleanly and left ${unansweredCount} of your messages unanswered`;
    leftUnanswered(lastResult, unansweredCount);
    this.#options.onDiagnostic({
      code: 'messages_unanswered',
      message,
      details: { unansweredCount },
    });
    return message;
  }

  /** Ends the run before the child did. The first reason wins; later ones are its consequences. */
  #stop(error: Error | undefined): void {
    if (!this.#isRunning) {
      void this.#output.settled();
      return;
    }
    const hasTasks = this.controller.tasks.liveCount > 0;
    const mustBeTold = this.#hasPeer && (this.#owesAnswer || hasTasks);
    const isTold = !mustBeTold || this.controller.stopWork();
    // Without a turn of its own to end, the CLI begins one about each task that was stopped.
    const mustBeSignalled = !isTold || (this.#hasPeer && hasTasks && !this.#owesAnswer);
    this.#windDown(error ?? new SessionClosedError('Query closed before response received'));
    this.#isOver(error, error === undefined);
    this.#deadline.dispose();
    this.#output.stop();
    // Also where the input of a CLI that is at work is over: only a signal can tell it.
    if (mustBeSignalled) this.#signalNow();
    ignoreRejection(this.ended());
    void this.left().then(() => this.messages.end(this.#afterStop.addTo(error)));
  }

  /** The ladder of signals from its first step on. */
  #signalNow(): void {
    const { sigtermMs = 0, sigkillMs = sigtermMs } = this.#options.plan.policy.exitLadder;
    void this.#options.transport.close({ sigtermMs: 0, sigkillMs: sigkillMs - sigtermMs });
  }

  #windDown(pendingError: Error): void {
    this.#isRunning = false;
    this.#timers.stop();
    clearTimeout(this.#writeFailureTimer);
    this.#forgetAbort();
    this.#sessionInput.stop();
    this.controller.shutdown(pendingError);
  }

  /** The program may wait for something else that the CLI does, and that a blocked CLI would not do: reach its store, write to stderr, exit. */
  get #isObserved(): boolean {
    const { stderr, spawnClaudeCodeProcess } = this.#options.plan.means;
    const { mirror } = this.#options;
    return mirror !== undefined || stderr !== undefined || spawnClaudeCodeProcess !== undefined;
  }

  /** Reading may stop only where no correct program can tell (design of flow control, docs/architecture.md). */
  #mayPause(): boolean {
    return (
      this.messages.hasBeenPulled &&
      !this.controller.hasCallbacks &&
      !this.#isObserved &&
      !this.#isInitializing &&
      this.#waitingWrites === 0 &&
      this.controller.pendingRequestCount === 0
    );
  }
}
