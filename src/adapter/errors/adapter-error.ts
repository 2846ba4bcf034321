import { ClaudeSDKError, type ClaudeSDKErrorOptions, type ErrorClass } from '../../errors/claude-sdk-error.js';
import type { RunReport } from '../report/run-report.js';

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

/** @param retryAfterMs - Milliseconds; `null` when unknown. */
export function advise(retry: RetryAdvice['retry'], action: string, retryAfterMs: number | null = null): RetryAdvice {
  return { retry, retryAfterMs, action };
}

export const RESUME =
  'Resume the session of `partial.cliSessionId`, or repeat the call when doing the work twice does no harm.';

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

/** A configuration that cannot be used, or a machine that cannot give what it asks for. Nothing was sent to a model. */
export class AdapterConfigError extends AdapterError {
  override name = 'AdapterConfigError';
  /** Paths of the fields, such as `isolation.sandbox.required`. */
  readonly fields: readonly string[];

  constructor(message: string, fields: readonly string[], options: AdapterErrorOptions = {}) {
    super(message, 'adapter_config_invalid', options);
    this.fields = fields;
  }
}

/** Model parameters that the CLI has no counterpart for and whose loss would change results. */
export class UnsupportedParameterError extends AdapterError {
  override name = 'UnsupportedParameterError';
  /** Their names, in alphabetical order. */
  readonly fields: readonly string[];

  constructor(fields: readonly string[]) {
    const sorted = [...fields].sort();
    super(
      `Claude Code has no counterpart for ${sorted.map((name) => `\`${name}\``).join(', ')}`,
      'unsupported_parameter',
      { hint: 'Leave them out.' },
    );
    this.fields = sorted;
  }
}
