import type { ExtensionOptions, SettingsOptions } from './options/extension-options.js';
import type { ModelOptions, PromptOptions, ToolOptions } from './options/model-options.js';
import type { LimitOptions, ProcessOptions, SessionOptions } from './options/process-options.js';

/**
 * Options of `query()` and `ClaudeClient`: the official SDK's, with their names, types and meanings, and the bounds of
 * {@link LimitOptions}.
 *
 * All are optional; `null` and `undefined` mean "not given" (but `systemPrompt: null` is refused). The object and what
 * is in it are read when the run starts and never changed. Unknown names are ignored, as the official SDK does. A value
 * that cannot be used is an `InvalidOptionError` before anything is started.
 * @see docs/reference/options.md in the repository
 */
export type Options = PromptOptions &
  ToolOptions &
  ModelOptions &
  SessionOptions &
  ExtensionOptions &
  SettingsOptions &
  ProcessOptions &
  LimitOptions;
