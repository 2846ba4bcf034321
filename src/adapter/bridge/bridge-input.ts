import type { VisibilityExpansionRequired } from '../errors/prompt-errors.js';
import type { HookRun } from '../hooks/hook-run.js';
import type { AnyTool, EvaluatingAdapter, Prompt, RenderedPrompt } from '../prompt/index.js';

/** What the tools of one run need to be served. */
export interface BridgeInput {
  /** Key and name of the server; the model sees `mcp__<bridgeName>__<tool>`. */
  readonly bridgeName: string;
  /** Those without a handler are left out. */
  readonly tools: readonly AnyTool[];
  readonly run: HookRun;
  readonly prompt: Prompt<unknown>;
  readonly renderedPrompt: RenderedPrompt<unknown>;
  readonly adapter: EvaluatingAdapter;
  /** A handler asked for sections to be shown in full: `evaluate()` is to throw this. */
  onVisibilityRequest(request: VisibilityExpansionRequired): void;
  /** Ends the turn, after {@link BridgeInput.onVisibilityRequest}. */
  stopTurn(): void;
}
