import type { DiagnosticListener } from '../diagnostics.js';
import { isThenable } from '../util/deferred.js';
import { errorText } from '../util/error-text.js';
import type { JsonObject } from '../util/json.js';

/** The answer to one inbound request. */
export type InboundOutcome =
  | { readonly kind: 'success'; readonly response: unknown }
  | { readonly kind: 'error'; readonly message: string; readonly code?: string }
  /** No answer, on purpose. */
  | { readonly kind: 'silent' };

export interface InboundContext {
  readonly requestId: string;
  /** The peer withdrew the request, or the session ended. */
  readonly isCancelled: boolean;
  /** Aborts with an `AbortError` when the peer withdraws the request or the session ends. Made when first read. */
  readonly signal: AbortSignal;
}

/** Answers the inbound requests of one subtype. Contains whatever user code throws. */
export interface InboundHandler {
  handle(request: JsonObject, context: InboundContext): InboundOutcome | Promise<InboundOutcome>;
  /** The answer in place of a result that is not JSON. @defaultValue an error with `reason` */
  onUnserialisable?(request: JsonObject, reason: string): InboundOutcome;
}

export const SILENT: InboundOutcome = { kind: 'silent' };

/** `undefined` leaves the `response` key out. */
export function success(response: unknown): InboundOutcome {
  return { kind: 'success', response };
}

export function failure(message: string, code?: string): InboundOutcome {
  return code === undefined ? { kind: 'error', message } : { kind: 'error', message, code };
}

/**
 * Calls user code that may return a value, a promise or any thenable, or throw. A plain value is answered in the same
 * tick, without a promise.
 */
export function runCallback<T>(
  call: () => T | PromiseLike<T>,
  onValue: (value: T) => InboundOutcome,
  onThrow: (thrown: unknown) => InboundOutcome,
): InboundOutcome | Promise<InboundOutcome> {
  try {
    const value = call();
    if (isThenable(value)) return Promise.resolve(value).then(onValue).catch(onThrow);
    return onValue(value);
  } catch (thrown) {
    return onThrow(thrown);
  }
}

/** Reports that user code threw, with what it threw. Returns its text. */
export function reportThrow(
  onDiagnostic: DiagnosticListener,
  what: string,
  thrown: unknown,
  details?: Readonly<JsonObject>,
): string {
  const error = errorText(thrown);
  onDiagnostic({ code: 'callback_threw', message: `${what} threw`, details: { ...details, error }, cause: thrown });
  return error;
}
