import { type ClaudeSDKError, type ErrorClass, isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import { isResultMessage } from '../../parser/guards.js';
import type { TurnProgress } from '../../parser/turn-progress.js';
import { describeValue } from '../../util/describe-value.js';
import { codeOf } from '../../util/error-code.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import { limitUse } from '../limits/budget.js';
import type { Log } from '../logging/log.js';
import type { Redact } from '../logging/redact.js';
import type { RetryAdvice } from '../report/run-report.js';
import { AdapterError, advise, RESUME } from './adapter-error.js';
import {
  BudgetExceededError,
  BudgetExhaustedError,
  DeadlineExceededError,
  EvaluationAbortedError,
  type EvaluationPhase,
  PromptEvaluationError,
  ThrottleError,
} from './evaluation-errors.js';
import { missingExecutable } from './missing-executable.js';
import { errorOfResult, type ResultErrorFacts } from './result-errors.js';

export interface NormalizeFacts extends Pick<ResultErrorFacts, 'promptName' | 'turn' | 'partial' | 'redact'> {
  /** Where the run was: what an abort reports. The other errors have a phase of their own. */
  readonly phase: EvaluationPhase;
  /** The last lines of the CLI's stderr. */
  readonly stderrTail: readonly string[];
  readonly log: Log;
  /** The caller's. Once it has fired, every failure is its consequence. */
  readonly signal?: AbortSignal | undefined;
  /** The CLI had not answered the handshake: nothing was sent to a model. @defaultValue `false` */
  readonly isBeforeHandshake?: boolean | undefined;
  /** How far the turn came, also without a result. @defaultValue `none` */
  readonly progress?: TurnProgress | undefined;
}

/**
 * Turns whatever a run failed with into an error of this layer; `cause` is the original. Errors of this layer stay as
 * they are. Never throws.
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
    const passed = limitUse(error.budget, error.consumed, error.exceededDimension);
    return new BudgetExhaustedError(error.message, passed, { promptName, partial, cause: error });
  }
  if (error instanceof AdapterError) return error;
  if (facts.signal?.aborted === true) return aborted(facts.signal.reason, facts);
  if (!isClaudeSDKError(error)) return fromDescription(error, describeForeignError(error), facts);
  if (error.errorClass === 'aborted') return aborted(error.cause ?? error, facts);
  if (error.errorClass === 'deadline_exceeded') {
    return new DeadlineExceededError(error.message, { promptName, partial, cause: error });
  }
  const { data } = error as { data?: unknown };
  if (error.errorClass === 'error_result' && isResultMessage(data)) {
    const known = errorOfResult(data, { ...facts, cause: error });
    if (known !== undefined) return known;
  }
  return fromDescription(error, describeSdkError(error), facts);
}

function aborted(cause: unknown, facts: NormalizeFacts): EvaluationAbortedError {
  const { promptName, phase, partial } = facts;
  return new EvaluationAbortedError('The evaluation was aborted', { promptName, phase, partial, cause });
}

function fromDescription(error: unknown, described: ErrorDescription, facts: NormalizeFacts): PromptEvaluationError {
  const { promptName, partial, redact } = facts;
  const stderr = described.payload?.stderr ?? facts.stderrTail.join('\n');
  const payload = { ...described.payload, ...(stderr === '' ? {} : { stderr }) };
  const isEmpty = Object.keys(payload).length === 0;
  const providerPayload = isEmpty ? undefined : (redact?.value(payload) ?? payload);
  const message = redact?.text(described.message) ?? described.message;
  const retryAdvice = adviceFor(described, facts);
  const options = {
    promptName,
    partial,
    phase: described.phase,
    cause: error,
    providerPayload,
    retryAdvice,
    ...(described.code === undefined ? {} : { code: described.code }),
  };
  if (described.isTimeout !== true) return new PromptEvaluationError(message, options);
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
function adviceFor(described: ErrorDescription, facts: NormalizeFacts): RetryAdvice {
  const { partial, progress = 'none' } = facts;
  const isBeforeHandshake = facts.isBeforeHandshake === true && progress === 'none';
  if (isBeforeHandshake && described.adviceBeforeHandshake !== undefined) return described.adviceBeforeHandshake;
  const isDone = described.advice.retry === 'safe' && progress === 'tools';
  const advice = isDone ? advise('unsafe', RESUME) : described.advice;
  if (advice.retry !== 'unsafe' || partial !== undefined) return advice;
  return isBeforeHandshake
    ? advise('after_change', NOT_BEGUN)
    : advise('unsafe', advice.action.replace(RESUME, REPEAT_WITH_CARE));
}

const REPEAT_WITH_CARE = 'Repeat the call when doing the work twice does no harm.';
const NOT_BEGUN =
  'Change what the message or `providerPayload.stderr` names: it failed before the CLI was ready, and nothing was sent to the model.';

/** What is said about one kind of error. */
interface ErrorDescription {
  readonly phase: EvaluationPhase;
  readonly message: string;
  readonly advice: RetryAdvice;
  /** Where it is another one when the CLI had not answered the handshake. */
  readonly adviceBeforeHandshake?: RetryAdvice;
  readonly payload?: JsonObject;
  readonly code?: string | undefined;
  /** Becomes a `ThrottleError` of kind `timeout`. */
  readonly isTimeout?: boolean;
}

const REPEAT = advise('safe', 'Repeat the call.');
const GARBAGE = 'Check that the executable is Claude Code, and which version it is.';

const NO_ANSWER = { phase: 'request', isTimeout: true, advice: REPEAT } as const;
const ENDED = { phase: 'request', advice: advise('unsafe', `Look at \`providerPayload.stderr\`. ${RESUME}`) } as const;
const GARBLED = { phase: 'response', advice: advise('after_change', GARBAGE) } as const;

/** What is said about an error of the SDK, besides its message. */
const BY_CLASS: { readonly [Class in ErrorClass]?: Omit<ErrorDescription, 'message'> } = {
  executable_launch_failed: {
    phase: 'request',
    advice: advise('after_change', 'Change what the message names; nothing was started.'),
  },
  connection_failed: NO_ANSWER,
  not_connected: NO_ANSWER,
  query_closed: {
    ...NO_ANSWER,
    adviceBeforeHandshake: advise('after_change', `It ended before the handshake. ${GARBAGE}`),
  },
  initialize_timeout: NO_ANSWER,
  control_request_timeout: { ...NO_ANSWER, advice: advise('unsafe', RESUME) },
  error_result: ENDED,
  process_error: ENDED,
  process_exited_nonzero: ENDED,
  process_killed_by_signal: ENDED,
  frame_invalid: GARBLED,
  frame_too_large: GARBLED,
  message_invalid: GARBLED,
};

/** By class, and so also for errors of another copy of the SDK. The most specific class is its own. */
function describeSdkError(error: ClaudeSDKError): ErrorDescription {
  const { message, code, errorClass, hint } = error;
  if (errorClass === 'executable_not_found') {
    const { found, fix } = missingExecutable(error);
    return { phase: 'request', message: `${found} ${fix}`, code, advice: advise('after_change', fix) };
  }
  const known = BY_CLASS[errorClass];
  if (known === undefined) {
    const advice = advise('after_change', hint ?? 'Change what the message names.');
    return { phase: 'request', message: `Claude Agent SDK error: ${message}`, code, advice };
  }
  const fields = { ...error } as JsonObject;
  if (known === ENDED) return { ...known, message, payload: processPayload(fields) };
  if (errorClass === 'message_invalid') return { ...known, message, payload: { messageType: typeOf(fields.data) } };
  if (known === GARBLED) return { ...known, message: `Failed to parse SDK response: ${message}` };
  return errorClass === 'executable_launch_failed' ? { ...known, message, code } : { ...known, message };
}

function processPayload(fields: JsonObject): JsonObject {
  const { exitCode = null, signal = null } = fields;
  const stderr = stringField(fields, 'stderrTail') ?? '';
  return { exitCode, signal, ...(stderr === '' ? {} : { stderr }) };
}

function typeOf(data: unknown): string {
  return (isJsonObject(data) ? stringField(data, 'type') : undefined) ?? describeValue(data);
}

/** For errors that are not the SDK's. */
function describeForeignError(error: unknown): ErrorDescription {
  const errors = error instanceof AggregateError ? [...(error.errors as unknown[])] : [];
  if (errors.length === 0) {
    return {
      phase: 'request',
      message: error instanceof Error ? errorText(error) : `The run failed with ${describeValue(error)}`,
      code: codeOf(error),
      advice: advise('unsafe', RESUME),
    };
  }
  const texts = errors.map(errorText);
  return {
    phase: errors.every(isTransportClosed) ? 'response' : 'request',
    message: `Several errors at once: ${texts.join('; ')}`,
    payload: { errors: texts },
    advice: advise('unsafe', RESUME),
  };
}

function isTransportClosed(error: unknown): boolean {
  if (isClaudeSDKError(error) && error.errorClass === 'query_closed') return true;
  return /transport (?:is |was )?closed/i.test(errorText(error));
}

/**
 * `partial` and `rawOutput` are what the model said, `report` is redacted already, and callers branch on the others.
 */
const LEFT_ALONE = new Set('cause partial rawOutput report name errorClass phase'.split(' '));
/** Of a `RetryAdvice`. */
const ADVICE_WORDS = new Set(['retry']);

/**
 * Takes secrets out of an error of the SDK, in place: it becomes a `cause`, and its message quotes the CLI's stderr.
 * Other errors are not touched: they belong to whoever threw them.
 */
function scrubError(error: unknown, redact: Redact, seen = new Set<unknown>()): void {
  if (!isClaudeSDKError(error) || seen.has(error)) return;
  seen.add(error);
  for (const key of ['message', 'stack', ...Object.keys(error)]) {
    const value: unknown = Reflect.get(error, key);
    if (LEFT_ALONE.has(key) || value === undefined) continue;
    const clean = isPlain(value) ? redact.value(value, ADVICE_WORDS) : value;
    if (clean !== value) Reflect.defineProperty(error, key, { value: clean });
  }
  scrubError(error.cause, redact, seen);
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return true;
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
