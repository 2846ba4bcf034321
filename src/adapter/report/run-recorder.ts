import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import type { SDKResultMessage, SDKSystemMessage } from '../../index.js';
import { isAPIRetryMessage, isInitMessage, isResultMessage } from '../../parser/guards.js';
import { fieldsOf, type Unchecked } from '../../parser/read-message.js';
import { tokenCount } from '../../parser/token-usage.js';
import { ToolCallReader } from '../../parser/tool-calls/tool-call-reader.js';
import type { UsageCounter } from '../../parser/usage-counter.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { AdapterError } from '../errors/adapter-error.js';
import { PromptEvaluationError } from '../errors/evaluation-errors.js';
import type { HookState } from '../hooks/hook-run.js';
import type { Budget } from '../limits/budget.js';
import { type Clock, systemClock } from '../limits/clock.js';
import type { Deadline } from '../limits/deadline.js';
import { createRedact, REDACTED, type Redact } from '../logging/redact.js';
import { OutputRefusals } from './output-refusals.js';
import type {
  GuaranteeReport,
  IsolationReport,
  RefusedConnection,
  ReportFile,
  ReportLimits,
  ReportOutcome,
  ReportTimings,
  ReportUnknownCall,
  ReportUsage,
  RunReport,
} from './run-report.js';
import { presentName, SubagentTally, ToolTally, tokensOf } from './tallies.js';

export interface RunRecorderOptions {
  readonly adapterName: string;
  readonly promptName: string;
  /** Counts the same run; the recorder only reads it. */
  readonly usage: UsageCounter;
  readonly model?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly deadline?: Deadline | undefined;
  readonly budget?: Budget | undefined;
  /** @defaultValue the machine's time */
  readonly clock?: Clock | undefined;
  /** Goes over the whole report but the diffs. @defaultValue knows the form of API keys */
  readonly redact?: Redact | undefined;
}

/** Collects the report of a run from its start. Never throws, whatever the shape of a message. */
export class RunRecorder {
  /** The state of the hooks, once there are hooks. */
  hooks: HookState | undefined;
  isolation: IsolationReport | undefined;
  /** Once the CLI has answered the handshake. */
  guarantees: GuaranteeReport | undefined;
  /** Besides those that are known from the start. */
  readonly warnings: string[] = [];
  /** Of an isolated run whose ports are limited. */
  proxy: { readonly refused: readonly RefusedConnection[] } | undefined;
  /** `effective` of the answer to `get_settings`. */
  effectiveSettings: JsonObject | undefined;
  files: readonly ReportFile[] | undefined;
  readonly #options: RunRecorderOptions;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #start: number;
  readonly #marks = new Map<string, number>();
  readonly #tools = new ToolTally();
  readonly #subagents = new SubagentTally();
  /** Made with the first message, when it is known whether there are hooks. */
  #calls: ToolCallReader | undefined;
  #refusals = new OutputRefusals();
  #firstMessageMs: number | undefined;
  #apiRetries = 0;
  #sessionId: string | undefined;
  #init: Unchecked<SDKSystemMessage> = {};
  #sessionCostUsd: number | undefined;
  /** Of the turn: the last result, and what all of its results say together. */
  #result: Unchecked<SDKResultMessage> | undefined;
  #turns: number | undefined;
  #cliMs: number | undefined;

  constructor(options: RunRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#startedAt = this.#clock.now();
    this.#start = this.#clock.monotonic();
  }

  /** Why the CLI refused outputs in this turn. */
  get refusedOutputs(): readonly string[] {
    return this.#refusals.texts;
  }

  /** Records the time since the start under this name, once. */
  mark(name: string): void {
    if (!this.#marks.has(name)) this.#marks.set(name, this.#elapsed());
  }

  /** Forgets results and files of the previous turn. */
  beginTurn(): void {
    this.files = undefined;
    this.#refusals = new OutputRefusals();
    this.#result = undefined;
    this.#turns = undefined;
    this.#cliMs = undefined;
  }

  /**
   * For every message.
   * @param isOfTurn - False in a turn that the CLI began without a user message. Its result is not reported.
   */
  onMessage(message: object, isOfTurn = true): void {
    this.#firstMessageMs ??= this.#elapsed();
    const sessionId: unknown = Reflect.get(message, 'session_id');
    if (typeof sessionId === 'string') this.#sessionId = sessionId;
    if (isInitMessage(message)) this.#init = fieldsOf(message);
    else if (isAPIRetryMessage(message)) this.#apiRetries += 1;
    else if (isResultMessage(message)) this.#onResult(fieldsOf(message), isOfTurn);
    this.#tools.onMessage(message);
    this.#subagents.onMessage(message);
    this.#calls ??= new ToolCallReader(this.hooks === undefined ? {} : { hookEvents: TOOL_HOOKS });
    this.#calls.add(message);
    this.#refusals.onMessage(message);
  }

  #onResult(result: Unchecked<SDKResultMessage>, isOfTurn: boolean): void {
    this.#sessionCostUsd = tokenCount(result.total_cost_usd) ?? this.#sessionCostUsd;
    if (!isOfTurn) return;
    this.#result = result;
    this.#turns = sum(this.#turns, tokenCount(result.num_turns));
    this.#cliMs = sum(this.#cliMs, tokenCount(result.duration_ms));
  }

  /** The report as of now. May be called again after more has come. */
  finish(end: { readonly error?: unknown; readonly stopReason?: string | undefined } = {}): RunReport {
    const { adapterName, promptName, model, redact = DEFAULT_REDACT } = this.#options;
    const init = this.#init;
    const settings = this.effectiveSettings;
    const report: RunReport = {
      version: 1,
      adapter: adapterName,
      promptName,
      outcome: this.#outcome(end),
      cli: {
        version: textOrNull(init.claude_code_version),
        sessionId: this.#sessionId ?? null,
        permissionMode: textOrNull(init.permissionMode),
        authSource: textOrNull(init.apiKeySource),
      },
      model: { requested: model ?? null, used: textOrNull(init.model) },
      limits: this.#limits(),
      guarantees: this.guarantees ?? null,
      warnings: [...(this.#options.warnings ?? []), ...this.warnings],
      isolation: this.isolation ?? null,
      effectiveSettings: settings === undefined ? null : maskSettings(settings),
      tools: { offered: namesOfTools(init.tools), used: this.#tools.used(this.hooks) },
      denials: this.#tools.denials(this.hooks),
      unknownCalls: this.#unknownCalls(),
      refusedOutputs: this.refusedOutputs,
      connectionsRefused: this.proxy?.refused ?? null,
      usage: this.#usage(),
      files: null,
      timings: this.#timings(),
    };
    // Diffs stay whole: they were asked for, and are the user's own text.
    const files = this.files?.map((file) => ({ ...file, path: redact.text(file.path) })) ?? null;
    const effectiveSettings = redact.value(report.effectiveSettings);
    return { ...redact.value(report, FIXED_WORDS), effectiveSettings, files };
  }

  #unknownCalls(): ReportUnknownCall[] {
    for (const event of this.hooks?.toolEvents ?? []) this.#calls?.addHook(event);
    return (this.#calls?.outcomes() ?? []).flatMap(({ id, name, kind }) =>
      kind === 'unknown' ? [{ toolName: presentName(name ?? 'unknown'), toolUseId: id }] : [],
    );
  }

  #outcome({ error, stopReason }: Parameters<RunRecorder['finish']>[0] & object): ReportOutcome {
    const result: Unchecked<SDKResultMessage> = this.#result ?? {};
    return {
      status: error === undefined ? 'completed' : 'failed',
      stopReason: stopReason ?? textOrNull(result.stop_reason),
      terminalReason: textOrNull(result.terminal_reason),
      turns: this.#turns ?? null,
      error: error === undefined ? null : describeError(error),
    };
  }

  #limits(): ReportLimits {
    const { deadline, budget, maxTurns, maxBudgetUsd } = this.#options;
    return {
      deadline: deadline?.expiresAt.toISOString() ?? null,
      maxTurns: maxTurns ?? null,
      maxBudgetUsd: maxBudgetUsd ?? null,
      maxTotalTokens: budget?.maxTotalTokens ?? null,
      maxInputTokens: budget?.maxInputTokens ?? null,
      maxOutputTokens: budget?.maxOutputTokens ?? null,
      countCachedTokens: budget?.countCachedTokens ?? false,
    };
  }

  #usage(): ReportUsage {
    const { usage } = this.#options;
    const models = Object.entries(usage.byModel);
    const costs = models.flatMap(([, { costUsd }]) => (costUsd === undefined ? [] : [costUsd]));
    return {
      ...tokensOf(usage.usage),
      isFinal: this.#result !== undefined && Object.keys(usage.turnUsage).length > 0,
      costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
      sessionCostUsd: this.#sessionCostUsd ?? null,
      byModel: models.map(([model, row]) => ({ model, ...tokensOf(row), costUsd: row.costUsd ?? null })),
      subagentTotal: tokensOf(usage.subagents),
      other: tokensOf(usage.other),
      subagents: this.#subagents.list(usage),
      apiRetries: this.#apiRetries,
    };
  }

  #timings(): ReportTimings {
    const result: Unchecked<SDKResultMessage> = this.#result ?? {};
    return {
      startedAt: new Date(this.#startedAt).toISOString(),
      totalMs: this.#elapsed(),
      firstMessageMs: this.#firstMessageMs ?? null,
      cliMs: this.#cliMs ?? null,
      apiMs: tokenCount(result.duration_api_ms) ?? null,
      firstTokenMs: tokenCount(result.ttft_ms) ?? null,
      marks: Object.fromEntries(this.#marks),
    };
  }

  #elapsed(): number {
    return Math.max(0, Math.round(this.#clock.monotonic() - this.#start));
  }
}

/** The report of a run that turned out to have failed after it was written. */
export function failedReport(report: RunReport, error: AdapterError): RunReport {
  const outcome: ReportOutcome = { ...report.outcome, status: 'failed', error: describeError(error) };
  return { ...report, outcome };
}

const TOOL_HOOKS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'] as const;
const DEFAULT_REDACT = createRedact([]);
/** Times, and fields with a fixed set of values. They are our own text, so they need no redaction. */
const FIXED_WORDS: ReadonlySet<string> = new Set('status errorClass phase retry by form startedAt deadline'.split(' '));

function sum(before: number | undefined, more: number | undefined): number | undefined {
  return more === undefined ? before : (before ?? 0) + more;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Older CLIs sent objects. */
function namesOfTools(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  const names = tools.flatMap((tool: unknown) => {
    const name = isJsonObject(tool) ? tool.name : tool;
    return typeof name === 'string' ? [presentName(name)] : [];
  });
  return [...new Set(names)];
}

function describeError(error: unknown): ReportOutcome['error'] {
  const isOurs = isClaudeSDKError(error);
  return {
    name: error instanceof Error ? error.name : typeof error,
    errorClass: isOurs ? error.errorClass : null,
    code: (isOurs ? error.code : undefined) ?? null,
    phase: error instanceof PromptEvaluationError ? error.phase : null,
    message: errorText(error),
    retryAdvice: error instanceof AdapterError ? error.retryAdvice : null,
  };
}

/** Keys whose values may be secrets, anywhere in the settings. */
const HOLDS_VALUES = new Set(['env', 'headers']);

/** Settings without the values of variables and headers. */
function maskSettings(settings: JsonObject): JsonObject {
  return mapValues(settings, (inner, key) =>
    HOLDS_VALUES.has(key) && isJsonObject(inner) ? mapValues(inner, () => REDACTED) : mask(inner),
  );
}

function mask(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mask);
  return isJsonObject(value) ? maskSettings(value) : value;
}

function mapValues(object: JsonObject, change: (value: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}
