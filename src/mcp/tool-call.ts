import type { McpCarrier } from '../control/mcp-endpoint.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { LazySignal } from '../util/lazy-signal.js';
import type { PeerRequests } from './peer-requests.js';
import type { McpNotification, ToolCallExtra } from './tool-call-extra.js';

/**
 * One `tools/call` on its way: settles once, with its response or, when nobody waits for one any more,
 * with `undefined`. Never rejects.
 */
export class ToolCall {
  readonly response: Promise<JsonObject | undefined>;
  readonly #carrier: McpCarrier;
  readonly #onSettled: () => void;
  readonly #onPeerAbort = (): void => this.cancel(this.#carrier.signal.reason);
  readonly #resolve: (response: JsonObject | undefined) => void;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #isSettled = false;

  constructor(carrier: McpCarrier, onSettled: () => void) {
    let resolve!: (response: JsonObject | undefined) => void;
    this.response = new Promise((onResolve) => {
      resolve = onResolve;
    });
    this.#resolve = resolve;
    this.#carrier = carrier;
    this.#onSettled = onSettled;
  }

  /** True when a result would reach nobody. */
  get isOver(): boolean {
    return this.#isSettled || this.#carrier.isCancelled;
  }

  /**
   * Aborts with the call. Made, and tied to the control request, when first read: controllers and
   * listeners cost more than all else in a call, and a handler that never looks could not stop anyway.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
      else if (this.#carrier.isCancelled) this.#onPeerAbort();
      else this.#carrier.signal.addEventListener('abort', this.#onPeerAbort);
    }
    return this.#controller.signal;
  }

  /** The response of a call that was withdrawn in the meantime is dropped. */
  settle(response: JsonObject | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    if (this.#controller !== undefined) {
      this.#carrier.signal.removeEventListener('abort', this.#onPeerAbort);
    }
    this.#resolve(this.#carrier.isCancelled ? undefined : response);
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
    return this.#aborted !== undefined || this.#carrier.isCancelled;
  }

  /** The handler's second argument. */
  extra(id: unknown, params: JsonObject, peer: PeerRequests): ToolCallExtra {
    const meta = params._meta;
    return Object.assign(new LazySignal(this), {
      // Whatever the peer sent as id is handed on as it came.
      requestId: id as string | number,
      ...(isJsonObject(meta) ? { _meta: meta } : {}),
      sendNotification: async (notification: McpNotification) => {
        if (this.#isAborted) return;
        assertDeclared(notification.method);
        peer.notify(notification);
      },
      // The schema given is what the result was parsed with.
      sendRequest: ((request, resultSchema, options) =>
        peer.request(request, resultSchema, options, this.signal)) as ToolCallExtra['sendRequest'],
    });
  }
}

/** Notifications that need a capability which a server made of tools does not declare. */
const UNDECLARED: ReadonlyMap<string, string> = new Map([
  ['notifications/message', 'logging'],
  ['notifications/resources/updated', 'resources'],
  ['notifications/resources/list_changed', 'resources'],
  ['notifications/prompts/list_changed', 'prompts'],
]);

/** As a server of the MCP SDK does: the client would have to drop such a notification. */
function assertDeclared(method: string): void {
  const capability = UNDECLARED.get(method);
  if (capability === undefined) return;
  throw new Error(
    `This server does not declare the capability ${capability}, which ${method} needs.`,
  );
}
