import { AbortError } from '../errors.js';
import { ignoreRejection } from '../util/deferred.js';
import type { JsonObject } from '../util/json.js';
import type { RequestOptions } from './controller-options.js';
import { requestTimeoutMs } from './default-timeouts.js';
import { cancelFrame, requestFrame } from './envelope.js';
import type { OutboundQueue } from './outbound-queue.js';
import type { PendingRequests } from './pending-requests.js';
import { at, type CallSite, closedBeforeResponse, toWriteError } from './request-errors.js';
import { createRequestId } from './request-id.js';

export interface OutboundRequestsOptions {
  readonly queue: OutboundQueue;
  readonly pending: PendingRequests;
  readonly nextRequestId: (() => string) | undefined;
  /** Milliseconds, `0` or `Infinity` for no limit. */
  readonly controlTimeoutMs: number;
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

  send(
    subtype: string,
    payload: JsonObject | undefined,
    options: RequestOptions,
    callSite: CallSite,
  ): Promise<JsonObject | undefined> {
    const { queue, pending, controlTimeoutMs } = this.#options;
    const { signal } = options;
    if (signal?.aborted) {
      const aborted = new AbortError(`${subtype} was aborted`, { cause: signal.reason });
      return rejected(at(callSite, aborted));
    }
    if (!queue.isInputOpen) {
      return rejected(at(callSite, closedBeforeResponse(subtype, queue.closedBy)));
    }
    let timeoutMs: number;
    try {
      timeoutMs = requestTimeoutMs(subtype, options.timeoutMs, controlTimeoutMs);
    } catch (invalid) {
      return rejected(invalid);
    }
    const requestId = this.newId();
    const answered = pending.add({ requestId, subtype, timeoutMs, callSite });
    try {
      queue.send(requestFrame(requestId, subtype, payload));
    } catch (thrown) {
      pending.drop(requestId, at(callSite, toWriteError(subtype, thrown)));
      return answered;
    }
    if (signal !== undefined) {
      pending.abortWith(requestId, signal, () => this.#sendCancel(requestId));
    }
    return answered;
  }

  #sendCancel(requestId: string): void {
    // stdin may be closed by now; then there is nobody to tell.
    if (this.#options.queue.isInputOpen) this.#options.queue.send(cancelFrame(requestId));
  }
}

function rejected(error: unknown): Promise<never> {
  const promise = Promise.reject(error);
  ignoreRejection(promise);
  return promise;
}
