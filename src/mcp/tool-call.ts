import { isJsonObject, type JsonObject } from '../util/json.js';
import type { PeerRequests } from './peer-requests.js';
import type { ToolCallExtra } from './tool-call-extra.js';

/**
 * One `tools/call` on its way: settles once, with its response or, when nobody waits for one any more,
 * with `undefined`. Never rejects.
 */
export class ToolCall {
  readonly response: Promise<JsonObject | undefined>;
  readonly #peerSignal: AbortSignal;
  readonly #onSettled: () => void;
  readonly #onPeerAbort = (): void => this.cancel(this.#peerSignal.reason);
  readonly #resolve: (response: JsonObject | undefined) => void;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #isSettled = false;

  /** @param peerSignal - Of the control request that carried the call. */
  constructor(peerSignal: AbortSignal, onSettled: () => void) {
    let resolve!: (response: JsonObject | undefined) => void;
    this.response = new Promise((onResolve) => {
      resolve = onResolve;
    });
    this.#resolve = resolve;
    this.#peerSignal = peerSignal;
    this.#onSettled = onSettled;
  }

  /** True when a result would reach nobody. */
  get isOver(): boolean {
    return this.#isSettled || this.#peerSignal.aborted;
  }

  /**
   * Aborts with the call. Made, and tied to the control request, when first read: controllers and
   * listeners cost more than all else in a call, and a handler that never looks could not stop anyway.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
      else if (this.#peerSignal.aborted) this.#onPeerAbort();
      else this.#peerSignal.addEventListener('abort', this.#onPeerAbort);
    }
    return this.#controller.signal;
  }

  /** The response of a call that was withdrawn in the meantime is dropped. */
  settle(response: JsonObject | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    if (this.#controller !== undefined) {
      this.#peerSignal.removeEventListener('abort', this.#onPeerAbort);
    }
    this.#resolve(this.#peerSignal.aborted ? undefined : response);
    this.#onSettled();
  }

  /** Aborts the handler's signal and settles without a response, or with `response`. */
  cancel(reason: unknown, response?: JsonObject): void {
    if (this.#isSettled) return;
    this.settle(response);
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }

  get #isAborted(): boolean {
    return this.#aborted !== undefined || this.#peerSignal.aborted;
  }

  /** The handler's second argument. */
  extra(id: unknown, params: JsonObject, peer: PeerRequests): ToolCallExtra {
    const call = this;
    const meta = params['_meta'];
    return {
      // An accessor of the object itself, so that spreading the object keeps it.
      get signal() {
        return call.signal;
      },
      // Whatever the peer sent as id is handed on as it came.
      requestId: id as string | number,
      ...(isJsonObject(meta) ? { _meta: meta } : {}),
      sendNotification: async (notification) => {
        if (!call.#isAborted) peer.notify(notification);
      },
      sendRequest: (request, resultSchema, options) =>
        // The schema given is what the result was parsed with.
        peer.request(request, resultSchema, options, call.signal) as Promise<never>,
    };
  }
}
