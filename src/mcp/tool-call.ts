import type { McpCarrier } from '../control/mcp-endpoint.js';
import { createDeferred, type Deferred } from '../util/deferred.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { LazySignal } from '../util/lazy-signal.js';
import { onAbort } from '../util/on-abort.js';
import { MAX_TIMER_MS } from '../util/timer-limit.js';
import { McpError, RpcCode, reasonText } from './json-rpc.js';
import type { InferOutput, StandardSchemaLike } from './standard-schema.js';

/**
 * One running `tools/call`: settles once, with its response, or with `undefined` after it was cancelled. Never rejects.
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
    const { promise, resolve } = createDeferred<JsonObject | undefined>();
    this.response = promise;
    this.#resolve = resolve;
    this.#carrier = carrier;
    this.#onSettled = onSettled;
  }

  /** True when a result would be dropped. */
  get isOver(): boolean {
    return this.#isSettled || this.#carrier.isCancelled;
  }

  /**
   * Aborts with the call. Made, and tied to the control request, when first read: controllers and listeners cost more
   * than all else in a call, and a handler that never looks could not stop anyway.
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
    if (this.#controller !== undefined) this.#carrier.signal.removeEventListener('abort', this.#onPeerAbort);
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
  throw new Error(`This server does not declare the capability ${capability}, which ${method} needs.`);
}

/**
 * What a tool's handler gets beside its arguments. The same fields as the `extra` of the MCP SDK; those that only make
 * sense over HTTP are absent.
 */
export interface ToolCallExtra {
  /** Aborts when the CLI cancels the call, the tool's `timeoutMs` ran out, or the session ends. */
  readonly signal: AbortSignal;
  /** The JSON-RPC id of the call. With an MCP SDK instance, an id that is unique over all queries that share it. */
  readonly requestId: string | number;
  /** The call's `_meta`: `claudecode/toolUseId`, `progressToken`. */
  readonly _meta?: { readonly progressToken?: string | number | undefined; readonly [key: string]: unknown };
  /** Always absent in process. */
  readonly sessionId?: string;
  /**
   * Sends a notification about this call, such as `notifications/progress`. Does nothing once the call was cancelled.
   * Rejects for log messages, resources and prompts: they need a server that declares them, see `instance`.
   */
  sendNotification(this: void, notification: McpNotification): Promise<void>;
  /**
   * Sends the CLI a request and resolves with its result as `resultSchema` parses it. Rejects with an `McpError`
   * (numeric `code`) when the CLI refuses (-32601 for everything but `ping`, seen with CLI 2.1.330), on time-out
   * (-32001), or when the call or the session ends (-32000). Two forms, see `server-instance.ts`.
   */
  sendRequest<Schema extends StandardSchemaLike>(
    this: void,
    request: McpRequest,
    resultSchema: Schema,
    options?: McpRequestOptions,
  ): Promise<InferOutput<Schema>>;
  sendRequest<Schema extends StandardSchemaLike>(
    this: void,
    request: McpRequest,
    resultSchema: Schema,
  ): Promise<InferOutput<Schema>>;
}

export interface McpNotification {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

export type McpRequest = McpNotification;

export interface McpRequestOptions {
  /** Milliseconds; `0` or `Infinity`: no limit. @defaultValue `60_000` */
  readonly timeout?: number;
  /** Gives up waiting and tells the CLI so. */
  readonly signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** What the tools of one endpoint send to the CLI, and the answers to it. */
export class PeerRequests {
  readonly #sendToPeer: (message: JsonObject) => void;
  readonly #pending = new Map<string, Deferred<unknown>>();
  #lastId = 0;
  #isClosed = false;

  constructor(sendToPeer: (message: JsonObject) => void) {
    this.#sendToPeer = sendToPeer;
  }

  notify(notification: McpNotification): void {
    if (!this.#isClosed) this.#sendToPeer({ ...notification, jsonrpc: '2.0' });
  }

  /** @param callSignal - Of the call this request belongs to: with the call the request ends. */
  async request(
    request: McpRequest,
    resultSchema: StandardSchemaLike | undefined,
    options: McpRequestOptions | undefined,
    callSignal: AbortSignal,
  ): Promise<unknown> {
    const result = await this.#exchange(request, options, callSignal);
    if (resultSchema === undefined) return result;
    const parsed = await resultSchema['~standard'].validate(result);
    if (parsed.issues === undefined) return parsed.value;
    const issues = parsed.issues.map((issue) => issue.message).join('; ');
    throw new McpError(RpcCode.invalidParams, `Invalid result of ${request.method}: ${issues}`);
  }

  /** Whether the response belongs to a request of this endpoint that is still waited for. */
  owns(response: JsonObject): boolean {
    return this.#pending.has(response.id as string);
  }

  settle(response: JsonObject): void {
    const pending = this.#pending.get(response.id as string);
    if (pending === undefined) return;
    const { error, result } = response;
    if (error === undefined) {
      pending.resolve(result);
      return;
    }
    const { code, message, data } = isJsonObject(error) ? error : {};
    pending.reject(
      new McpError(
        typeof code === 'number' ? code : RpcCode.internalError,
        typeof message === 'string' ? message : 'Unknown error',
        data,
      ),
    );
  }

  /** Rejects what is still waited for. Nothing is sent from now on. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of [...this.#pending.values()]) reject(closedError());
  }

  async #exchange(
    request: McpRequest,
    options: McpRequestOptions | undefined,
    callSignal: AbortSignal,
  ): Promise<unknown> {
    const { timeout = DEFAULT_TIMEOUT_MS, signal } = options ?? {};
    if (this.#isClosed) throw closedError();
    if (callSignal.aborted) throw closedError('Request was cancelled');
    if (signal?.aborted) throw closedError(reasonText(signal.reason));
    // Text, so that these never meet the numbers that an MCP SDK instance counts with.
    const id = `tool-${++this.#lastId}`;
    const answer = createDeferred<unknown>();
    this.#pending.set(id, answer);
    const giveUp = (error: McpError) => {
      answer.reject(error);
      this.notify({ method: 'notifications/cancelled', params: { requestId: id, reason: error.message } });
    };
    const late = new McpError(RpcCode.requestTimeout, 'Request timed out', { timeout });
    const hasLimit = timeout > 0 && timeout <= MAX_TIMER_MS;
    const timer = hasLimit ? setTimeout(giveUp, timeout, late).unref() : undefined;
    const releases = (signal === undefined ? [callSignal] : [callSignal, signal]).map((each) =>
      onAbort(each, () => giveUp(closedError(reasonText(each.reason)))),
    );
    try {
      this.#sendToPeer({ ...request, jsonrpc: '2.0', id });
      return await answer.promise;
    } finally {
      this.#pending.delete(id);
      clearTimeout(timer);
      for (const release of releases) release();
    }
  }
}

function closedError(reason = 'Connection closed'): McpError {
  return new McpError(RpcCode.connectionClosed, reason);
}
