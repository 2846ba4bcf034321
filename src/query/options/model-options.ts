/** A beta feature of the API. Other names pass too. */
export type SdkBeta = 'context-1m-2025-08-07';

/** How hard the model thinks. Other names pass too. */
export type EffortLevel = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export type ThinkingAdaptive = {
  type: 'adaptive';
  display?: 'summarized' | 'omitted';
};

export type ThinkingEnabled = {
  type: 'enabled';
  /** Tokens. Absent: the model decides, as with `adaptive`. */
  budgetTokens?: number;
  display?: 'summarized' | 'omitted';
};

export type ThinkingDisabled = {
  type: 'disabled';
};

export type ThinkingConfig = ThinkingAdaptive | ThinkingEnabled | ThinkingDisabled;

export type OutputFormatType = 'json_schema';

export type BaseOutputFormat = {
  type: OutputFormatType;
};

/** The final answer as JSON of this schema, in the result's `structured_output`. */
export type JsonSchemaOutputFormat = {
  type: 'json_schema';
  schema: Record<string, unknown>;
};

export type OutputFormat = JsonSchemaOutputFormat;

/** Which model, how much of it, and what comes out. */
export type ModelOptions = {
  /** Wire: `--model=V`. @defaultValue the CLI's own */
  model?: string;

  /** Used when the model is overloaded. Must differ from `model`. Wire: `--fallback-model=V`. */
  fallbackModel?: string;

  /**
   * Turns per user message, after which the result is `error_max_turns`. A whole number; `0` or `Infinity`:
   * no limit. Wire: `--max-turns=N`.
   *
   * @defaultValue no limit
   */
  maxTurns?: number;

  /** US dollars, after which the result is `error_max_budget_usd`. `0` is a limit. `Infinity`: none. Wire: `--max-budget-usd=N`. */
  maxBudgetUsd?: number;

  /** Tokens the model is told it has for the task. Wire: `--task-budget=N`. */
  taskBudget?: { total: number };

  /** Wire: `--thinking=V` or `--max-thinking-tokens=N`, and `--thinking-display=V`. */
  thinking?: ThinkingConfig;

  /**
   * Tokens. `0` turns thinking off. Ignored when `thinking` is given. Wire: `--max-thinking-tokens=N`.
   *
   * @deprecated Use `thinking`.
   */
  maxThinkingTokens?: number;

  /** Wire: `--effort=V`. */
  effort?: EffortLevel;

  /** Wire: `--betas=a,b`; an empty list is not sent. */
  betas?: SdkBeta[];

  /** Wire: `--json-schema=<JSON>` and `jsonSchema` of `initialize`. */
  outputFormat?: OutputFormat;

  /** Yields `stream_event` messages with the deltas of the API. Wire: `--include-partial-messages`. @defaultValue false */
  includePartialMessages?: boolean;

  /** Yields messages about hooks that run. Wire: `--include-hook-events`. @defaultValue false */
  includeHookEvents?: boolean;

  /** Yields the text of subagents too. Wire: same name in `initialize`. */
  forwardSubagentText?: boolean;

  /** Yields summaries of what agents do. Wire: same name in `initialize`. */
  agentProgressSummaries?: boolean;
};
