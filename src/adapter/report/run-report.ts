import type { ErrorClass } from '../../errors/claude-sdk-error.js';
import type { TokenUsage } from '../../parser/token-usage.js';
import type { JsonObject } from '../../util/json.js';

/** What an evaluation gives. */
export interface PromptResponse<T> {
  readonly promptName: string;
  /** The final text; `null` when there is none. */
  readonly text: string | null;
  /** The typed output; `null` when none was declared, or only text came. */
  readonly output: T | null;
  readonly usage: TokenUsage;
  /** To resume with. */
  readonly cliSessionId: string | undefined;
  readonly stopReason: string | undefined;
  /** Only of isolated runs. */
  readonly isolation: IsolationReport | undefined;
  readonly report: RunReport;
}

/**
 * What is known of one run, as plain JSON without a secret. `null` means unknown; nothing is guessed. Its schema is
 * `RUN_REPORT_SCHEMA`, and the file `schemas/run-report.schema.json` of the package.
 */
export interface RunReport {
  readonly version: 1;
  /** The adapter's label. */
  readonly adapter: string;
  readonly promptName: string;
  readonly outcome: ReportOutcome;
  /** The CLI as it names itself in its first message. */
  readonly cli: {
    readonly version: string | null;
    /** To resume with. */
    readonly sessionId: string | null;
    readonly permissionMode: string | null;
    /** Where its key came from, such as `ANTHROPIC_API_KEY`; never the key. */
    readonly authSource: string | null;
  };
  readonly model: { readonly requested: string | null; readonly used: string | null };
  readonly limits: ReportLimits;
  /**
   * What the run relies on and older releases of the CLI cannot keep: what this one keeps, and what it does not.
   * `null`: the CLI did not answer the handshake. A run whose policy depends on a missing one is refused.
   */
  readonly guarantees: GuaranteeReport | null;
  /** What the caller should know of the configuration and of the CLI. */
  readonly warnings: readonly string[];
  /** `null` for a run without isolation. */
  readonly isolation: IsolationReport | null;
  /**
   * The settings in force, as the CLI answers; `null` when it was not asked. Values of variables and headers are
   * masked.
   */
  readonly effectiveSettings: Readonly<Record<string, unknown>> | null;
  readonly tools: {
    readonly offered: readonly string[];
    /** In order of the first call. */
    readonly used: readonly ReportToolUse[];
  };
  /** Calls that were refused, in order. */
  readonly denials: readonly ReportDenial[];
  /** Calls that were cut while they ran: they may have taken effect. In order, with those of sub-agents. */
  readonly unknownCalls: readonly ReportUnknownCall[];
  /** Why the CLI refused outputs of the model: they did not fit the schema. In order, the first 20. */
  readonly refusedOutputs: readonly string[];
  /** What shell commands asked the adapter's own proxy for and did not get; `null` when it did not run. */
  readonly connectionsRefused: readonly RefusedConnection[] | null;
  readonly usage: ReportUsage;
  /** What tools changed in the workspace; `null` without a workspace, or when it was not compared. */
  readonly files: readonly ReportFile[] | null;
  readonly timings: ReportTimings;
}

/**
 * What a run relies on and older releases of the CLI cannot keep. `hook_failure_blocks`: a tool does not run when the
 * adapter's check before it does not answer.
 */
export type Guarantee = 'hook_failure_blocks';

export interface GuaranteeReport {
  readonly kept: readonly Guarantee[];
  readonly missing: readonly Guarantee[];
}

export interface ReportOutcome {
  readonly status: 'completed' | 'failed';
  readonly stopReason: string | null;
  /** The CLI's word for why the turn ended. */
  readonly terminalReason: string | null;
  readonly turns: number | null;
  readonly error: {
    readonly name: string;
    readonly errorClass: ErrorClass | null;
    readonly code: string | null;
    readonly phase: string | null;
    readonly message: string;
    readonly retryAdvice: RetryAdvice | null;
  } | null;
}

/** Whether trying again can help, and what has to happen before. */
export interface RetryAdvice {
  /**
   * `safe`: the same call may be repeated as it is. `after_change`: not before something the error names was changed.
   * `unsafe`: it may work, but part of the work was done already. `never`: the same call fails again.
   */
  readonly retry: 'safe' | 'unsafe' | 'after_change' | 'never';
  /** Milliseconds to wait before; `null` when unknown. */
  readonly retryAfterMs: number | null;
  /** What to do, as one sentence. */
  readonly action: string;
}

/** What was asked for. */
export interface ReportLimits {
  /** ISO 8601, UTC. */
  readonly deadline: string | null;
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
  readonly maxTotalTokens: number | null;
  readonly maxInputTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly countCachedTokens: boolean;
}

export interface ReportToolUse {
  readonly name: string;
  /** Calls that the model asked for, the refused ones included. */
  readonly requested: number;
  /** Calls that ended, well or not. */
  readonly completed: number;
}

/** It may have taken effect wholly, in part or not at all. */
export interface ReportUnknownCall {
  readonly toolName: string;
  readonly toolUseId: string;
}

export interface ReportDenial {
  readonly toolName: string;
  readonly toolUseId: string | null;
  readonly reason: string | null;
  /** `adapter`: a check of the adapter. `cli`: a rule or mode of the CLI. */
  readonly by: 'adapter' | 'cli';
}

/** What is known about the limits of an isolated run. The CLI does not report whether its sandbox is active. */
export interface IsolationReport {
  /** The configuration enables the sandbox. */
  readonly requested: boolean;
  /** The CLI confirmed our settings as the ones in force. */
  readonly settingsConfirmed: boolean;
  /** A trial sandbox started on this machine, and a command could not leave it. `null` when it was not tried. */
  readonly probePassed: boolean | null;
  /** What a command could do in the trial sandbox, such as `kernel settings in /proc/sys`. Empty when it passed. */
  readonly openings: readonly string[];
  /**
   * Additions of an administrator: settings sources such as `policySettings`, paths of managed texts (memory, skills).
   */
  readonly managedSources: readonly string[];
}

/** The protocol of a client's request. */
export type ProxyForm = 'http' | 'connect' | 'socks';

/** A kind of connection that the proxy refused, with its count. */
export interface RefusedConnection {
  readonly form: ProxyForm;
  /** As requested. `''` when it could not be read. */
  readonly host: string;
  /** `0` when it could not be read. */
  readonly port: number;
  readonly reason: string;
  readonly count: number;
}

export interface ReportTokens {
  /** Uncached. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Cache reads and writes. */
  readonly cachedTokens: number | null;
}

export interface ReportUsage extends ReportTokens {
  /** `false`: an estimate from messages, without a result. */
  readonly isFinal: boolean;
  /** Of this run, by the CLI's own reckoning. */
  readonly costUsd: number | null;
  /** The CLI's running total of the session, earlier runs of a resumed one included. */
  readonly sessionCostUsd: number | null;
  readonly byModel: readonly (ReportTokens & { readonly model: string; readonly costUsd: number | null })[];
  /** All sub-agents together, as far as results report them. Their cost is reported only by model. */
  readonly subagentTotal: ReportTokens;
  /**
   * What the CLI used for itself, such as for a title of the session. In `subagentTotal` once the run has a sub-agent.
   */
  readonly other: ReportTokens;
  readonly subagents: readonly ReportSubagent[];
  /** Requests to the API that failed and were tried again. */
  readonly apiRetries: number;
}

/** Tokens come from its forwarded messages and are usually too low; for the only sub-agent they are the CLI's sum. */
export interface ReportSubagent extends ReportTokens {
  /** Of the `Agent` call that started it. */
  readonly toolUseId: string;
  readonly type: string | null;
  /** `running`, `completed`, `failed`, `stopped`; others as they came. */
  readonly status: string;
  /** The tokens are the CLI's sum, since this was the only sub-agent. They may include calls of the CLI itself. */
  readonly isExact: boolean;
  /** Known when no other agent of the run used its model. */
  readonly costUsd: number | null;
  readonly toolCalls: number | null;
  readonly durationMs: number | null;
}

export interface ReportFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly change: 'created' | 'modified' | 'deleted';
  /** A unified diff, when it was asked for. */
  readonly diff?: string;
}

/** Milliseconds, but for the first. */
export interface ReportTimings {
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly totalMs: number;
  /** From the start to the CLI's first message. */
  readonly firstMessageMs: number | null;
  /** The turn, by the CLI's clock. */
  readonly cliMs: number | null;
  /** Waiting for the API, by the CLI's clock. */
  readonly apiMs: number | null;
  /** From the prompt to the first word, by the CLI's clock. */
  readonly firstTokenMs: number | null;
  /** Other moments from the start, by name, such as `initialized`. */
  readonly marks: Readonly<Record<string, number>>;
}

const text = { type: 'string' };
const maybeText = { type: ['string', 'null'] };
const count = { type: 'number', minimum: 0 };
const maybeCount = { type: ['number', 'null'], minimum: 0 };
const isTrue = { type: 'boolean' };

/** Every property is always there, but for the optional ones. */
function shape(properties: JsonObject, optional: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

const orNull = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: 'null' }] });
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });

const tokens = { inputTokens: maybeCount, outputTokens: maybeCount, cachedTokens: maybeCount };

const retryAdvice = shape({
  retry: { enum: ['safe', 'unsafe', 'after_change', 'never'] },
  retryAfterMs: maybeCount,
  action: text,
});

const outcome = shape({
  status: { enum: ['completed', 'failed'] },
  stopReason: maybeText,
  terminalReason: maybeText,
  turns: maybeCount,
  error: orNull(
    shape({
      name: text,
      errorClass: maybeText,
      code: maybeText,
      phase: maybeText,
      message: text,
      retryAdvice: orNull(retryAdvice),
    }),
  ),
});

const limits = shape({
  deadline: maybeText,
  maxTurns: maybeCount,
  maxBudgetUsd: maybeCount,
  maxTotalTokens: maybeCount,
  maxInputTokens: maybeCount,
  maxOutputTokens: maybeCount,
  countCachedTokens: isTrue,
});

const isolation = shape({
  requested: isTrue,
  settingsConfirmed: isTrue,
  probePassed: { type: ['boolean', 'null'] },
  openings: listOf(text),
  managedSources: listOf(text),
});

const usage = shape({
  ...tokens,
  isFinal: isTrue,
  costUsd: maybeCount,
  sessionCostUsd: maybeCount,
  byModel: listOf(shape({ model: text, ...tokens, costUsd: maybeCount })),
  subagentTotal: shape(tokens),
  other: shape(tokens),
  subagents: listOf(
    shape({
      toolUseId: text,
      type: maybeText,
      status: text,
      ...tokens,
      isExact: isTrue,
      costUsd: maybeCount,
      toolCalls: maybeCount,
      durationMs: maybeCount,
    }),
  ),
  apiRetries: count,
});

const timings = shape({
  startedAt: text,
  totalMs: count,
  firstMessageMs: maybeCount,
  cliMs: maybeCount,
  apiMs: maybeCount,
  firstTokenMs: maybeCount,
  marks: { type: 'object', additionalProperties: count },
});

/** JSON Schema (draft 2020-12) of a `RunReport`; also the file `schemas/run-report.schema.json`. */
export const RUN_REPORT_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Run report of claudewire/adapter',
  ...shape({
    version: { const: 1 },
    adapter: text,
    promptName: text,
    outcome,
    cli: shape({ version: maybeText, sessionId: maybeText, permissionMode: maybeText, authSource: maybeText }),
    model: shape({ requested: maybeText, used: maybeText }),
    limits,
    guarantees: orNull(shape({ kept: listOf(text), missing: listOf(text) })),
    warnings: listOf(text),
    isolation: orNull(isolation),
    effectiveSettings: { type: ['object', 'null'] },
    tools: shape({ offered: listOf(text), used: listOf(shape({ name: text, requested: count, completed: count })) }),
    denials: listOf(
      shape({ toolName: text, toolUseId: maybeText, reason: maybeText, by: { enum: ['adapter', 'cli'] } }),
    ),
    unknownCalls: listOf(shape({ toolName: text, toolUseId: text })),
    refusedOutputs: listOf(text),
    connectionsRefused: orNull(
      listOf(shape({ form: { enum: ['http', 'connect', 'socks'] }, host: text, port: count, reason: text, count })),
    ),
    usage,
    files: orNull(listOf(shape({ path: text, change: { enum: ['created', 'modified', 'deleted'] } }, { diff: text }))),
    timings,
  }),
};
