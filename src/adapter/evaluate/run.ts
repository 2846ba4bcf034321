import { isAbsolute, join, resolve } from 'node:path';
import type { SDKMessage, SDKSystemMessage } from '../../index.js';
import {
  isAssistantMessage,
  isInitMessage,
  isResultMessage,
  isStreamEvent,
  isTaskNotificationMessage,
  isTaskProgressMessage,
  isUserMessage,
} from '../../parser/guards.js';
import { fieldsOf } from '../../parser/read-message.js';
import { UsageCounter } from '../../parser/usage-counter.js';
import { createDeferred } from '../../util/deferred.js';
import { absolutePath } from '../../util/host-places.js';
import { isJsonObject } from '../../util/json.js';
import type { AdapterError } from '../errors/adapter-error.js';
import {
  BudgetExhaustedError,
  DeadlineExceededError,
  EvaluationAbortedError,
  type PromptEvaluationError,
} from '../errors/evaluation-errors.js';
import { normalizeError } from '../errors/normalize-error.js';
import type { VisibilityExpansionRequired } from '../errors/prompt-errors.js';
import type { HookRun } from '../hooks/hook-run.js';
import type { IsolatedRun } from '../isolation/prepare-isolation.js';
import { type BudgetDimension, type LimitUse, limitUse } from '../limits/budget.js';
import { createLog, deliver, type Log } from '../logging/log.js';
import { createRedact, type Redact, secretsOf } from '../logging/redact.js';
import type { RenderedPrompt } from '../prompt/index.js';
import { RunRecorder } from '../report/run-recorder.js';
import type { PromptResponse } from '../report/run-report.js';
import type { Session } from '../state/index.js';
import { ClaudeAgentWorkspace, changedFiles } from '../workspace/index.js';
import { type AdapterConfig, defaultModeWarnings, type Host, warnOfUnknownTools } from './adapter-config.js';
import type { ResolvedClientConfig } from './client-config.js';
import type { LiveRun, UsageProbe } from './live-run.js';
import type { RunRequest } from './run-request.js';
import { StderrRelay, stderrSink } from './stderr-relay.js';
import { RunStopped, StopMonitor, type StopReason } from './stop-monitor.js';
import { TurnBook } from './turn-book.js';

export interface WorkingDirectory {
  /** `undefined`: the host's. */
  readonly cwd: string | undefined;
  /** Further directories for the CLI. */
  readonly addDirs: readonly string[];
  /** All of them, absolute; the child's own first. */
  readonly insideDirs: readonly string[];
  readonly mounts: HookRun['mounts'];
  readonly workspace: ClaudeAgentWorkspace | undefined;
}

const STOPPED = {
  aborted: 'The evaluation was aborted',
  closed: 'The conversation was closed',
  disposed: 'The adapter was disposed of',
};

/** The state of one run, from the call to its end. */
export class Run<T> {
  readonly request: RunRequest<T>;
  readonly config: AdapterConfig;
  readonly host: Host;
  readonly redact: Redact;
  readonly log: Log;
  readonly watch: StopMonitor;
  readonly stderr: StderrRelay;
  readonly usage: UsageCounter;
  readonly recorder: RunRecorder;
  readonly place: WorkingDirectory;
  readonly turns: TurnBook;
  /** By the monotonic clock; `undefined` before the CLI was started. */
  startedAt: number | undefined;
  rendered: RenderedPrompt<T> | undefined;
  live: LiveRun | undefined;
  /** Only of runs with a token budget. */
  probe: UsageProbe | undefined;
  isolated: IsolatedRun | undefined;
  /** The CLI has answered the handshake. */
  isReady = false;
  /** A tool asked for sections to be shown in full. */
  visibility: VisibilityExpansionRequired | undefined;
  readonly #ended = createDeferred<void>();
  #closing: Promise<void> | undefined;
  #wasInit = false;

  constructor(config: AdapterConfig, request: RunRequest<T>) {
    const { client, clock } = config;
    const { options, deadline, promptName, session } = request;
    this.config = config;
    this.request = request;
    this.host = config.host();
    this.redact = createRedact(
      secretsOf({
        apiKey: client.isolation?.apiKey,
        env: { ...client.env, ...client.isolation?.env },
        passEnv: client.isolation?.passEnv,
        hostEnv: this.host.hostEnv,
      }),
    );
    this.log = createLog(config.logger, config.adapterName, this.redact);
    this.stderr = new StderrRelay(this.redact.text, stderrSink(client, this.log));
    this.usage = new UsageCounter({ resumed: options.resume !== undefined });
    this.recorder = new RunRecorder({
      adapterName: config.adapterName,
      promptName,
      usage: this.usage,
      model: config.model,
      warnings: defaultModeWarnings(config),
      maxTurns: client.maxTurns,
      maxBudgetUsd: client.maxBudgetUsd,
      deadline,
      budget: request.tracker?.budget,
      clock,
      redact: this.redact,
    });
    this.turns = new TurnBook(this.usage, this.recorder);
    this.place = workingDirectory(client, session);
    this.watch = new StopMonitor({ signal: options.signal, deadline, graceMs: client.deadlineGraceMs, clock });
  }

  /** Resolves when the process is gone and the home removed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** For every message of the CLI. Never throws. */
  onMessage(message: SDKMessage): void {
    const { options } = this.request;
    this.usage.onMessage(message);
    if (this.hasBudget && tellsOfUsage(message)) {
      this.#countUsage();
      void this.probe?.ask();
    }
    this.recorder.onMessage(message, this.turns.onMessage(message));
    if (isInitMessage(message)) this.#onInit(message);
    const to = { handler: 'onMessage', type: message.type };
    deliver(this.log, to, () => options.onMessage?.(message));
  }

  /** The tracker learns what the run used, and a run that passed its budget is stopped. */
  #countUsage(): void {
    const { tracker, evaluationId } = this.request;
    tracker?.recordCumulative(evaluationId, this.usage.usage);
    const passed = this.#passedNow;
    if (passed === undefined || this.watch.reason !== undefined) return;
    this.log.warn('budget.passed', { dimension: passed.dimension, consumed: passed.consumed });
    this.watch.stop({ kind: 'budget', dimension: passed.dimension });
  }

  /** There is a limit of tokens or dollars. */
  get hasBudget(): boolean {
    return this.request.tracker !== undefined || this.config.client.maxBudgetUsd !== undefined;
  }

  /** The limit that stopped the run, else the one that is passed by now, with the current usage. */
  get passedLimit(): LimitUse | undefined {
    const { reason } = this.watch;
    return reason?.kind === 'budget' ? this.#limitOf(reason.dimension) : this.#passedNow;
  }

  get #passedNow(): LimitUse | undefined {
    const dimension = this.request.tracker?.exceededDimension();
    if (dimension !== undefined) return this.#limitOf(dimension);
    const { maxBudgetUsd = Infinity } = this.config.client;
    return this.usage.costUsd > maxBudgetUsd ? this.#limitOf('usd') : undefined;
  }

  #limitOf(dimension: BudgetDimension): LimitUse {
    const { tracker } = this.request;
    if (dimension !== 'usd' && tracker !== undefined) return limitUse(tracker.budget, tracker.consumed, dimension);
    const { maxBudgetUsd: limit } = this.config.client;
    const { costUsd, usage: consumed } = this.usage;
    return { dimension, consumed, limit, text: `$${costUsd.toFixed(4)} of $${limit}` };
  }

  /** Takes the table of a usage answer. */
  onUsageTable(table: unknown): void {
    this.usage.onTable(table);
    this.#countUsage();
  }

  /** Each turn begins with one. */
  #onInit(message: SDKSystemMessage): void {
    if (this.#wasInit) return;
    this.#wasInit = true;
    warnOfUnknownTools(message, this.config, this.request.session, this.log);
  }

  /** Resolves when the process is gone and the home removed. Safe to call twice. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      // Abort running handlers while their answers can still be sent.
      this.watch.end();
      await this.live?.close();
      this.stderr.end();
    } finally {
      await this.isolated?.cleanup();
      this.#ended.resolve();
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
      // The workspace may be gone. The report then has no files.
    }
  }

  /** The response so far; `undefined` before the first message of the CLI. */
  partial(): PromptResponse<null> | undefined {
    const { text, cliSessionId, hooks } = this.turns;
    if (cliSessionId === undefined) return undefined;
    return {
      promptName: this.request.promptName,
      text,
      output: null,
      usage: this.usage.usage,
      cliSessionId,
      stopReason: hooks?.stopReason,
      isolation: this.recorder.isolation,
      report: this.recorder.finish(),
    };
  }

  /** The error that leaves the adapter, with the report. */
  toError(error: unknown): AdapterError {
    const failure = error instanceof RunStopped ? this.stopError(error.reason) : this.#normalized(error);
    if (failure.report === undefined) {
      const report = this.recorder.finish({ error: failure });
      failure.report = report;
      const { name, errorClass, phase } = report.outcome.error ?? {};
      this.log.info('sdk.evaluate.failed', {
        promptName: report.promptName,
        durationMs: report.timings.totalMs,
        errorType: name,
        errorClass,
        phase,
        sessionId: report.cli.sessionId,
      });
    }
    return failure;
  }

  /** The error of a run that was stopped. */
  stopError(reason: StopReason): PromptEvaluationError {
    const facts = this.facts;
    if (reason.kind === 'budget') {
      // With what is used by now, which may be more than when the run was stopped.
      const passed = this.#limitOf(reason.dimension);
      const message = `The budget was passed: ${passed.text}. The run and its agents were stopped.`;
      return new BudgetExhaustedError(message, passed, facts);
    }
    if (reason.kind === 'deadline') {
      return new DeadlineExceededError('The deadline passed before the result came', facts);
    }
    const cause = reason.kind === 'aborted' ? { cause: reason.cause } : {};
    return new EvaluationAbortedError(STOPPED[reason.kind], { ...facts, ...cause });
  }

  #normalized(error: unknown): AdapterError {
    return normalizeError(error, {
      ...this.facts,
      stderrTail: this.stderr.lines,
      log: this.log,
      isBeforeHandshake: !this.isReady,
      redact: this.redact,
      turn: this.turns.facts,
      progress: this.turns.progress,
    });
  }

  /** What every error of the run says. */
  get facts() {
    return {
      promptName: this.request.promptName,
      phase: this.turns.cliSessionId === undefined ? ('request' as const) : ('response' as const),
      partial: this.partial(),
    };
  }
}

/** Where a run works: the configured directory, else the workspace of the session, else the host's. */
function workingDirectory(
  { cwd, addDirs }: Pick<ResolvedClientConfig, 'cwd' | 'addDirs'>,
  session: Session,
): WorkingDirectory {
  const workspace = session.query(ClaudeAgentWorkspace).latest();
  const own = cwd ?? workspace?.tempDir;
  const extra = workspace === undefined ? addDirs : [...new Set([...addDirs, workspace.tempDir])];
  const base = absolutePath('cwd', own ?? '.');
  return {
    cwd: own,
    addDirs: extra,
    insideDirs: [base, ...extra.map((each) => (isAbsolute(each) ? each : resolve(base, each)))],
    mounts: (workspace?.mountPreviews ?? []).map(({ resolvedHost, mountPath }) => ({
      hostPath: resolvedHost,
      copyPath: join(workspace?.tempDir ?? '', ...mountPath.split('/')),
    })),
    workspace,
  };
}

/** A stream has thousands of events that do not. */
function tellsOfUsage(message: SDKMessage): boolean {
  if (isStreamEvent(message)) {
    const { event } = fieldsOf(message);
    return isJsonObject(event) && event.type === 'message_delta';
  }
  return (
    isAssistantMessage(message) ||
    isUserMessage(message) ||
    isResultMessage(message) ||
    isTaskProgressMessage(message) ||
    isTaskNotificationMessage(message)
  );
}
