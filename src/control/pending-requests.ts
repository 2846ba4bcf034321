import type { DiagnosticListener } from '../diagnostics.js';
import { AbortError, ControlRequestTimeoutError } from '../errors.js';
import { ignoreRejection } from '../util/deferred.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { onAbort as whenAborted } from '../util/on-abort.js';
import type { ParsedAnswer } from './envelope.js';
import { excerpt } from './envelope.js';
import {
  answerError,
  at,
  type CallSite,
  closedBeforeResponse,
  isOrderlyEnd,
} from './request-errors.js';

export interface NewRequest {
  readonly requestId: string;
  readonly subtype: string;
  /** Milliseconds, `Infinity` for no limit. */
  readonly timeoutMs: number;
  readonly callSite: CallSite;
}

interface PendingRequest extends NewRequest {
  readonly resolve: (response: JsonObject | undefined) => void;
  readonly reject: (error: Error) => void;
  timer: NodeJS.Timeout | undefined;
  /** Takes the listener off the caller's `AbortSignal`. */
  release: (() => void) | undefined;
}

/** Ids remembered after we stopped waiting, so that a late answer can be told from an unknown one. */
const GIVEN_UP_LIMIT = 256;

/**
 * Outbound requests by id: each settles exactly once, by its answer, its time limit, its signal or
 * the end of the session. Time limits run from {@link startClocks} or the call, whichever is later.
 */
export class PendingRequests {
  readonly #byId = new Map<string, PendingRequest>();
  readonly #givenUp = new Set<string>();
  readonly #onDiagnostic: DiagnosticListener;
  readonly #onSettled: () => void;
  #clocksRun = false;

  /** @param onSettled - Called after each settlement, when the request no longer counts. */
  constructor(onDiagnostic: DiagnosticListener, onSettled: () => void) {
    this.#onDiagnostic = onDiagnostic;
    this.#onSettled = onSettled;
  }

  get size(): number {
    return this.#byId.size;
  }

  has(requestId: string): boolean {
    return this.#byId.has(requestId);
  }

  /** The subtype of a pending request, `undefined` when no such request is pending. */
  subtypeOf(requestId: string): string | undefined {
    return this.#byId.get(requestId)?.subtype;
  }

  /** Registers a request that is about to be written. The promise never counts as unhandled. */
  add(request: NewRequest): Promise<JsonObject | undefined> {
    const promise = new Promise<JsonObject | undefined>((resolve, reject) => {
      const { requestId, subtype, timeoutMs, callSite } = request;
      const pending: PendingRequest = {
        requestId,
        subtype,
        timeoutMs,
        callSite,
        resolve,
        reject,
        timer: undefined,
        release: undefined,
      };
      this.#byId.set(requestId, pending);
      if (this.#clocksRun) this.#startClock(pending);
    });
    ignoreRejection(promise);
    return promise;
  }

  /** Lets the time limits run. Requests wait behind `initialize`, so their limits do too. */
  startClocks(): void {
    if (this.#clocksRun) return;
    this.#clocksRun = true;
    for (const pending of this.#byId.values()) this.#startClock(pending);
  }

  /** @param onAbort - Called before the request is rejected, to tell the peer. Must not throw. */
  abortWith(requestId: string, signal: AbortSignal, onAbort: () => void): void {
    const pending = this.#byId.get(requestId);
    if (pending === undefined) return;
    pending.release = whenAborted(signal, () => {
      // First: giving up may let stdin close.
      onAbort();
      this.giveUp(
        requestId,
        new AbortError(`${pending.subtype} was aborted`, { cause: reasonOf(signal) }),
      );
    });
  }

  /** Settles by the peer's answer. The request must be pending. */
  settle({ requestId, body }: ParsedAnswer): void {
    const pending = this.#take(requestId);
    if (pending === undefined) return;
    if (body.subtype === 'success') pending.resolve(this.#responseOf(pending, body));
    else pending.reject(at(pending.callSite, answerError(pending, body)));
    this.#onSettled();
  }

  /** Stops waiting for one request. Its answer, should it come, is late and not unknown. */
  giveUp(requestId: string, error: Error): void {
    const pending = this.#take(requestId);
    if (pending === undefined) return;
    this.#remember(requestId);
    if (error instanceof ControlRequestTimeoutError) this.#reportTimeout(requestId, error);
    pending.reject(at(pending.callSite, error));
    this.#onSettled();
  }

  /** Takes back a request that could not be written. */
  drop(requestId: string, error: Error): void {
    const pending = this.#take(requestId);
    if (pending === undefined) return;
    pending.reject(error);
    this.#onSettled();
  }

  /** Rejects everything: with the reason itself, or with one {@link SessionClosedError} each when the session ended in good order. */
  rejectAll(reason: Error): void {
    for (const pending of [...this.#byId.values()]) {
      this.drop(
        pending.requestId,
        isOrderlyEnd(reason)
          ? at(pending.callSite, closedBeforeResponse(pending.subtype, reason))
          : reason,
      );
    }
  }

  #reportTimeout(requestId: string, error: ControlRequestTimeoutError): void {
    const { subtype, timeoutMs } = error;
    this.#onDiagnostic({
      code: 'request_timed_out',
      message: `${subtype} was not answered in time`,
      details: { requestId, subtype, timeoutMs },
    });
  }

  /** Reports an answer that nobody waits for. */
  reportStray({ requestId }: ParsedAnswer): void {
    const isLate = this.#givenUp.delete(requestId);
    const id = excerpt(requestId);
    this.#onDiagnostic({
      code: isLate ? 'response_late' : 'response_unknown',
      message: isLate
        ? `The answer to ${id} came after its request was given up`
        : `An answer to ${id}, which is not pending`,
      details: { requestId: id },
    });
  }

  #remember(requestId: string): void {
    const [oldest] = this.#givenUp;
    if (oldest !== undefined && this.#givenUp.size >= GIVEN_UP_LIMIT) this.#givenUp.delete(oldest);
    this.#givenUp.add(requestId);
  }

  #take(requestId: string): PendingRequest | undefined {
    const pending = this.#byId.get(requestId);
    if (pending === undefined) return undefined;
    this.#byId.delete(requestId);
    clearTimeout(pending.timer);
    release(pending);
    return pending;
  }

  #startClock(pending: PendingRequest): void {
    const { requestId, subtype, timeoutMs } = pending;
    if (timeoutMs === Number.POSITIVE_INFINITY) return;
    pending.timer = setTimeout(() => {
      this.giveUp(requestId, new ControlRequestTimeoutError({ subtype, requestId, timeoutMs }));
    }, timeoutMs);
    pending.timer.unref();
  }

  #responseOf(pending: PendingRequest, body: JsonObject): JsonObject | undefined {
    const response = body.response;
    if (response === undefined || isJsonObject(response)) return response;
    this.#onDiagnostic({
      code: 'control_frame_malformed',
      message: `The answer to ${pending.subtype} has a response that is not an object`,
      details: { requestId: pending.requestId, subtype: pending.subtype },
    });
    return undefined;
  }
}

/** The signal may be a foreign one whose methods fail; the request has to settle all the same. */
function release(pending: PendingRequest): void {
  try {
    pending.release?.();
  } catch {
    // A listener that stays does nothing: its request is gone.
  }
}

function reasonOf(signal: AbortSignal): unknown {
  try {
    return signal.reason;
  } catch (thrown) {
    return thrown;
  }
}
