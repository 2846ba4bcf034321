import { ClaudeSDKError, type ClaudeSDKErrorOptions, type ErrorClass } from '../../errors/claude-sdk-error.js';
import type { RunReport } from '../report/run-report.js';
import { advise, type RetryAdvice } from './retry-advice.js';

export interface AdapterErrorOptions extends ClaudeSDKErrorOptions {
  readonly retryAdvice?: RetryAdvice;
}

/** Base of every error of the adapter layer, and a `ClaudeSDKError`. */
export class AdapterError extends ClaudeSDKError {
  override name = 'AdapterError';
  readonly retryAdvice: RetryAdvice;
  /** What is known of the run that failed. `undefined` when it failed outside of a run. */
  report: RunReport | undefined = undefined;

  constructor(message: string, errorClass: ErrorClass, options: AdapterErrorOptions = {}) {
    super(message, errorClass, options);
    this.retryAdvice =
      options.retryAdvice ?? advise('after_change', 'Change what the message names; the same call fails again.');
  }
}
