import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import { isResultMessage } from '../../parser/guards.js';
import type { PromptResponse } from '../evaluate/prompt-response.js';
import { tokenLimit } from '../limits/budget.js';
import type { Log } from '../logging/log.js';
import type { Redact } from '../logging/redact.js';
import { AdapterError, type RetryAdvice } from './adapter-error.js';
import { type ErrorRow, rowOf, rowOfStranger } from './error-rows.js';
import {
  BudgetExceededError,
  BudgetExhaustedError,
  DeadlineExceededError,
  EvaluationAbortedError,
  type EvaluationPhase,
  PromptEvaluationError,
  ThrottleError,
} from './evaluation-errors.js';
import { errorOfResult, type ResultErrorFacts } from './result-errors.js';
import { advise, RESUME } from './retry-advice.js';
import { scrubError } from './scrub-error.js';

export interface NormalizeFacts {
  readonly promptName: string;
  /** Where the run was: what an abort reports. The other errors have a phase of their own. */
  readonly phase: EvaluationPhase;
  /** The last lines of the CLI's stderr. */
  readonly stderrTail: readonly string[];
  readonly log: Log;
  /** The caller's. Once it has fired, every failure is its consequence. */
  readonly signal?: AbortSignal | undefined;
  readonly partial?: PromptResponse<unknown> | undefined;
  /** The CLI had not answered the handshake: nothing was sent to a model. @defaultValue `false` */
  readonly isBeforeHandshake?: boolean | undefined;
  readonly redact?: Redact | undefined;
  /** For the result that some errors of the SDK carry. */
  readonly result?: Omit<ResultErrorFacts, 'promptName'> | undefined;
}

/**
 * Turns whatever a run failed with into an error of this layer; `cause` is the original. Errors of this layer stay as they
 * are. Never throws.
 */
export function normalizeError(error: unknown, facts: NormalizeFacts): AdapterError {
  if (facts.redact !== undefined) scrubError(error, facts.redact);
  const normalized = toAdapterError(error, facts);
  if (normalized !== error) {
    facts.log.debug('error.normalized', {
      errorType: normalized.name,
      phase: normalized instanceof PromptEvaluationError ? normalized.phase : facts.phase,
    });
  }
  return normalized;
}

function toAdapterError(error: unknown, facts: NormalizeFacts): AdapterError {
  const { promptName, partial } = facts;
  if (error instanceof BudgetExceededError) {
    return new BudgetExhaustedError(
      error.message,
      {
        dimension: error.exceededDimension,
        consumed: error.consumed,
        limit: tokenLimit(error.budget, error.exceededDimension),
      },
      { promptName, partial, cause: error },
    );
  }
  if (error instanceof AdapterError) return error;
  if (facts.signal?.aborted === true) return aborted(facts.signal.reason, facts);
  if (!isClaudeSDKError(error)) return fromRow(error, rowOfStranger(error), facts);
  if (error.errorClass === 'aborted') return aborted(error.cause ?? error, facts);
  if (error.errorClass === 'deadline_exceeded') {
    return new DeadlineExceededError(error.message, { promptName, partial, cause: error });
  }
  const { data } = error as { data?: unknown };
  if (error.errorClass === 'error_result' && isResultMessage(data)) {
    const known = errorOfResult(data, { ...facts, ...facts.result, cause: error });
    if (known !== undefined) return known;
  }
  return fromRow(error, rowOf(error), facts);
}

function aborted(cause: unknown, facts: NormalizeFacts): EvaluationAbortedError {
  const { promptName, phase, partial } = facts;
  return new EvaluationAbortedError('The evaluation was aborted', {
    promptName,
    phase,
    partial,
    cause,
  });
}

function fromRow(error: unknown, row: ErrorRow, facts: NormalizeFacts): PromptEvaluationError {
  const { promptName, partial, redact } = facts;
  const stderr = row.payload?.stderr ?? facts.stderrTail.join('\n');
  const payload = { ...row.payload, ...(stderr === '' ? {} : { stderr }) };
  const isEmpty = Object.keys(payload).length === 0;
  const providerPayload = isEmpty ? undefined : (redact?.value(payload) ?? payload);
  const message = redact?.text(row.message) ?? row.message;
  const retryAdvice = adviceFor(row, facts);
  const options = {
    promptName,
    partial,
    phase: row.phase,
    cause: error,
    providerPayload,
    retryAdvice,
    ...(row.code === undefined ? {} : { code: row.code }),
  };
  if (row.isTimeout !== true) return new PromptEvaluationError(message, options);
  const details = {
    kind: 'timeout',
    retryAfterMs: null,
    attempts: 1,
    retrySafe: retryAdvice.retry === 'safe',
    providerPayload,
  } as const;
  return new ThrottleError(message, details, options);
}

/** A session is only to be resumed where there is one, and work is only done twice where it could be begun. */
function adviceFor(row: ErrorRow, { partial, isBeforeHandshake }: NormalizeFacts): RetryAdvice {
  const { advice, adviceBeforeHandshake } = row;
  if (isBeforeHandshake === true && adviceBeforeHandshake !== undefined) {
    return adviceBeforeHandshake;
  }
  if (advice.retry !== 'unsafe' || partial !== undefined) return advice;
  return isBeforeHandshake === true
    ? advise('after_change', NOT_BEGUN)
    : advise('unsafe', advice.action.replace(RESUME, REPEAT_WITH_CARE));
}

const REPEAT_WITH_CARE = 'Repeat the call when doing the work twice does no harm.';
const NOT_BEGUN =
  'Change what the message or `providerPayload.stderr` names: it failed before the CLI was ready, and nothing was sent to the model.';
