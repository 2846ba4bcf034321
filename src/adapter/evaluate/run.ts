import type { SDKMessage } from '../../index.js';
import { errorText } from '../../util/error-text.js';
import type { JsonObject } from '../../util/json.js';
import type { AdapterError } from '../errors/adapter-error.js';
import {
  DeadlineExceededError,
  EvaluationAbortedError,
  type PromptEvaluationError,
} from '../errors/evaluation-errors.js';
import { normalizeError } from '../errors/normalize-error.js';
import type { VisibilityExpansionRequired } from '../errors/prompt-errors.js';
import type { HookState } from '../hooks/hook-run.js';
import type { IsolatedRun } from '../isolation/prepare-isolation.js';
import { UsageCounter } from '../limits/usage-counter.js';
import { createLog } from '../logging/create-log.js';
import type { Log } from '../logging/log.js';
import { createRedact, type Redact, secretsOf } from '../logging/redact.js';
import type { RenderedPrompt } from '../prompt/rendered-prompt.js';
import { RunRecorder } from '../report/run-recorder.js';
import { changedFiles } from '../workspace/changed-files.js';
import type { AdapterConfig, Host } from './adapter-config.js';
import type { LiveRun } from './live-run.js';
import type { PromptResponse } from './prompt-response.js';
import type { RunRequest } from './run-request.js';
import { StderrTail } from './stderr-tail.js';
import { RunStopped, type StopReason, StopWatch } from './stop-watch.js';
import { TurnFacts } from './turn-facts.js';
import { type WorkingDirectory, workingDirectory } from './working-directory.js';

/** Everything that is known of one run, from the call to its end. Nothing of it outlives the run. */
export class Run<T> {
  readonly request: RunRequest<T>;
  readonly config: AdapterConfig;
  readonly stateful: boolean;
  readonly host: Host;
  readonly redact: Redact;
  readonly log: Log;
  readonly watch: StopWatch;
  readonly stderr: StderrTail;
  readonly usage: UsageCounter;
  readonly recorder: RunRecorder;
  readonly place: WorkingDirectory;
  /** Facts of the turn that runs, or ran last. */
  turn = new TurnFacts();
  /** By the monotonic clock; `undefined` before the CLI was started. */
  startedAt: number | undefined;
  rendered: RenderedPrompt<T> | undefined;
  hookState: HookState | undefined;
  live: LiveRun | undefined;
  isolated: IsolatedRun | undefined;
  /** A tool asked for sections to be shown in full. */
  visibility: VisibilityExpansionRequired | undefined;
  /** Resolves when the process is gone and the home removed. */
  readonly ended: Promise<void>;
  #end = (): void => {};
  #closing: Promise<void> | undefined;

  /** @param stateful - More than one turn is to come, or was before. */
  constructor(config: AdapterConfig, request: RunRequest<T>, stateful: boolean) {
    const { client, clock } = config;
    const { options, deadline, promptName, session } = request;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.stateful = stateful;
    this.config = config;
    this.request = request;
    this.host = config.host();
    this.redact = createRedact(
      secretsOf({
        apiKey: client.isolation?.apiKey,
        env: { ...client.env, ...client.isolation?.env },
        passEnv: client.isolation?.passEnv,
        hostEnv: this.host.env,
      }),
    );
    this.stderr = new StderrTail(this.redact.text);
    this.log = createLog(config.logger, config.adapterName, this.redact);
    this.usage = new UsageCounter({ resumed: options.resume !== undefined });
    this.recorder = new RunRecorder({
      adapterName: config.adapterName,
      promptName,
      usage: this.usage,
      model: config.model,
      maxTurns: client.maxTurns,
      maxBudgetUsd: client.maxBudgetUsd,
      deadline,
      budget: request.tracker?.budget,
      clock,
      redact: this.redact,
    });
    this.place = workingDirectory(client, session);
    this.watch = new StopWatch({
      signal: options.signal,
      deadline,
      graceMs: client.deadlineGraceMs,
      clock,
    });
  }

  /** For every message of the CLI. Never throws. */
  onMessage(message: JsonObject): void {
    const { tracker, evaluationId, options } = this.request;
    this.turn.onMessage(message);
    this.usage.onMessage(message);
    // The only ones that count; a stream has thousands of others.
    if (message['type'] === 'assistant' || message['type'] === 'result') {
      tracker?.recordCumulative(evaluationId, this.usage.usage);
    }
    this.recorder.onMessage(message);
    if (options.onMessage === undefined) return;
    const onFailure = (error: unknown): void =>
      this.log.error('event_delivery_failed', {
        handler: 'onMessage',
        type: message['type'],
        error: errorText(error),
      });
    try {
      // The type says void, and an async function fits it.
      const done: unknown = options.onMessage(message as unknown as SDKMessage);
      if (done instanceof Promise) done.catch(onFailure);
    } catch (error) {
      onFailure(error);
    }
  }

  /** Resolves when the process is gone and the home removed. Safe to call twice. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      // Handlers that still work hear of the end before their answers have nowhere to go.
      this.watch.end();
      await this.live?.close();
    } finally {
      await this.isolated?.cleanup();
      this.#end();
    }
  }

  /** Milliseconds since the CLI was started. */
  get elapsedMs(): number {
    const now = this.config.clock.monotonic();
    return now - (this.startedAt ?? now);
  }

  /** Notes for the report which files of the workspace changed. Never rejects. */
  async noteFiles(): Promise<void> {
    const { workspace } = this.place;
    if (workspace === undefined || this.live === undefined) return;
    try {
      this.recorder.files = await changedFiles(workspace, { diff: this.request.options.diff });
    } catch {
      // The workspace may be gone. The report then says that nothing is known of files.
    }
  }

  /** What there is so far; `undefined` when the CLI has not said anything. */
  partial(): PromptResponse<null> | undefined {
    const { turn } = this;
    if (turn.cliSessionId === undefined) return undefined;
    return {
      promptName: this.request.promptName,
      text: turn.text,
      output: null,
      usage: this.usage.usage,
      cliSessionId: turn.cliSessionId,
      stopReason: this.hookState?.stopReason,
      isolation: this.recorder.isolation,
      report: this.recorder.finish(),
    };
  }

  /** The error that leaves the adapter, with the report. */
  toError(error: unknown): AdapterError {
    const failure =
      error instanceof RunStopped ? this.stopError(error.reason) : this.#normalized(error);
    failure.report ??= this.recorder.finish({ error: failure });
    return failure;
  }

  stopError(reason: StopReason): PromptEvaluationError {
    const common = { promptName: this.request.promptName, partial: this.partial() };
    if (reason.kind === 'deadline') {
      return new DeadlineExceededError('The deadline passed before the result came', common);
    }
    const phase = this.turn.cliSessionId === undefined ? 'request' : 'response';
    if (reason.kind === 'closed') {
      return new EvaluationAbortedError('The conversation was closed', { ...common, phase });
    }
    return reason.kind === 'aborted'
      ? new EvaluationAbortedError('The evaluation was aborted', {
          ...common,
          phase,
          cause: reason.cause,
        })
      : new EvaluationAbortedError('The adapter was disposed of', { ...common, phase });
  }

  #normalized(error: unknown): AdapterError {
    const { request, turn, redact, log } = this;
    return normalizeError(error, {
      promptName: request.promptName,
      phase: turn.cliSessionId === undefined ? 'request' : 'response',
      stderrTail: this.stderr.lines,
      log,
      partial: this.partial(),
      redact,
      result: { failure: turn.failure },
    });
  }
}
