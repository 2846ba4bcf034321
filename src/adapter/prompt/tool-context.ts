import type { PromptResponse } from '../evaluate/prompt-response.js';
import type { BudgetTracker } from '../limits/budget-tracker.js';
import type { Deadline } from '../limits/deadline.js';
import type { Session } from '../state/index.js';
import type { Prompt } from './prompt.js';
import type { RenderedPrompt } from './rendered-prompt.js';

/** The adapter as a tool sees it: enough to evaluate another prompt. */
export interface EvaluatingAdapter {
  readonly adapterName: string;
  evaluate<T>(
    prompt: Prompt<T>,
    options?: {
      readonly session?: Session;
      readonly deadline?: Deadline;
      readonly budgetTracker?: BudgetTracker;
      readonly signal?: AbortSignal;
    },
  ): Promise<PromptResponse<T>>;
}

/** What a handler knows of the run it is called in. Made anew for each call. */
export interface ToolContext {
  readonly prompt: Prompt<unknown>;
  readonly renderedPrompt: RenderedPrompt<unknown>;
  readonly adapter: EvaluatingAdapter;
  readonly session: Session;
  readonly deadline: Deadline | undefined;
  readonly budgetTracker: BudgetTracker | undefined;
  /** The model's id of the call; `undefined` when the CLI gave none. */
  readonly callId: string | undefined;
  /** Fires when the evaluation ends or is aborted. */
  readonly signal: AbortSignal;
}
