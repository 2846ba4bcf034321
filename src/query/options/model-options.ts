import type { CanUseTool, PermissionMode } from '../../control/permission-types.js';

/** A prompt text of the caller's own instead of the preset. */
export type CustomSystemPrompt = {
  type: 'custom';
  /** Parts are separate cache blocks; put `SYSTEM_PROMPT_DYNAMIC_BOUNDARY` between fixed and changing ones. */
  prompt: string | string[];
  /** Whether the CLI stores the prompt with the session. Sent as `systemPromptSnapshot` when given. */
  snapshot?: boolean;
};

/** Claude Code's own system prompt. */
export type PresetSystemPrompt = {
  type: 'preset';
  preset: 'claude_code';
  /** Added after the preset. Sent as `appendSystemPrompt` when given, also when empty. */
  append?: string;
  /** Leaves out the parts that change from run to run (folder, date, git state), for caching. */
  excludeDynamicSections?: boolean;
  /** Whether the CLI stores the prompt with the session. Sent as `systemPromptSnapshot` when given. */
  snapshot?: boolean;
};

/** What the model is told before and around the conversation. */
export type PromptOptions = {
  /**
   * The system prompt. A string or an array replaces Claude Code's own; the preset keeps it. Wire: `systemPrompt`,
   * `appendSystemPrompt`, `excludeDynamicSections`, `systemPromptSnapshot` of `initialize`.
   * @defaultValue an empty prompt (`['']`), not the preset: the official default
   */
  systemPrompt?: string | string[] | CustomSystemPrompt | PresetSystemPrompt;
  /** Instructions for plan mode. Wire: `planModeInstructions` of `initialize`, whatever the mode. */
  planModeInstructions?: string;
  /** Title of the session. Wire: `title` of `initialize`, also when empty. */
  title?: string;
  /** Asks the CLI to suggest the user's next prompt after each turn. Wire: same name in `initialize`. */
  promptSuggestions?: boolean;
  /**
   * Marks every user message as composed by the host, so the CLI takes it word by word. Wire: `client_composed: true`
   * at the end of every user frame. The caller's object is copied.
   * @defaultValue false
   */
  verbatimPrompts?: boolean;
};

/** Settings of single tools. */
export type ToolConfig = {
  askUserQuestion?: {
    /** What previews in questions are written in. Wire: variable `CLAUDE_CODE_QUESTION_PREVIEW_FORMAT`. */
    previewFormat?: 'markdown' | 'html';
  };
};

/** Which tools exist, which may run without asking, and who is asked. */
export type ToolOptions = {
  /**
   * The built-in tools that exist. `[]`: none. The preset: all of the CLI's. Wire: `--tools=A,B`, `--tools=`,
   * `--tools=default`.
   * @defaultValue the CLI's choice
   */
  tools?: string[] | { type: 'preset'; preset: 'claude_code' };
  /**
   * Tools that run **without asking**. It does not restrict: other tools still exist (use `tools`), and may be asked
   * about. Wire: `--allowedTools=A,B`; an empty list is not sent.
   */
  allowedTools?: string[];
  /** Tools that are never run. Wire: `--disallowedTools=A,B`; an empty list is not sent. */
  disallowedTools?: string[];
  /** Other names for tools. Wire: `toolAliases` of `initialize`, also when empty. */
  toolAliases?: Record<string, string>;
  /** Settings of single tools. */
  toolConfig?: ToolConfig;
  /**
   * Skills the model may use. `'all'` allows the `Skill` tool; a list allows `Skill(name)` for each. Names are checked,
   * since one with a comma or a parenthesis would allow other tools. Wire: `--allowedTools`, and for a list `skills` of
   * `initialize`.
   */
  skills?: string[] | 'all';
  /**
   * How permissions work. Any name passes: the CLI may know newer ones. Wire: `--permission-mode=V`.
   * @defaultValue the CLI's own (`default`, or what its settings say)
   */
  permissionMode?: PermissionMode;
  /**
   * Needed by the CLI before `bypassPermissions` can be used. Wire: `--allow-dangerously-skip-permissions`.
   * @defaultValue false
   */
  allowDangerouslySkipPermissions?: boolean;
  /**
   * Decides on tools that no rule allows. Not asked for tools in `allowedTools`, nor in `bypassPermissions` (a process
   * warning `CLAUDE_SDK_CAN_USE_TOOL_SHADOWED` says so). Wire: `--permission-prompt-tool=stdio`.
   */
  canUseTool?: CanUseTool;
  /** An MCP tool that decides instead of `canUseTool`. Not both. Wire: `--permission-prompt-tool=V`. */
  permissionPromptToolName?: string;
  /** Whether anybody can be asked. Wire: `--permission-prompts=V`. */
  permissionPrompts?: 'host' | 'none';
};

/** A beta feature of the API. Other names pass too. */
export type SdkBeta = 'context-1m-2025-08-07';

/** How hard the model thinks. Other names pass too. */
export type EffortLevel = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export type ThinkingAdaptive = { type: 'adaptive'; display?: 'summarized' | 'omitted' };

export type ThinkingEnabled = {
  type: 'enabled';
  /** Tokens. Absent: the model decides, as with `adaptive`. */
  budgetTokens?: number;
  display?: 'summarized' | 'omitted';
};

export type ThinkingDisabled = { type: 'disabled' };

export type ThinkingConfig = ThinkingAdaptive | ThinkingEnabled | ThinkingDisabled;

export type OutputFormatType = 'json_schema';

export type BaseOutputFormat = { type: OutputFormatType };

/** The final answer as JSON of this schema, in the result's `structured_output`. */
export type JsonSchemaOutputFormat = { type: 'json_schema'; schema: Record<string, unknown> };

export type OutputFormat = JsonSchemaOutputFormat;

/** Which model, how much of it, and what comes out. */
export type ModelOptions = {
  /** Wire: `--model=V`. @defaultValue the CLI's own */
  model?: string;
  /** Used when the model is overloaded. Must differ from `model`. Wire: `--fallback-model=V`. */
  fallbackModel?: string;
  /**
   * Turns per user message, after which the result is `error_max_turns`. A whole number; `0` or `Infinity`: no limit.
   * Wire: `--max-turns=N`.
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
