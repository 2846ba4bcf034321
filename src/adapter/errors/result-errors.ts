import type { Outcome, OutcomeKind, SDKResultMessage } from '../../index.js';
import { fieldsOf } from '../../parser/read-message.js';
import { isFailedResult, outcomeOfResult } from '../../parser/result-outcome.js';
import type { TokenUsage } from '../../parser/token-usage.js';
import { NO_FACTS, type TurnFacts } from '../../parser/turn-facts.js';
import { progressAt } from '../../parser/turn-progress.js';
import { type Budget, limitUse, reachedDimension } from '../limits/budget.js';
import type { Redact } from '../logging/redact.js';
import type { PromptResponse, RetryAdvice } from '../report/run-report.js';
import { advise, RESUME } from './adapter-error.js';
import {
  BudgetExhaustedError,
  DeadlineExceededError,
  type EvaluationErrorOptions,
  PromptEvaluationError,
  StructuredOutputRetriesError,
  ThrottleError,
} from './evaluation-errors.js';

export interface ResultErrorFacts {
  readonly promptName: string;
  /** From the messages before the result. @defaultValue no facts */
  readonly turn?: TurnFacts | undefined;
  /** The error for which we interrupted the turn. */
  readonly interruptedBy?: PromptEvaluationError | undefined;
  /** The limit for which a hook of the adapter ended the turn (`HookState.limitStop`). */
  readonly limitStop?: 'deadline' | 'budget' | undefined;
  /** A value was handed over by the `StructuredOutput` tool, in the result or before. */
  readonly hasOutput?: boolean | undefined;
  /** Words about outputs that the CLI refused. */
  readonly refusals?: string | undefined;
  /** For errors about a budget. */
  readonly consumed?: TokenUsage | undefined;
  readonly budget?: Budget | undefined;
  readonly maxBudgetUsd?: number | undefined;
  /** The model that was used because the caller named none. */
  readonly defaultModel?: string | undefined;
  readonly stderrTail?: readonly string[] | undefined;
  readonly partial?: PromptResponse<unknown> | undefined;
  readonly redact?: Redact | undefined;
  /** What was thrown, when the result came inside of an error. */
  readonly cause?: unknown;
  /** Milliseconds since 1970. */
  readonly now?: number | undefined;
}

/** The error that a result reports; `undefined` for a run that is complete. No field is required or trusted. */
export function errorOfResult(result: SDKResultMessage, facts: ResultErrorFacts): PromptEvaluationError | undefined {
  const outcome = outcomeOfResult(result, facts.turn ?? NO_FACTS);
  const hasAnswer = facts.hasOutput === true || !NO_ANSWER.has(outcome.kind);
  if (!isFailedResult(result) && hasAnswer) return limitStopOf(result, facts);
  return errorOfOutcome(outcome, result, facts);
}

/** The CLI may call these a success: the text is not the whole answer. */
const NO_ANSWER: ReadonlySet<OutcomeKind> = new Set(['refused', 'max_output_tokens', 'context_overflow', 'incomplete']);

/** The CLI counts a turn that a hook ended as a success. It is one only when the output had come. */
function limitStopOf(result: SDKResultMessage, facts: ResultErrorFacts): PromptEvaluationError | undefined {
  if (facts.limitStop === undefined || facts.hasOutput === true) return undefined;
  if (result.terminal_reason !== 'hook_stopped') return undefined;
  const common = commonOf(result, facts);
  if (facts.limitStop === 'deadline') return new DeadlineExceededError('The deadline passed during the run', common);
  const { budget, consumed = {} } = facts;
  const reached = budget && reachedDimension(budget, consumed);
  const limit = reached && limitUse(budget, consumed, reached);
  const message = `The token budget was used up during the run${limit === undefined ? '' : `: ${limit.text}`}`;
  return new BudgetExhaustedError(message, limit ?? { dimension: 'total_tokens', consumed }, common);
}

function errorOfOutcome(outcome: Outcome, result: SDKResultMessage, facts: ResultErrorFacts): PromptEvaluationError {
  const text = facts.redact?.text(outcome.message) ?? outcome.message;
  const common = commonOf(result, facts);
  switch (outcome.kind) {
    case 'max_turns':
      return new PromptEvaluationError(`The turn limit was exceeded: ${text}`, {
        ...common,
        phase: 'response',
        code: 'max_turns',
        retryAdvice: advise('after_change', `Raise \`maxTurns\`. ${RESUME}`),
      });
    case 'max_budget':
      return new BudgetExhaustedError(
        text,
        { dimension: 'usd', consumed: facts.consumed ?? {}, limit: facts.maxBudgetUsd },
        { ...common, code: 'max_budget_usd', retryAdvice: advise('after_change', `Raise \`maxBudgetUsd\`. ${RESUME}`) },
      );
    case 'structured_output_failed':
      return new StructuredOutputRetriesError(`${text}${facts.refusals ?? ''}`, {
        ...common,
        code: 'max_structured_output_retries',
      });
    case 'rate_limited':
    case 'overloaded':
    case 'billing':
      return throttled(outcome, text, common, facts);
    case 'auth':
    case 'invalid_request':
    case 'context_overflow':
    case 'model_not_found':
    case 'max_output_tokens':
    case 'server_error':
    case 'connection_failed':
    case 'refused':
      return apiError(outcome, text, common, facts);
    default:
      return facts.interruptedBy ?? executionError(outcome, text, common);
  }
}

/** The API's limits, or the account's. */
function throttled(outcome: Outcome, text: string, common: Common, facts: ResultErrorFacts): ThrottleError {
  const retryAdvice = apiAdvice(outcome, facts);
  const details = {
    kind: outcome.kind === 'billing' ? 'quota_exhausted' : 'rate_limit',
    retryAfterMs: retryAdvice.retryAfterMs,
    attempts: facts.turn?.attempts ?? 1,
    retrySafe: retryAdvice.retry === 'safe',
    providerPayload: common.providerPayload,
  } as const;
  return new ThrottleError(text, details, { ...common, phase: 'response', retryAdvice });
}

function apiError(outcome: Outcome, text: string, common: Common, facts: ResultErrorFacts): PromptEvaluationError {
  const { defaultModel, turn } = facts;
  const code = turn?.assistantError ?? failureCode(outcome);
  const options = { ...common, phase: 'response', code } as const;
  if (outcome.kind === 'model_not_found' && defaultModel !== undefined) {
    const cure = 'Set `model` of the adapter to one that the API knows, or to `null` for that of the CLI.';
    return new PromptEvaluationError(
      `The API does not know the adapter's default model \`${defaultModel}\`. ${cure} The API says: ${text}`,
      { ...options, hint: cure, retryAdvice: advise('after_change', cure) },
    );
  }
  return new PromptEvaluationError(text, { ...options, retryAdvice: apiAdvice(outcome, facts) });
}

/** What to do about a failure of the API. Other kinds pass with time. */
const CURES: { readonly [Kind in Outcome['kind']]?: string } = {
  billing: 'Add credit to the account; until then every call fails.',
  auth: 'Check the API key or the login, and what it may use.',
  context_overflow: 'Make the prompt, its attachments or the tool list smaller.',
  invalid_request: 'Change what the API names; the same request is refused again.',
  model_not_found: 'Choose a model that exists and that the key may use.',
  max_output_tokens: 'Ask for a shorter answer, or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS.',
  refused: 'Change the prompt: the model declined to answer it.',
};

function apiAdvice(outcome: Outcome, { turn = NO_FACTS, now = Date.now() }: ResultErrorFacts): RetryAdvice {
  const cure = CURES[outcome.kind];
  if (cure !== undefined) return advise('after_change', cure);
  const resetsAt = outcome.kind === 'rate_limited' ? outcome.resetsAt?.getTime() : undefined;
  const retryAfterMs = resetsAt === undefined ? (outcome.retryAfterMs ?? null) : Math.max(0, resetsAt - now);
  return progressAt(outcome.result, turn.progress) === 'tools'
    ? advise('unsafe', `Wait. ${RESUME}`, retryAfterMs)
    : advise('safe', 'Wait, then repeat the call.', retryAfterMs);
}

function executionError(outcome: Outcome, text: string, common: Common): PromptEvaluationError {
  if (outcome.kind === 'not_started' && typeof outcome.reason === 'string') {
    return new PromptEvaluationError(`Claude Code did not start the run: ${text}`, {
      ...common,
      phase: 'request',
      code: outcome.reason,
      retryAdvice: NOTHING_SENT,
    });
  }
  return new PromptEvaluationError(`The run ended with an error: ${text}`, {
    ...common,
    phase: 'response',
    code: failureCode(outcome),
    // A start that failed does not always have a reason.
    retryAdvice: outcome.kind === 'not_started' ? NOTHING_SENT : advise('unsafe', RESUME),
  });
}

const NOTHING_SENT = advise('after_change', 'Change what the message names; nothing was sent to the model.');

/** The most exact name: that of the CLI or the API, else the kind of the outcome. */
function failureCode({ kind, result }: Outcome): string {
  if (result === undefined) return 'unknown';
  const { subtype, terminal_reason: reason, ...api } = fieldsOf(result);
  if (subtype === 'error_during_execution') return typeof reason === 'string' ? reason : subtype;
  if (typeof subtype === 'string' && subtype.startsWith('error_')) return subtype;
  if (typeof api.api_error_type === 'string') return api.api_error_type;
  if (kind === 'auth') return 'authentication';
  // Neither the CLI nor the API said anything.
  const isUnknown = kind === 'server_error' && typeof api.api_error_status !== 'number';
  return isUnknown || kind === 'failed' ? 'unknown' : kind;
}

type Common = Omit<EvaluationErrorOptions, 'phase' | 'code' | 'retryAdvice'>;

function commonOf(result: SDKResultMessage, facts: ResultErrorFacts): Common {
  const { promptName, partial, redact, cause } = facts;
  const payload = payloadOf(result, facts);
  return {
    promptName,
    partial,
    ...(cause === undefined ? {} : { cause }),
    providerPayload: redact?.value(payload) ?? payload,
  };
}

function payloadOf(result: SDKResultMessage, facts: ResultErrorFacts): Record<string, unknown> {
  const fields = fieldsOf(result);
  const stderr = (facts.stderrTail ?? []).join('\n');
  const payload = {
    subtype: fields.subtype,
    terminalReason: fields.terminal_reason,
    status: fields.api_error_status,
    errorType: fields.api_error_type,
    apiError: fields.api_error,
    numTurns: fields.num_turns,
    errors: fields.errors,
    assistantError: facts.turn?.assistantError,
    stderr: stderr === '' ? undefined : stderr,
  };
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined && value !== null));
}
