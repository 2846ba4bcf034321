import { type ClaudeSDKError, isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import { describeValue } from '../../util/describe-value.js';
import { codeOf } from '../../util/error-code.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import type { RetryAdvice } from './adapter-error.js';
import type { EvaluationPhase } from './evaluation-errors.js';
import { missingExecutable } from './missing-executable.js';
import { advise, RESUME } from './retry-advice.js';

/** How one kind of error is told. */
export interface ErrorRow {
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

/** By class, and so also for errors of another copy of the SDK. The most specific class is its own. */
export function rowOf(error: ClaudeSDKError): ErrorRow {
  const { message } = error;
  const fields = { ...error } as JsonObject;
  switch (error.errorClass) {
    case 'executable_not_found': {
      const { found, fix } = missingExecutable(error);
      const advice = advise('after_change', fix);
      return { phase: 'request', message: `${found} ${fix}`, code: error.code, advice };
    }
    case 'executable_launch_failed':
      return {
        phase: 'request',
        message,
        code: error.code,
        advice: advise('after_change', 'Change what the message names; nothing was started.'),
      };
    case 'connection_failed':
    case 'not_connected':
      return { phase: 'request', message, isTimeout: true, advice: REPEAT };
    case 'query_closed':
      return {
        ...{ phase: 'request', message, isTimeout: true, advice: REPEAT },
        adviceBeforeHandshake: advise('after_change', `It ended before the handshake. ${GARBAGE}`),
      };
    case 'initialize_timeout':
      return { phase: 'request', message, isTimeout: true, advice: REPEAT };
    case 'control_request_timeout':
      return { phase: 'request', message, isTimeout: true, advice: advise('unsafe', RESUME) };
    case 'error_result':
    case 'process_error':
    case 'process_exited_nonzero':
    case 'process_killed_by_signal':
      return {
        phase: 'request',
        message,
        payload: processPayload(fields),
        advice: advise('unsafe', `Look at \`providerPayload.stderr\`. ${RESUME}`),
      };
    case 'frame_invalid':
    case 'frame_too_large':
      return {
        phase: 'response',
        message: `Failed to parse SDK response: ${message}`,
        advice: advise('after_change', GARBAGE),
      };
    case 'message_invalid':
      return {
        phase: 'response',
        message,
        payload: { messageType: typeOf(fields.data) },
        advice: advise('after_change', GARBAGE),
      };
    default:
      return {
        phase: 'request',
        message: `Claude Agent SDK error: ${message}`,
        code: error.code,
        advice: advise('after_change', error.hint ?? 'Change what the message names.'),
      };
  }
}

function processPayload(fields: JsonObject): JsonObject {
  const { exitCode = null, signal = null } = fields;
  const stderr = stringField(fields, 'stderrTail') ?? '';
  return { exitCode, signal, ...(stderr === '' ? {} : { stderr }) };
}

function typeOf(data: unknown): string {
  return (isJsonObject(data) ? stringField(data, 'type') : undefined) ?? describeValue(data);
}

/** What is thrown and is no error of the SDK. */
export function rowOfStranger(error: unknown): ErrorRow {
  const errors = error instanceof AggregateError ? [...(error.errors as unknown[])] : [];
  if (errors.length === 0) {
    return {
      phase: 'request',
      message:
        error instanceof Error ? errorText(error) : `The run failed with ${describeValue(error)}`,
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
