import {
  AbortError,
  type ClaudeSDKError,
  ControlRequestError,
  InvalidOptionError,
  isClaudeSDKError,
  SessionClosedError,
} from '../errors.js';
import { errorText } from '../util/error-text.js';
import { type JsonObject, stringField } from '../util/json.js';

/**
 * The request was not sent, or its answer will not come.
 * @param reason - Why the session ended. `undefined`: it goes on, but its stdin is closed.
 */
export function closedBeforeResponse(subtype: string, reason?: Error): AbortError | SessionClosedError {
  return reason === undefined
    ? new SessionClosedError(
        `Query closed before response: ${subtype} was not sent, since stdin of Claude Code is closed`,
        { hint: 'Keep the prompt iterable open for as long as requests are to be made.' },
      )
    : reason instanceof AbortError
      ? tooLate('Query closed before response received', reason)
      : // Programs compare this text as a whole, so that the request is named beside it.
        new SessionClosedError('Query closed before response received', {
          hint: `The request was ${subtype}, and the session is over: ${reason.message}`,
          cause: reason,
        });
}

/**
 * What was asked for comes too late. After an abort it is an `AbortError`, as in the official SDK.
 * @param message - Ends with why the session ended, where it has.
 * @param closedBy - Why the session ended; `undefined`: it goes on.
 */
export function tooLate(message: string, closedBy: Error | undefined): AbortError | SessionClosedError {
  if (closedBy === undefined) return new SessionClosedError(message);
  const text = `${message}: ${closedBy.message}`;
  if (closedBy instanceof AbortError) return new AbortError(text, { cause: closedBy.cause });
  return new SessionClosedError(text, { cause: closedBy });
}

/** True when the session ended in good order, so that each request needs its own error. */
export function isOrderlyEnd(reason: Error): boolean {
  return !isClaudeSDKError(reason) || reason.errorClass === 'query_closed';
}

/** What to reject a request with that failed before, or while, it was written. */
export function toRequestError(thrown: unknown): ClaudeSDKError {
  if (isClaudeSDKError(thrown)) return thrown;
  return new InvalidOptionError('options', `The request cannot be made: ${errorText(thrown)}`, { cause: thrown });
}

/** A request that could not be written: the session is over, or the payload is not JSON. */
export function toWriteError(subtype: string, thrown: unknown): ClaudeSDKError {
  if (isClaudeSDKError(thrown)) return closedBeforeResponse(subtype, thrown);
  const message = `The payload of ${subtype} cannot be written as JSON: ${errorText(thrown)}`;
  return new InvalidOptionError('payload', message, { cause: thrown });
}

/**
 * A message that could not be written. What its getters throw comes as a `TypeError` too, with the value as `cause`.
 */
export function toFrameError(thrown: unknown): ClaudeSDKError | TypeError {
  if (isClaudeSDKError(thrown)) return thrown;
  const message = `The message cannot be written as JSON: ${errorText(thrown)}`;
  return new TypeError(message, { cause: thrown });
}

/** The error of an answer that is not a success. Its message is the CLI's own text. */
export function answerError(
  request: { readonly subtype: string; readonly requestId: string },
  body: JsonObject,
): ControlRequestError {
  const { subtype, request_id: _, error, error_code: errorCode, ...details } = body;
  return new ControlRequestError(
    subtype === 'error'
      ? (stringField(body, 'error') ?? 'Unknown error')
      : `The answer to ${request.subtype} is neither a success nor an error`,
    {
      subtype: request.subtype,
      requestId: request.requestId,
      ...(typeof errorCode === 'string' ? { errorCode } : {}),
      details: typeof error === 'string' || error === undefined ? details : { error, ...details },
    },
  );
}
