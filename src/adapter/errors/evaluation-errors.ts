import type { ErrorClass } from '../../errors/claude-sdk-error.js';
import type { TokenUsage } from '../../parser/token-usage.js';
import { type Budget, type BudgetDimension, limitUse } from '../limits/budget.js';
import type { PromptResponse } from '../report/run-report.js';
import { AdapterError, type AdapterErrorOptions, advise, RESUME } from './adapter-error.js';
import type { ValueIssue } from './prompt-errors.js';

/** Where an evaluation was when it failed. */
export type EvaluationPhase = 'request' | 'response' | 'tool' | 'budget' | 'deadline';

export interface EvaluationErrorOptions extends AdapterErrorOptions {
  readonly promptName: string;
  readonly phase: EvaluationPhase;
  readonly code?: string;
  readonly providerPayload?: Readonly<Record<string, unknown>> | undefined;
  readonly partial?: PromptResponse<unknown> | undefined;
}

/** An evaluation that gave no response. */
export class PromptEvaluationError extends AdapterError {
  override name = 'PromptEvaluationError';
  readonly promptName: string;
  readonly phase: EvaluationPhase;
  /** What the CLI or the API said: `exitCode`, `stderr`, `status`, `errors`. Never a secret. */
  readonly providerPayload: Readonly<Record<string, unknown>> | undefined;
  /** What had been produced before: the text so far, the usage, the session to resume. */
  readonly partial: PromptResponse<unknown> | undefined;

  constructor(message: string, options: EvaluationErrorOptions, errorClass: ErrorClass = 'evaluation_failed') {
    super(message, errorClass, options);
    this.promptName = options.promptName;
    this.phase = options.phase;
    this.providerPayload = options.providerPayload;
    this.partial = options.partial;
  }
}

export interface ThrottleDetails {
  readonly kind: 'rate_limit' | 'quota_exhausted' | 'timeout' | 'unknown';
  readonly retryAfterMs: number | null;
  readonly attempts: number;
  readonly retrySafe: boolean;
  readonly providerPayload: Readonly<Record<string, unknown>> | undefined;
}

/** The API, or the way to the CLI, had no room: see `details.kind`. */
export class ThrottleError extends PromptEvaluationError {
  override name = 'ThrottleError';
  readonly details: ThrottleDetails;

  constructor(message: string, details: ThrottleDetails, options: EvaluationErrorOptions) {
    super(message, { ...options, providerPayload: details.providerPayload }, 'throttled');
    this.details = details;
  }
}

const ONCE_MORE = advise('unsafe', RESUME);
const MORE_ROOM = advise('after_change', `Give more room. ${RESUME}`);
const CLEARER = advise('unsafe', 'Simplify the schema or say more about it in the prompt; a repetition may help.');

/** For errors that have a phase of their own. */
type PhasedOptions = Omit<EvaluationErrorOptions, 'phase'>;

/** The deadline passed. */
export class DeadlineExceededError extends PromptEvaluationError {
  override name = 'DeadlineExceededError';

  constructor(message: string, options: PhasedOptions) {
    super(message, { retryAdvice: MORE_ROOM, ...options, phase: 'deadline' }, 'deadline_exceeded');
  }
}

/** The budget is used up. `partial` holds the response when there is one. */
export class BudgetExhaustedError extends PromptEvaluationError {
  override name = 'BudgetExhaustedError';
  readonly dimension: BudgetDimension;
  readonly consumed: TokenUsage;
  /** Tokens, or US dollars for `usd`; `undefined` when it is not known. */
  readonly limit: number | undefined;

  constructor(
    message: string,
    limit: { readonly dimension: BudgetDimension; readonly consumed: TokenUsage; readonly limit?: number | undefined },
    options: PhasedOptions,
  ) {
    super(message, { retryAdvice: MORE_ROOM, ...options, phase: 'budget' }, 'budget_exhausted');
    this.dimension = limit.dimension;
    this.consumed = limit.consumed;
    this.limit = limit.limit;
  }
}

/** `BudgetTracker.check()`: a limit was passed. */
export class BudgetExceededError extends AdapterError {
  override name = 'BudgetExceededError';
  readonly budget: Budget;
  readonly consumed: TokenUsage;
  readonly exceededDimension: BudgetDimension;

  constructor(budget: Budget, consumed: TokenUsage, exceededDimension: BudgetDimension) {
    const { text } = limitUse(budget, consumed, exceededDimension);
    super(`The budget is exceeded: ${text}`, 'budget_exhausted', { retryAdvice: MORE_ROOM });
    this.budget = budget;
    this.consumed = consumed;
    this.exceededDimension = exceededDimension;
  }
}

/** The caller's signal fired. `cause` is its reason. */
export class EvaluationAbortedError extends PromptEvaluationError {
  override name = 'EvaluationAbortedError';

  constructor(message: string, options: EvaluationErrorOptions) {
    super(message, { retryAdvice: ONCE_MORE, ...options }, 'aborted');
  }
}

/** The output does not fit the declared type. */
export class OutputParseError extends PromptEvaluationError {
  override name = 'OutputParseError';
  /** As the CLI gave it. */
  readonly rawOutput: unknown;
  readonly issues: readonly ValueIssue[];

  constructor(
    message: string,
    output: { readonly rawOutput: unknown; readonly issues: readonly ValueIssue[] },
    options: PhasedOptions,
  ) {
    super(message, { retryAdvice: CLEARER, ...options, phase: 'response' }, 'output_invalid');
    this.rawOutput = output.rawOutput;
    this.issues = output.issues;
  }
}

/** The model did not manage to produce an output that fits, however often the CLI asked. */
export class StructuredOutputRetriesError extends PromptEvaluationError {
  override name = 'StructuredOutputRetriesError';

  constructor(message: string, options: PhasedOptions) {
    super(message, { retryAdvice: CLEARER, ...options, phase: 'response' }, 'output_invalid');
  }
}
