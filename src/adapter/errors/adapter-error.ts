import {
  ClaudeSDKError,
  type ClaudeSDKErrorOptions,
  type ErrorClass,
} from '../../errors/claude-sdk-error.js';
import type { RunReport } from '../report/run-report.js';

/** Whether trying again can help, and what has to happen before. */
export interface RetryAdvice {
  /**
   * `safe`: the same call may be repeated as it is. `after_change`: not before something the error names was changed.
   * `unsafe`: it may work, but part of the work was done already. `never`: the same call fails again.
   */
  readonly retry: 'safe' | 'unsafe' | 'after_change' | 'never';
  /** Milliseconds to wait before; `null` when nobody said. */
  readonly retryAfterMs: number | null;
  /** What to do, as one sentence. */
  readonly action: string;
}

export interface AdapterErrorOptions extends ClaudeSDKErrorOptions {
  readonly retryAdvice?: RetryAdvice;
}

const AFTER_CHANGE: RetryAdvice = {
  retry: 'after_change',
  retryAfterMs: null,
  action: 'Change what the message names; the same call fails again.',
};

/** Base of every error of the adapter layer, and a `ClaudeSDKError`. */
export class AdapterError extends ClaudeSDKError {
  override name = 'AdapterError';
  readonly retryAdvice: RetryAdvice;
  /** What is known of the run that failed. `undefined` when it failed outside of a run. */
  report: RunReport | undefined = undefined;

  constructor(message: string, errorClass: ErrorClass, options: AdapterErrorOptions = {}) {
    super(message, errorClass, options);
    this.retryAdvice = options.retryAdvice ?? AFTER_CHANGE;
  }
}
