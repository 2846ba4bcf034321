import type { RequestOptions } from '../control/controller-options.js';
import type { ReadAnswer } from '../control/outbound-requests.js';
import { QueryController } from '../control/query-controller.js';
import type { DiagnosticListener } from '../diagnostics.js';
import { AbortError, IdleTimeoutError, IncompleteStreamError, QueueLimitError, SessionClosedError } from '../errors.js';
import type { SDKMessage, SDKResultMessage } from '../parser/message.js';
import { RunTally, type TallyEnd } from '../parser/run-summary.js';
import type { FrameTransport, TransportEnd } from '../transport/transport.js';
import { createDeferred, handled, ignoreRejection } from '../util/deferred.js';
import type { JsonObject } from '../util/json.js';
import { inMicrotask } from '../util/next-turn.js';
import { onAbort } from '../util/on-abort.js';
import { within } from '../util/race.js';
import { AfterStop } from './after-stop.js';
import { confirmHandshake } from './initialize-check.js';
import type { LaunchPlan } from './launch/launch-plan.js';
import { maySpendBefore } from './launch/plan-launch.js';
import type { MessageQueue } from './message-queue.js';
import type { PromptItems, PromptSink } from './prompt.js';
import { RunDeadline } from './run-deadline.js';
import { SessionInput } from './session-input.js';
import { type MirrorTarget, SessionOutput } from './session-output.js';
import { SessionRecord } from './session-record.js';
import { SessionTimers } from './session-timers.js';

export interface QuerySessionOptions {
  readonly plan: LaunchPlan;
  /** Not yet opened. */
  readonly transport: FrameTransport;
  /** `undefined`: nothing is sent at the start. */
  readonly prompt: string | PromptItems | undefined;
  readonly onDiagnostic: DiagnosticListener;
  /** Resolves when the child runs, or never will. `undefined`: it runs once the transport is open. */
  readonly peerStarted?: Promise<void> | undefined;
  /** Where the transcript goes; `undefined`: nowhere. */
  readonly mirror?: MirrorTarget | undefined;
  /** Whether the time of SessionStart and Setup hooks counts towards `initializeTimeoutMs`. @defaultValue false */
  readonly countsStartHooks?: boolean | undefined;
}

/**
 * One running CLI: joins a transport, a controller and a message queue, and is the one place that decides how the run
 * ends. `query()` and `ClaudeClient` are two faces of it.
 */
export class QuerySession implements PromptSink {
  readonly controller: QueryController;
  readonly messages: MessageQueue<SDKMessage>;
  readonly record = new SessionRecord();
  /** Further streams of user messages go here. */
  readonly input: SessionInput;
  readonly #output: SessionOutput;
  readonly #options: QuerySessionOptions;
  readonly #timers: SessionTimers;
  readonly #deadline: RunDeadline;
  readonly #afterStop = new AfterStop({ onEnough: () => this.#output.discard(), onTurn: () => this.#signalNow() });
  readonly #gone = createDeferred<void>();
  readonly #over = createDeferred<TallyEnd>();
  /** Resolves when the child is gone, however long that takes. */
  readonly exited: Promise<void> = this.#gone.promise;
  /** Resolves when it is decided how the run ends: before the child is gone, when the run was stopped. */
  readonly over: Promise<TallyEnd> = this.#over.promise;
  /** What `summaryOf` says of the run, however its messages are read. */
  readonly tally: RunTally;
  #beganAt = performance.now();
  #forgetAbort = (): void => {};
  #confirmed: Promise<void> = Promise.resolve();
  #isRunning = false;
  /** False once messages no longer go to the consumer. */
  #isDelivering = true;
  #isInitializing = true;
  /** False while a stored session is being loaded. */
  #hasPeer: boolean;
  /** We ended a CLI that did not exit by itself, so its exit code says nothing about the run. */
  #isExitForced = false;

  constructor(options: QuerySessionOptions) {
    this.#options = options;
    const { transport, onDiagnostic } = options;
    const { policy, callbacks, initialize } = options.plan;
    this.tally = new RunTally({ resumed: maySpendBefore(options.plan) });
    this.#output = new SessionOutput({
      transport,
      isObserved: callbacks.needStdin || isObserved(options),
      mayPause: () => this.#mayPause(),
      maxQueuedBytes: policy.limits.maxQueuedBytes,
      maxSpooledBytes: policy.limits.maxSpooledBytes,
      onSpoolFailed: (error) => this.close(error),
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
        quietCapMs: policy.quietCapMs,
        answerAfterCancel: policy.answerAfterCancel,
        fillDenyMessage: policy.fillDenyMessage,
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
    this.input = new SessionInput({
      controller: this.controller,
      sink: this,
      policy,
      onDiagnostic,
      onFailed: (error) => this.close(error),
    });
    this.#timers = new SessionTimers(policy.limits, {
      isTurnOpen: () => this.controller.messages.isTurnOpen,
      owesAnswer: () => this.#owesAnswer,
      isHeld: () => this.#output.isPaused || this.controller.inbound.openCount > 0 || !this.#hasPeer,
      hasWorkingTasks: () => this.controller.tasks.isAtWork,
      extraGraceMs: () => (this.controller.tasks.liveCount > 0 ? this.controller.stdin.unspentCapMs : 0),
      onIdle: (lastFrames) => this.close(new IdleTimeoutError(policy.limits.idleTimeoutMs, lastFrames)),
      onExitOverdue: (silentMs) => this.#onExitOverdue(silentMs),
    });
    this.#deadline = new RunDeadline(policy.limits.deadlineMs, {
      canInterrupt: () => this.#isRunning && this.#hasPeer && this.#owesAnswer && this.controller.isInputOpen,
      interrupt: () => ignoreRejection(this.request('interrupt', { cancel_queued: true })),
      stop: (error) => this.close(error),
    });
  }

  /** Starts the child, writes `initialize` and, unless that has to be confirmed first, the prompt. Synchronous. */
  start(): void {
    this.#isRunning = true;
    // First: `spawnClaudeCodeProcess` may throw, and then there is nothing to be taken back.
    this.controller.start();
    const { plan, prompt, transport, peerStarted } = this.#options;
    const isPipelined = prompt !== undefined && plan.policy.pipelinePrompt;
    if (isPipelined) this.input.sendPrompt(prompt, undefined);
    // The CLI has its work; what follows is done while it begins.
    transport.flush?.();
    const { abortSignal } = plan.means;
    if (abortSignal !== undefined) this.#forgetAbort = onAbort(abortSignal, () => this.close(abortError(abortSignal)));
    this.#timers.start();
    void peerStarted?.then(() => {
      // The time it took is not the silence of the CLI.
      this.#timers.onHeld();
      this.#hasPeer = true;
    });
    if (plan.policy.deadlineFrom === 'start') this.#deadline.start();
    const onOver = (fatal: Error | undefined): void => {
      this.#isInitializing = false;
      if (fatal !== undefined) this.close(fatal);
    };
    this.#confirmed = handled(confirmHandshake(this.controller, plan, onOver));
    if (prompt !== undefined && !isPipelined) this.input.sendPrompt(prompt, this.#confirmed);
    // `spawnClaudeCodeProcess` may have aborted it, before there was a listener.
    if (abortSignal?.aborted) this.close(abortError(abortSignal));
  }

  /**
   * Resolves when the answer to `initialize` is good. Rejects with why it is not, and the run then ends, unless it is a
   * `query()` that needs nothing of the answer. Never counts as an unhandled rejection.
   */
  get confirmed(): Promise<void> {
    return this.#confirmed;
  }

  /** The last result, also one that came after the run was told to stop. Complete once {@link exited} has resolved. */
  get lastResult(): SDKResultMessage | undefined {
    return this.#afterStop.result ?? this.record.lastResult;
  }

  /**
   * Sends the prompt of a session that was opened without one. Once.
   * @param accepted - What has to come first; the session has been stopped when it rejects.
   */
  sendPrompt(prompt: string | PromptItems, accepted?: Promise<void>): void {
    this.#deadline.start();
    this.#beganAt = performance.now();
    this.controller.stdin.promptIs(typeof prompt === 'string' ? 'string' : 'stream');
    this.input.sendPrompt(prompt, accepted);
  }

  /** What describes the session: the first answer to `initialize`, or that of a claim. */
  get initialization(): Promise<JsonObject> {
    return this.record.description ?? this.controller.initialized;
  }

  /** True until the run has ended or was told to. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * One control request. Reading goes on while it is pending, however full the queue is.
   * @see OutboundRequests.send
   */
  request<T = JsonObject | undefined>(
    subtype: string,
    payload?: JsonObject,
    options?: RequestOptions,
    read?: ReadAnswer<T>,
  ): Promise<T> {
    const answer = this.controller.requests.send(subtype, payload, options, read);
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

  /** Reading goes on meanwhile. */
  drained(): Promise<void> {
    return this.#output.readOnUntil(this.controller.drained());
  }

  /**
   * Ends the run before the child did: end of input now, signals if the child stays. Returns at once. The first reason
   * wins; later ones are its consequences.
   * @param error - What the loop throws; without one it simply ends.
   * @param how - For the summary and the channels.
   */
  close(error?: Error, how: Pick<TallyEnd, 'isAbandoned' | 'because'> = {}): void {
    // What was received is not lost. It may end the run, as it would have before.
    const isMidRead = this.#isRunning && this.controller.passOnReceived();
    if (!this.#isRunning) {
      void this.#output.settled();
      return;
    }
    const hasTasks = this.controller.tasks.liveCount > 0;
    const isCut = this.#owesAnswer;
    const mustBeTold = this.#hasPeer && (isCut || hasTasks);
    const isTold = !mustBeTold || this.controller.stopWork();
    // Without a turn of its own to end, the CLI begins one about each task that was stopped.
    const mustBeSignalled = !isTold || (this.#hasPeer && hasTasks && !this.#owesAnswer);
    this.#windDown(error ?? new SessionClosedError('This program closed the session'));
    this.#isOver({ error, isClosed: error === undefined, isCut, ...how });
    this.#deadline.dispose();
    if (isMidRead) inMicrotask(() => this.#stopDelivery());
    else this.#stopDelivery();
    // Also where the input of a CLI that is at work is over: only a signal can tell it.
    if (mustBeSignalled) this.#signalNow();
    ignoreRejection(this.ended());
    void this.left().then(() => this.messages.end(this.#afterStop.addTo(error)));
  }

  /** As {@link close}, for a prompt that was never sent: `incompleteStream` says whether the loop throws `error`. */
  giveUp(error: Error): void {
    this.close(this.#options.plan.means.incompleteStream === 'throw' ? error : undefined);
  }

  /**
   * Resolves when the child is gone, at the latest when the ladder reaches its first signal, and the store has what was
   * written until then, or has had its time.
   */
  async left(): Promise<void> {
    const { sigtermMs = 0 } = this.#options.plan.policy.exitLadder;
    await within(sigtermMs, this.exited);
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

  #onMessage(frame: JsonObject, bytes: number, line: string | undefined): void {
    const type = frame.type;
    this.tally.note(frame);
    if (!this.#isDelivering) {
      this.#afterStop.note(frame, bytes);
      return;
    }
    if (type === 'system' || type === 'result') this.record.note(frame);
    const fits = this.#output.push(frame, bytes, line);
    if (!fits) this.#isDelivering = false;
    if (!this.#isRunning) return;
    // After the push, which may pause reading.
    this.#timers.onFrame(typeof type === 'string' ? type : 'unknown');
    if (type === 'result') this.#deadline.onResult();
    if (!fits) this.close(new QueueLimitError(this.#options.plan.policy.limits.maxQueuedBytes));
  }

  #onHiddenFrame(type: string): void {
    this.#timers.onFrame(type);
    // Its answer may come, and the clock of the CLI go on, at any time until the next frame.
    if (type === 'control_request') this.#timers.onHeld();
  }

  #onExitOverdue(silentMs: number): void {
    this.#options.onDiagnostic({
      code: 'process_signalled',
      message: `Claude Code did not exit after its input ended, and was silent for ${silentMs} ms${this.controller.tasks.stillRunning}. It is being terminated.`,
    });
    this.#isExitForced = true;
    this.#signalNow();
  }

  /** The child ended by itself, or at the end of the ladder. */
  #onEnd(end: TransportEnd): Error {
    const error = this.#deadline.passed ?? this.#toError(end);
    const pendingError = error ?? new SessionClosedError(cleanEndOf(end));
    if (this.#isRunning) {
      this.#windDown(pendingError);
      this.#output.end(() => this.#endReason(error), this.#options.plan.means.abortSignal);
    }
    this.#gone.resolve();
    return pendingError;
  }

  /** The deadline counts the wait for the store too. */
  #endReason(error: Error | undefined): Error | undefined {
    this.#deadline.dispose();
    const reason = this.#deadline.passed ?? error;
    this.#isOver({ error: reason, isClosed: false });
    return reason;
  }

  #isOver(end: Omit<TallyEnd, 'durationMs'>): void {
    this.#over.resolve({ ...end, durationMs: performance.now() - this.#beganAt });
  }

  #toError(end: TransportEnd): Error | undefined {
    const { lastResult } = this.record;
    const isForced = this.#isExitForced && end.error === undefined && lastResult !== undefined;
    const error = isForced ? undefined : this.record.toError(end);
    if (error !== undefined) return error;
    const { unansweredCount } = this.controller.messages;
    const missing = this.record.missingAnswers(unansweredCount);
    if (missing === undefined) return undefined;
    if (lastResult !== undefined || (unansweredCount > 0 && this.#isRunning)) {
      const details = { unansweredCount };
      this.#options.onDiagnostic({ code: 'messages_unanswered', message: missing, details });
    }
    return this.#options.plan.means.incompleteStream === 'throw' ? new IncompleteStreamError(missing) : undefined;
  }

  /** The ladder of signals from its first step on. */
  #signalNow(): void {
    const { sigtermMs = 0, sigkillMs = sigtermMs } = this.#options.plan.policy.exitLadder;
    void this.#options.transport.close({ sigtermMs: 0, sigkillMs: sigkillMs - sigtermMs });
  }

  #stopDelivery(): void {
    this.#isDelivering = false;
    this.#output.stop();
  }

  #windDown(pendingError: Error): void {
    this.#isRunning = false;
    this.#timers.stop();
    this.#forgetAbort();
    this.input.stop();
    this.controller.shutdown(pendingError);
  }

  /** See {@link SessionOutputOptions.mayPause}. */
  #mayPause(): boolean {
    return !this.controller.hasCallbacks && !this.#isInitializing && this.controller.pendingRequestCount === 0;
  }
}

/** How a run ended that has no error. */
function cleanEndOf({ exit }: TransportEnd): string {
  if (exit === undefined) return 'Claude Code ended the session';
  const { exitCode, signal } = exit;
  // After its result, a CLI that does not leave is told to by a signal.
  return signal === null ? `Claude Code exited with code ${exitCode}` : `Claude Code was ended by ${signal}`;
}

/**
 * The error of a run that its caller's signal stopped; `cause` is the signal's reason. The official SDK has two texts,
 * by how the process ended, and programs look for either.
 */
export function abortError(signal: AbortSignal | undefined): AbortError {
  return new AbortError('Operation aborted: Claude Code process aborted by user', { cause: signal?.reason });
}

/** The program may wait for other things that a blocked CLI would not do: reach its store, write to stderr, exit. */
function isObserved({ mirror, plan }: QuerySessionOptions): boolean {
  const { stderr, spawnClaudeCodeProcess } = plan.means;
  return mirror !== undefined || stderr !== undefined || spawnClaudeCodeProcess !== undefined;
}
