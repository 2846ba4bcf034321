import { AsyncLocalStorage } from 'node:async_hooks';
import { InvalidOptionError } from '../errors.js';
import { handled } from '../util/deferred.js';
import { errorText } from '../util/error-text.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { errorResponse, RpcCode, reasonText, rpcKind } from './json-rpc.js';
import type { McpServerLike } from './server-instance.js';

/** One query's hold on an instance. */
export interface InstanceLease {
  readonly transport: SharedTransport;
  /** Rejects with an {@link InvalidOptionError} when the instance cannot be used. */
  readonly ready: Promise<void>;
  /** The last one to leave disconnects the instance, which can then be used anywhere again. */
  release(): Promise<void>;
}

const connected = new WeakMap<McpServerLike, Omit<InstanceLease, 'release'>>();

/**
 * Joins the query to the instance's shared transport, connecting the instance when it is the first. The MCP SDK is
 * connected when this returns.
 */
export function leaseInstance(instance: McpServerLike, name: string, sink: PeerSink): InstanceLease {
  let shared = connected.get(instance);
  if (shared === undefined || shared.transport.isClosed) {
    const transport = new SharedTransport();
    shared = { transport, ready: handled(connectOnce(instance, transport, name)) };
    connected.set(instance, shared);
  }
  const { transport, ready } = shared;
  transport.attach(sink);
  return { transport, ready, release: () => transport.detach(sink) };
}

async function connectOnce(instance: McpServerLike, transport: SharedTransport, name: string): Promise<void> {
  try {
    if (transportOf(instance) !== undefined) throw new Error('Already connected to a transport');
    // The parameter is `never` so that every version's own `Transport` fits; ours has its shape.
    await instance.connect(transport as never);
  } catch (cause) {
    await transport.close();
    const hint =
      'An MCP SDK server takes one transport: close() the other connection, or make an instance for each place.';
    const message = `MCP server "${name}" cannot be used: its instance could not be connected`;
    throw new InvalidOptionError('mcpServers', message, { cause, hint });
  }
}

/** `McpServer` wraps the `Server` that has the transport. Old versions replace a transport without a word. */
function transportOf(instance: McpServerLike): unknown {
  const { server = instance } = instance as { readonly server?: unknown };
  return (server as { readonly transport?: unknown }).transport;
}

/** Who is at the other end: one query's use of the instance. */
export interface PeerSink {
  /** Carries a message of the server to this query's CLI. */
  readonly sendToPeer: (message: JsonObject) => void;
}

/** A request of a CLI on its way through the server. */
interface RoutedCall {
  readonly sink: PeerSink;
  /** As the CLI wrote them; the server sees the rewritten id in the place of both. */
  readonly id: unknown;
  readonly progressToken: unknown;
  readonly respond: (response: JsonObject) => void;
}

/**
 * The one transport that an MCP SDK instance takes, shared by all its queries. The CLIs' ids and progress tokens are
 * replaced by unique numbers on the way in and restored on the way out. It has the shape of the MCP SDK's `Transport`.
 * What the server sends by itself goes to the query it belongs to: that of the request it names, of the progress token,
 * of the handler it is sent from. Other notifications go to all queries; other requests are refused when there are
 * several queries, since only one could answer.
 */
class SharedTransport {
  /** Set by the MCP SDK when it connects. */
  onmessage?: (message: JsonObject) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  readonly #sinks = new Set<PeerSink>();
  readonly #calls = new Map<unknown, RoutedCall>();
  /** Requests of the server that wait for a CLI, by their id. */
  readonly #questions = new Map<unknown, PeerSink>();
  readonly #context = new AsyncLocalStorage<PeerSink>();
  // From 1: the MCP SDK takes the id 0 of a cancellation for none at all.
  #nextId = 1;
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  attach(sink: PeerSink): void {
    this.#sinks.add(sink);
  }

  /**
   * Ends one query's part: its questions are answered with an error, its calls must have been cancelled before. Without
   * the last one the transport closes.
   */
  async detach(sink: PeerSink): Promise<void> {
    this.#sinks.delete(sink);
    for (const [id, asked] of this.#questions) {
      if (asked !== sink) continue;
      this.#questions.delete(id);
      this.#deliver(errorResponse(id, RpcCode.connectionClosed, 'Connection closed'));
    }
    if (this.#sinks.size === 0) await this.close();
  }

  /** Hands a CLI's request to the server. Returns the id the server knows it by. */
  request(sink: PeerSink, message: JsonObject, respond: RoutedCall['respond']): number {
    const id = this.#nextId++;
    const { params } = message;
    const meta = isJsonObject(params) ? params._meta : undefined;
    const progressToken = isJsonObject(meta) ? meta.progressToken : undefined;
    this.#calls.set(id, { sink, id: message.id, progressToken, respond });
    const forServer: JsonObject = { ...message, jsonrpc: '2.0', id };
    if (progressToken !== undefined) {
      forServer.params = { ...(params as JsonObject), _meta: { ...(meta as JsonObject), progressToken: id } };
    }
    // The context costs every promise of the process a little, so only where there is a choice to make.
    if (this.#sinks.size > 1) this.#context.run(sink, () => this.#deliver(forServer));
    else this.#deliver(forServer);
    return id;
  }

  /** Tells the server that the request is cancelled. Its response will be dropped. */
  cancel(id: number, reason: unknown): void {
    this.#calls.delete(id);
    this.#deliver({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, ...(reason === undefined ? {} : { reason: reasonText(reason) }) },
    });
  }

  notify(message: JsonObject): void {
    this.#deliver({ ...message, jsonrpc: '2.0' });
  }

  /** A CLI's answer. Counts only from the query that was asked. */
  answer(sink: PeerSink, message: JsonObject): void {
    const id = message.id;
    if (this.#questions.get(id) !== sink) return;
    this.#questions.delete(id);
    this.#deliver({ ...message, jsonrpc: '2.0' });
  }

  async start(): Promise<void> {}

  /** A message from the server. */
  async send(message: JsonObject, options?: { relatedRequestId?: unknown }): Promise<void> {
    if (this.#isClosed) return;
    switch (rpcKind(message)) {
      case 'response':
        return this.#respond(message);
      case 'request':
        return this.#ask(message, options?.relatedRequestId);
      case 'notification':
        return this.#spread(message, options?.relatedRequestId);
    }
  }

  /** Called by the server when it closes, and by the last query to leave. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const { id, respond } of calls) respond(errorResponse(id, RpcCode.connectionClosed, 'Connection closed'));
    try {
      // Reaches the `onclose` of the server's owner.
      this.onclose?.();
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(errorText(error)));
    }
  }

  #deliver(message: JsonObject): void {
    if (!this.#isClosed) this.onmessage?.(message);
  }

  #respond(message: JsonObject): void {
    const call = this.#calls.get(message.id);
    // Cancelled in between.
    if (call === undefined) return;
    this.#calls.delete(message.id);
    call.respond({ ...message, id: call.id });
  }

  #ask(message: JsonObject, relatedId: unknown): void {
    const sink = this.#sinkOf(relatedId);
    if (sink === undefined) {
      throw new Error(
        `Cannot tell which of ${this.#sinks.size} queries "${message.method}" is for: send it from a tool's handler, or pass relatedRequestId`,
      );
    }
    this.#questions.set(message.id, sink);
    sink.sendToPeer(message);
  }

  #spread(message: JsonObject, relatedId: unknown): void {
    const { method, params } = message;
    const fields = isJsonObject(params) ? params : {};
    if (method === 'notifications/progress') {
      const call = this.#calls.get(fields.progressToken);
      // Late progress of a call that is over means nothing to anybody.
      call?.sink.sendToPeer({ ...message, params: { ...fields, progressToken: call.progressToken } });
      return;
    }
    if (method === 'notifications/cancelled') {
      const { requestId } = fields;
      this.#questions.get(requestId)?.sendToPeer(message);
      this.#questions.delete(requestId);
      return;
    }
    const related = this.#calls.get(relatedId)?.sink;
    for (const sink of related === undefined ? [...this.#sinks] : [related]) sink.sendToPeer(message);
  }

  #sinkOf(relatedId: unknown): PeerSink | undefined {
    const known = this.#calls.get(relatedId)?.sink ?? this.#context.getStore();
    if (known !== undefined && this.#sinks.has(known)) return known;
    const candidates = new Set([...this.#calls.values()].map(({ sink }) => sink));
    const [only, ...others] = candidates.size > 0 ? candidates : this.#sinks;
    return others.length === 0 ? only : undefined;
  }
}
