import type { TokenUsage } from '../../parser/token-usage.js';
import { tokenCount } from '../../parser/token-usage.js';
import { type JsonObject, stringField } from '../../util/json.js';
import type { PromptResponse } from '../evaluate/prompt-response.js';
import type { Budget } from '../limits/budget.js';
import { limitText, reachedDimension, tokenLimit } from '../limits/budget.js';
import type { Redact } from '../logging/redact.js';
import { type ApiFailure, apiAdvice, apiFailure } from './api-failure.js';
import {
  BudgetExhaustedError,
  DeadlineExceededError,
  type EvaluationErrorOptions,
  PromptEvaluationError,
  StructuredOutputRetriesError,
  ThrottleError,
} from './evaluation-errors.js';
import { FailureFacts } from './failure-facts.js';
import { advise, RESUME } from './retry-advice.js';

export interface ResultErrorFacts {
  readonly promptName: string;
  /** Of the turn. @defaultValue nothing is known */
  readonly failure?: FailureFacts | undefined;
  /** The error for which we interrupted the turn. */
  readonly interruptedBy?: PromptEvaluationError | undefined;
  /** The limit for which a hook of ours ended the turn (`HookState.limitStop`). */
  readonly limitStop?: 'deadline' | 'budget' | undefined;
  /** A value was handed over by the `StructuredOutput` tool, in the result or before. */
  readonly hasOutput?: boolean | undefined;
  /** For errors about a budget. */
  readonly consumed?: TokenUsage | undefined;
  readonly budget?: Budget | undefined;
  readonly maxBudgetUsd?: number | undefined;
  /** The model that was asked for because nobody named one. */
  readonly defaultModel?: string | undefined;
  readonly stderrTail?: readonly string[] | undefined;
  readonly partial?: PromptResponse<unknown> | undefined;
  readonly redact?: Redact | undefined;
  /** What was thrown, when the result came inside of an error. */
  readonly cause?: unknown;
  /** Milliseconds since 1970. */
  readonly now?: number | undefined;
}

/** The error that a result message reports; `undefined` for a run that is complete. No field is required or trusted. */
export function errorOfResult(
  result: JsonObject,
  facts: ResultErrorFacts,
): PromptEvaluationError | undefined {
  const subtype = stringField(result, 'subtype') ?? '';
  const isFailure = result.is_error === true || subtype.startsWith('error_');
  return isFailure ? failureOf(result, subtype, facts) : limitStopOf(result, facts);
}

/** A turn that a hook ended is a success for the CLI; for us it is one only when the output had come. */
function limitStopOf(
  result: JsonObject,
  facts: ResultErrorFacts,
): PromptEvaluationError | undefined {
  if (facts.limitStop === undefined || facts.hasOutput === true) return undefined;
  if (result.terminal_reason !== 'hook_stopped') return undefined;
  const common = commonOf(result, facts);
  if (facts.limitStop === 'deadline') {
    return new DeadlineExceededError('The deadline passed during the run', common);
  }
  const { budget, consumed = {} } = facts;
  const reached = budget && reachedDimension(budget, consumed);
  const text = reached && `: ${limitText(budget, consumed, reached)}`;
  return new BudgetExhaustedError(
    `The token budget was used up during the run${text ?? ''}`,
    {
      dimension: reached ?? 'total_tokens',
      consumed,
      limit: reached && tokenLimit(budget, reached),
    },
    common,
  );
}

function failureOf(
  result: JsonObject,
  subtype: string,
  facts: ResultErrorFacts,
): PromptEvaluationError {
  const text = textOf(result, facts.redact);
  const common = commonOf(result, facts);
  switch (subtype) {
    case 'error_max_turns':
      return new PromptEvaluationError(`The turn limit was exceeded: ${text}`, {
        ...common,
        phase: 'response',
        code: 'max_turns',
        retryAdvice: advise('after_change', `Raise \`maxTurns\`. ${RESUME}`),
      });
    case 'error_max_budget_usd':
      return new BudgetExhaustedError(
        text,
        { dimension: 'usd', consumed: facts.consumed ?? {}, limit: facts.maxBudgetUsd },
        {
          ...common,
          code: 'max_budget_usd',
          retryAdvice: advise('after_change', `Raise \`maxBudgetUsd\`. ${RESUME}`),
        },
      );
    case 'error_max_structured_output_retries':
      return new StructuredOutputRetriesError(text, {
        ...common,
        code: 'max_structured_output_retries',
      });
    case 'error_during_execution':
      return facts.interruptedBy ?? executionError(result, text, common);
    default:
      return apiError(result, subtype, text, facts);
  }
}

type Common = Omit<EvaluationErrorOptions, 'phase' | 'code' | 'retryAdvice'>;

function executionError(result: JsonObject, text: string, common: Common): PromptEvaluationError {
  const reason = stringField(result, 'startup_failure_reason');
  if (reason !== undefined) {
    return new PromptEvaluationError(`Claude Code did not start the run: ${text}`, {
      ...common,
      phase: 'request',
      code: reason,
      retryAdvice: NOTHING_SENT,
    });
  }
  return new PromptEvaluationError(`The run ended with an error: ${text}`, {
    ...common,
    phase: 'response',
    code: stringField(result, 'terminal_reason') ?? 'error_during_execution',
    // A start that failed has no turns, and not always a reason.
    retryAdvice: result.num_turns === 0 ? NOTHING_SENT : advise('unsafe', RESUME),
  });
}

const NOTHING_SENT = advise(
  'after_change',
  'Change what the message names; nothing was sent to the model.',
);

function apiError(
  result: JsonObject,
  subtype: string,
  text: string,
  facts: ResultErrorFacts,
): PromptEvaluationError {
  const turn = facts.failure ?? new FailureFacts();
  const failure = apiFailure(result, turn.assistantError);
  const common = commonOf(result, facts);
  const isUntouched = (tokenCount(result.num_turns) ?? 0) <= 1;
  const retryAfterMs = turn.retryAfterMs(facts.now);
  const retryAdvice = apiAdvice(failure, { isUntouched, retryAfterMs });
  if (failure === 'rate_limit' || failure === 'billing') {
    const kind = failure === 'billing' ? 'quota_exhausted' : 'rate_limit';
    const details = {
      kind,
      retryAfterMs: retryAdvice.retryAfterMs,
      attempts: turn.attempts,
      retrySafe: retryAdvice.retry === 'safe',
      providerPayload: common.providerPayload,
    } as const;
    return new ThrottleError(text, details, { ...common, phase: 'response', retryAdvice });
  }
  if (failure === 'model_not_found' && facts.defaultModel !== undefined) {
    const cure =
      'Set `model` of the adapter to one that the API knows, or to `null` for that of the CLI.';
    return new PromptEvaluationError(
      `The API does not know the adapter's default model \`${facts.defaultModel}\`. ${cure} The API says: ${text}`,
      {
        ...common,
        phase: 'response',
        code: codeOf(result, subtype, turn, failure),
        hint: cure,
        retryAdvice: advise('after_change', cure),
      },
    );
  }
  return new PromptEvaluationError(text, {
    ...common,
    phase: 'response',
    code: codeOf(result, subtype, turn, failure),
    retryAdvice,
  });
}

function codeOf(
  result: JsonObject,
  subtype: string,
  turn: FailureFacts,
  failure: ApiFailure,
): string {
  if (subtype.startsWith('error_')) return subtype;
  return turn.assistantError ?? stringField(result, 'api_error_type') ?? failure;
}

function commonOf(result: JsonObject, facts: ResultErrorFacts): Common {
  const { promptName, partial, redact, cause } = facts;
  const payload = payloadOf(result, facts);
  return {
    promptName,
    partial,
    ...(cause === undefined ? {} : { cause }),
    providerPayload: redact === undefined ? payload : redact.value(payload),
  };
}

const PAYLOAD_FIELDS = [
  ['subtype', 'subtype'],
  ['terminal_reason', 'terminalReason'],
  ['api_error_status', 'status'],
  ['api_error_type', 'errorType'],
  ['api_error', 'apiError'],
  ['num_turns', 'numTurns'],
  ['errors', 'errors'],
] as const;

function payloadOf(result: JsonObject, facts: ResultErrorFacts): Record<string, unknown> {
  const payload: Record<string, unknown> = {};
  for (const [wire, name] of PAYLOAD_FIELDS) {
    const value = result[wire];
    if (value !== undefined && value !== null) payload[name] = value;
  }
  const assistantError = facts.failure?.assistantError;
  if (assistantError !== undefined) payload.assistantError = assistantError;
  const stderr = (facts.stderrTail ?? []).join('\n');
  if (stderr !== '') payload.stderr = stderr;
  return payload;
}

/** The CLI's own words: `errors`, else `result`, else what is left. */
function textOf(result: JsonObject, redact: Redact | undefined): string {
  const { errors, result: answer, subtype } = result;
  const texts = (Array.isArray(errors) ? errors : [errors])
    .filter((entry): entry is string => typeof entry === 'string' && entry.trim() !== '')
    .map((entry) => entry.trim());
  const text =
    texts.length > 0
      ? texts.join('; ')
      : typeof answer === 'string' && answer.trim() !== ''
        ? answer.trim()
        : `Claude Code reported a failure (${String(subtype ?? 'no subtype')}) without a text`;
  return redact === undefined ? text : redact.text(text);
}
