import { AbortError } from '../errors.js';
import { ignoreRejection } from '../util/deferred.js';
import type { JsonObject } from '../util/json.js';
import type { RequestOptions } from './controller-options.js';
import { cancelFrame, requestFrame } from './envelope.js';
import type { OutboundQueue } from './outbound-queue.js';
import type { PendingRequests } from './pending-requests.js';
import { at, type CallSite, closedBeforeResponse, toWriteError } from './request-errors.js';
import { createRequestId } from './request-id.js';
import { checkRequestOptions, requestTimeoutMs, toRequestError } from './request-options.js';

export interface OutboundRequestsOptions {
  readonly queue: OutboundQueue;
  readonly pending: PendingRequests;
  readonly nextRequestId: (() => string) | undefined;
  /** Milliseconds, `0` or `Infinity` for no limit. `undefined`: by subtype. */
  readonly controlTimeoutMs: number | undefined;
}

/** Writes our own control requests. Every way to fail is a rejection, and none counts as unhandled. */
export class OutboundRequests {
  readonly #options: OutboundRequestsOptions;

  constructor(options: OutboundRequestsOptions) {
    this.#options = options;
  }

  newId(): string {
    const requestId = (this.#options.nextRequestId ?? createRequestId)();
    // An injected source may repeat itself; two pending requests must never share an id.
    return this.#options.pending.has(requestId) ? createRequestId() : requestId;
  }

  /** @param options - Of the caller, unchecked. */
  send(
    subtype: string,
    payload: JsonObject | undefined,
    options: unknown,
    callSite: CallSite,
  ): Promise<JsonObject | undefined> {
    try {
      return this.#send(subtype, payload, checkRequestOptions(subtype, options), callSite);
    } catch (thrown) {
      return rejected(at(callSite, toRequestError(thrown)));
    }
  }

  #send(
    subtype: string,
    payload: JsonObject | undefined,
    { timeoutMs: ownMs, signal }: RequestOptions,
    callSite: CallSite,
  ): Promise<JsonObject | undefined> {
    const { queue, pending, controlTimeoutMs } = this.#options;
    if (signal?.aborted) throw new AbortError(`${subtype} was aborted`, { cause: signal.reason });
    if (!queue.isInputOpen) throw closedBeforeResponse(subtype, queue.closedBy);
    const timeoutMs = requestTimeoutMs(subtype, ownMs, controlTimeoutMs);
    const requestId = this.newId();
    const answered = pending.add({ requestId, subtype, timeoutMs, callSite });
    try {
      queue.send(requestFrame(requestId, subtype, payload));
    } catch (thrown) {
      pending.drop(requestId, at(callSite, toWriteError(subtype, thrown)));
      return answered;
    }
    if (signal !== undefined) this.#abortWith(requestId, signal);
    return answered;
  }

  #abortWith(requestId: string, signal: AbortSignal): void {
    try {
      this.#options.pending.abortWith(requestId, signal, () => this.#sendCancel(requestId));
    } catch (thrown) {
      // Only a signal that is none of the platform's.
      this.#sendCancel(requestId);
      this.#options.pending.giveUp(requestId, toRequestError(thrown));
    }
  }

  /** Never throws: stdin may be closed by now, or break under the write. Then there is nobody to tell. */
  #sendCancel(requestId: string): void {
    try {
      if (this.#options.queue.isInputOpen) this.#options.queue.send(cancelFrame(requestId));
    } catch {
      // The end of the transport tells more than this error does.
    }
  }
}

function rejected(error: unknown): Promise<never> {
  const promise = Promise.reject(error);
  ignoreRejection(promise);
  return promise;
}
