import type { SDKAssistantMessageError } from './message.js';
import type { TurnProgress } from './turn-progress.js';

/** What the messages around a result say that the result itself does not. */
export interface TurnFacts {
  /** The `error` of the last assistant message: what the CLI calls the API's refusal. */
  readonly assistantError?: SDKAssistantMessageError | undefined;
  /** What cut the answer off, in that message: `context_window` or `output_limit`, both called `max_output_tokens`. */
  readonly cutBy?: unknown;
  /** The turn's `init` lists the tool that a schema adds. */
  readonly expectsStructuredOutput: boolean;
  /** A hook blocked the prompt, or ended the turn. */
  readonly isStoppedByHook: boolean;
  /** The CLI told the model that the user stopped the turn. */
  readonly isInterrupted: boolean;
  /** The model refused and no other model took over. */
  readonly isRefused: boolean;
  /** How far it came, or an earlier turn of the run. */
  readonly progress: TurnProgress;
  /** How often the last request to the API was sent. */
  readonly attempts: number;
  /** The wait that the CLI announced before the last try. */
  readonly lastRetryDelayMs?: number | undefined;
  /** From the last rejected `rate_limit_event`; seconds since the epoch. */
  readonly limitResetsAt?: number;
}

/** Of a turn of which only the result is known. */
export const NO_FACTS: TurnFacts = {
  expectsStructuredOutput: false,
  isStoppedByHook: false,
  isInterrupted: false,
  isRefused: false,
  progress: 'none',
  attempts: 1,
};
