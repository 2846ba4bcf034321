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
   * The system prompt. A string or an array replaces Claude Code's own; the preset keeps it.
   * Wire: `systemPrompt`, `appendSystemPrompt`, `excludeDynamicSections`, `systemPromptSnapshot` of `initialize`.
   *
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
   * Marks every user message as composed by the host, so the CLI takes it word by word.
   * Wire: `client_composed: true` at the end of every user frame. The caller's object is copied.
   *
   * @defaultValue false
   */
  verbatimPrompts?: boolean;
};
