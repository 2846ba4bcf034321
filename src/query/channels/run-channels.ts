import { createRequestId } from '../../control/outbound-requests.js';
import type { Diagnostic } from '../../diagnostics.js';
import { isClaudeSDKError } from '../../errors.js';
import type { RunSummary, TallyEnd } from '../../parser/run-summary.js';
import { finalUsageOf } from '../../transcripts/files/cost-state.js';
import type { TranscriptPlace } from '../../transcripts/files/subagent-tail.js';
import { observeTransport, type TransportObserver } from '../../transport/observed-transport.js';
import type { FrameTransport, TransportEnd } from '../../transport/transport.js';
import { configLocation } from '../../util/config-folder.js';
import { errorText } from '../../util/error-text.js';
import { absolutePath } from '../../util/host-places.js';
import { type JsonObject, stringField } from '../../util/json.js';
import type { LaunchPlan, TraceContext } from '../launch/launch-plan.js';
import { maySpendBefore } from '../launch/plan-launch.js';
import { hasSubscribers, isSubscribed, type Open, publishEnd, publishStart } from './channels.js';
import type { OperationError, ProcessContext, QueryContext } from './contexts.js';
import { ControlChannels } from './control-channels.js';
import { type Ending, endingOf, endingOfHost } from './ending.js';
import { MessageChannels } from './message-channels.js';

/** Publishes one run on the channels of `node:diagnostics_channel`, from what crosses its transport. */
export class RunChannels implements TransportObserver {
  readonly run = createRequestId();
  /** Wall clock, without its jumps. */
  readonly #epoch = Date.now() - performance.now();
  readonly #query: Open<QueryContext>;
  readonly #messages: MessageChannels;
  readonly #control: ControlChannels;
  #transport: (FrameTransport & { readonly pid?: number | undefined }) | undefined;
  #process: Open<ProcessContext> | undefined;
  /** Frames that come after the end of the run would start operations that never end. */
  #isOver = false;
  /** Where the CLI's transcripts are. */
  #place: TranscriptPlace | undefined;
  /** How the host ended the run. */
  #stop: Ending;

  /** `undefined` while nobody subscribes: then nothing is made for the run. */
  static open(front: QueryContext['front'], model: unknown): RunChannels | undefined {
    return hasSubscribers() ? new RunChannels(front, model) : undefined;
  }

  private constructor(front: QueryContext['front'], model: unknown) {
    this.#query = {
      run: this.run,
      sessionId: undefined,
      startedAt: this.#now(),
      front,
      model: typeof model === 'string' ? model : undefined,
      isResumed: false,
      hasCliTraces: false,
    };
    this.#messages = new MessageChannels(this.#query);
    this.#control = new ControlChannels(this.#query, this.#messages);
    publishStart('query', this.#query);
  }

  /** What a subscriber wants to be the parent of the CLI. */
  get traceContext(): TraceContext | undefined {
    return this.#query.traceContext;
  }

  observe(transport: FrameTransport, plan: LaunchPlan): FrameTransport {
    this.#query.isResumed = maySpendBefore(plan);
    this.#query.hasCliTraces = hasCliTraces(plan.env);
    this.#transport = transport;
    this.#place = placeOf(plan);
    this.#messages.readFrom(plan.sessionStore === undefined ? this.#place : 'mirror');
    return observeTransport(transport, this);
  }

  onOpen(): void {
    if (this.#isOver) return;
    const { run, sessionId } = this.#query;
    this.#process = { run, sessionId, startedAt: this.#now(), query: this.#query, pid: undefined };
  }

  onOpened(): void {
    if (this.#process === undefined) return;
    this.#process.pid = this.#transport?.pid;
    publishStart('process', this.#process);
  }

  onFrameIn(frame: JsonObject): void {
    if (this.#isOver) return;
    const at = this.#now();
    // The frames of a peer may have any shape, and no reader of them may end the run.
    try {
      if (frame.type === 'system' && frame.subtype === 'init') this.#onInit(frame);
      this.#control.onFrame(frame, 'cli', at);
      this.#messages.onFrame(frame, at);
    } catch {}
  }

  onFrameOut(frame: object): void {
    if (this.#isOver) return;
    const at = this.#now();
    try {
      // It was written, so it is JSON.
      const written = frame as JsonObject;
      if (written.type === 'user' || written.type === undefined) this.#messages.onUserMessage(written, at);
      else this.#control.onFrame(written, 'host', at);
    } catch {}
  }

  onInputEnd(): void {}

  onClose(): void {}

  onEnd({ exit, error }: TransportEnd): void {
    const open = this.#process;
    if (open === undefined) return;
    this.#process = undefined;
    open.pid ??= this.#transport?.pid;
    if (exit !== undefined) open.exit = exit;
    const isBad = exit !== undefined && (exit.exitCode !== 0 || exit.signal !== null);
    const failure = isBad ? { kind: 'exit', message: `It ended with ${exit.signal ?? exit.exitCode}` } : undefined;
    publishEnd('process', open, this.#now(), error === undefined ? failure : failureOf(error));
  }

  onDiagnostic({ code, details }: Diagnostic): void {
    if (code === 'request_timed_out') this.#control.onTimeout(String(details?.requestId), this.#now());
  }

  /** Nothing was started. */
  onRefused(error: unknown): void {
    this.#close(failureOf(error));
  }

  /** It is decided how the run ends. Its process may go on for a moment. */
  onDecided(end: TallyEnd): void {
    this.#stop ??= endingOfHost(end);
    this.#messages.onStop(this.#stop);
  }

  /** The run is over: ends what is open, and the run. */
  onOver(summary: RunSummary): void {
    this.#query.summary = summary;
    const ending = endingOf(summary.outcome, summary.error);
    this.#close(ending === 'interrupted' ? (this.#stop ?? ending) : ending);
  }

  #close(ending: Ending): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const at = this.#now();
    const { isBehind } = this.#messages;
    this.#control.close(at);
    this.#messages.close(at);
    this.onEnd({});
    if (isBehind) this.#readFinalUsage();
    publishEnd('query', this.#query, at, ending);
  }

  /** The process is gone, so its transcript is complete. */
  #readFinalUsage(): void {
    const { sessionId, startedAt } = this.#query;
    if (this.#place === undefined || sessionId === undefined || !isSubscribed('query')) return;
    const usage = finalUsageOf(this.#place, sessionId, startedAt);
    if (usage !== undefined) this.#query.finalModelUsage = usage;
  }

  #onInit(init: JsonObject): void {
    this.#query.sessionId = stringField(init, 'session_id') ?? this.#query.sessionId;
    this.#query.model = stringField(init, 'model') ?? this.#query.model;
    const version = stringField(init, 'claude_code_version');
    if (version !== undefined) this.#query.cliVersion = version;
  }

  #now(): number {
    return this.#epoch + performance.now();
  }
}

/** `undefined`: there are none, or on another machine. */
function placeOf({ args, cwd: given = '.', env, means }: LaunchPlan): TranscriptPlace | undefined {
  if (means.transport !== undefined || args.includes('--no-session-persistence')) return undefined;
  try {
    const cwd = absolutePath('cwd', given);
    return { configFolder: configLocation(env, cwd).folder, cwd };
  } catch {
    // The working directory does not exist any more.
    return undefined;
  }
}

function failureOf(error: unknown): OperationError {
  const kind = isClaudeSDKError(error) ? error.errorClass : 'failed';
  return { kind, message: errorText(error), cause: error };
}

const ON = /^(?:1|true|yes|on)$/i;

function hasCliTraces(env: LaunchPlan['env']): boolean {
  const { CLAUDE_CODE_ENABLE_TELEMETRY: telemetry = '', CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: traces = '' } = env;
  return ON.test(telemetry) && ON.test(traces) && (env.OTEL_TRACES_EXPORTER ?? '').split(',').includes('otlp');
}
