import type { JsonObject } from '../util/json.js';
import { isJsonObject } from '../util/json.js';
import { MAX_TIMER_MS } from '../util/timer-limit.js';
import { McpError, RpcCode, reasonText } from './json-rpc.js';
import type { StandardSchemaLike } from './standard-schema.js';
import type { McpNotification, McpRequest, McpRequestOptions } from './tool-call-extra.js';

const DEFAULT_TIMEOUT_MS = 60_000;

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: McpError) => void;
}

/** What the tools of one endpoint send to the CLI, and the answers to it. */
export class PeerRequests {
  readonly #sendToPeer: (message: JsonObject) => void;
  readonly #pending = new Map<string, Pending>();
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

  #exchange(
    request: McpRequest,
    options: McpRequestOptions | undefined,
    callSignal: AbortSignal,
  ): Promise<unknown> {
    if (this.#isClosed) throw closedError();
    if (callSignal.aborted) throw cancelledError('Request was cancelled');
    if (options?.signal?.aborted) throw cancelledError(reasonText(options.signal.reason));
    // Text, so that these never meet the numbers that an MCP SDK instance counts with.
    const id = `tool-${++this.#lastId}`;
    const { timeout = DEFAULT_TIMEOUT_MS, signal } = options ?? {};
    const cleanups: (() => void)[] = [() => this.#pending.delete(id)];
    const exchange = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      const giveUp = (error: McpError) => {
        reject(error);
        this.notify({
          method: 'notifications/cancelled',
          params: { requestId: id, reason: error.message },
        });
      };
      if (timeout > 0 && timeout <= MAX_TIMER_MS) {
        const late = new McpError(RpcCode.requestTimeout, 'Request timed out', { timeout });
        const timer = setTimeout(giveUp, timeout, late).unref();
        cleanups.push(() => clearTimeout(timer));
      }
      for (const watched of [callSignal, signal]) {
        if (watched === undefined) continue;
        const onAbort = () => giveUp(cancelledError(reasonText(watched.reason)));
        watched.addEventListener('abort', onAbort, { once: true });
        cleanups.push(() => watched.removeEventListener('abort', onAbort));
      }
      this.#sendToPeer({ ...request, jsonrpc: '2.0', id });
    });
    return exchange.finally(() => {
      for (const cleanup of cleanups) cleanup();
    });
  }
}

function closedError(): McpError {
  return new McpError(RpcCode.connectionClosed, 'Connection closed');
}

function cancelledError(reason: string): McpError {
  return new McpError(RpcCode.connectionClosed, reason);
}
