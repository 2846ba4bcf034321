import type {
  McpCarrier,
  McpEndpoint,
  McpEndpointFactory,
  McpEndpointHost,
  McpServerManifest,
} from '../control/mcp-endpoint.js';
import { isJsonObject, type JsonObject, omitUndefined } from '../util/json.js';
import { onAbort } from '../util/on-abort.js';
import { VERSION } from '../version.js';
import {
  badParamsResponse,
  cancelledId,
  duplicateResponse,
  errorResponse,
  PROTOCOL_VERSIONS,
  RpcCode,
  rpcKind,
} from './json-rpc.js';
import type { McpSdkServerConfig } from './mcp-server-config.js';
import { definitionOf, type ServerDefinition } from './server-definition.js';
import type { McpServerLike } from './server-instance.js';
import { type InstanceLease, leaseInstance, type PeerSink } from './shared-transport.js';
import { ToolTableEndpoint } from './tool-table-endpoint.js';

/** Wider than the type of the option: a low-level `Server` runs as well. */
type RunningConfig = McpSdkServerConfig & { instance: McpServerLike };

/** By server, see {@link serverOf}. */
const factories = new WeakMap<object, McpEndpointFactory>();

/**
 * Chooses how a server runs, anew for each query: a server of `createSdkMcpServer` whose `instance` has not been read
 * answers from its table, every other one through its MCP SDK instance.
 * @returns the same factory for the same server, so that a server that is set again is known.
 */
export function createMcpEndpointFactory(config: RunningConfig): McpEndpointFactory {
  const server = serverOf(config);
  const known = factories.get(server);
  if (known !== undefined) return known;
  const factory: McpEndpointFactory = (host) => {
    const definition = definitionOf(config);
    return definition !== undefined && definition.existingInstance === undefined
      ? new OwnServerEndpoint(definition, host)
      : new InstanceEndpoint(config.instance, config.name, host.sendToPeer);
  };
  factories.set(server, factory);
  return factory;
}

/** What makes two configurations the same server: the instance, or the configuration while that is not built. */
function serverOf(config: RunningConfig): object {
  const instance: unknown = Object.getOwnPropertyDescriptor(config, 'instance')?.value;
  return typeof instance === 'object' && instance !== null ? instance : config;
}

/**
 * One query's view of a server made by `createSdkMcpServer`: the table, until the server's `instance` is read; from
 * then on the instance. Calls that began in the table end there.
 */
class OwnServerEndpoint implements McpEndpoint {
  readonly #table: ToolTableEndpoint;
  readonly #stopWatching: () => void;
  #instance: InstanceEndpoint | undefined;

  constructor(definition: ServerDefinition, host: McpEndpointHost) {
    this.#table = new ToolTableEndpoint(definition, host);
    this.#stopWatching = definition.watchInstance((instance) => {
      // At once, not with the next message: `sendToolListChanged` would be lost before.
      this.#instance = new InstanceEndpoint(instance, definition.info.name, host.sendToPeer);
    });
  }

  receive(message: JsonObject, carrier: McpCarrier): Promise<JsonObject | undefined> {
    return this.#instance === undefined || this.#table.concerns(message)
      ? this.#table.receive(message, carrier)
      : this.#instance.receive(message, carrier);
  }

  manifest(): Promise<McpServerManifest | undefined> {
    return (this.#instance ?? this.#table).manifest();
  }

  async close(): Promise<void> {
    this.#stopWatching();
    await Promise.all([this.#table.close(), this.#instance?.close()]);
  }
}

/** Who asks for a manifest. */
const CLIENT_INFO = { name: 'claudewire', version: VERSION };

/**
 * One query's view of an MCP SDK server instance (`McpServer` or `Server`). The instance does all the work; this knows
 * which calls are this query's, so that closing one query leaves the others alone.
 */
class InstanceEndpoint implements McpEndpoint {
  readonly #instance: McpServerLike;
  readonly #name: string;
  readonly #sink: PeerSink;
  /** What abandons a call, by the CLI's JSON-RPC id. */
  readonly #running = new Map<unknown, (reason: unknown) => void>();
  #lease: InstanceLease;
  #isConnected = false;
  #isClosed = false;

  /** Connects at once, so that what the server sends by itself is not lost. A failure shows when the endpoint is used. */
  constructor(instance: McpServerLike, name: string, sendToPeer: (message: JsonObject) => void) {
    this.#instance = instance;
    this.#name = name;
    this.#sink = { sendToPeer };
    this.#lease = this.#join();
  }

  /** @throws {@link InvalidOptionError} the instance is connected somewhere else. */
  async receive(message: JsonObject, { signal }: McpCarrier): Promise<JsonObject | undefined> {
    if (!this.#isConnected) await this.#connect();
    switch (rpcKind(message)) {
      case 'response':
        this.#lease.transport.answer(this.#sink, message);
        return undefined;
      case 'notification':
        return this.#notify(message);
      case 'request':
        return this.#answer(message, signal);
    }
  }

  async manifest(): Promise<McpServerManifest | undefined> {
    await this.#connect();
    const initializeResult = await this.#ask('initialize', {
      protocolVersion: PROTOCOL_VERSIONS[0],
      capabilities: {},
      clientInfo: CLIENT_INFO,
    });
    if (initializeResult === undefined) return undefined;
    this.#lease.transport.notify({ method: 'notifications/initialized' });
    const { capabilities } = initializeResult;
    if (!isJsonObject(capabilities) || capabilities.tools === undefined) return { initializeResult };
    const toolsListResult = await this.#ask('tools/list');
    const tools = toolsListResult?.tools;
    // Nothing is sent ahead for an empty or refused list: the CLI then asks for itself.
    return toolsListResult !== undefined && Array.isArray(tools) && tools.length > 0
      ? { initializeResult, toolsListResult }
      : undefined;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const abandon of [...this.#running.values()]) abandon('The session ended');
    await this.#lease.release();
  }

  #join(): InstanceLease {
    return leaseInstance(this.#instance, this.#name, this.#sink);
  }

  async #connect(): Promise<void> {
    await this.#lease.ready;
    this.#isConnected = true;
  }

  #notify(message: JsonObject): undefined {
    const requestId = cancelledId(message);
    if (this.#isClosed) return undefined;
    if (requestId === undefined) this.#lease.transport.notify(message);
    else this.#running.get(requestId)?.((message.params as JsonObject).reason);
    return undefined;
  }

  async #answer(message: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined> {
    const { id, params } = message;
    const method = String(message.method);
    if (this.#running.has(id)) return duplicateResponse(id);
    if (params !== undefined && !isJsonObject(params)) return badParamsResponse(id, method);
    // A server that was closed by its owner comes back with a new handshake, and only with that (PY-196).
    if (this.#lease.transport.isClosed && method === 'initialize' && !this.#isClosed) {
      this.#lease = this.#join();
      await this.#connect();
    }
    if (this.#isClosed || this.#lease.transport.isClosed) {
      return errorResponse(id, RpcCode.connectionClosed, 'Connection closed');
    }
    return this.#forward(id, message, signal);
  }

  #forward(key: unknown, message: JsonObject, signal?: AbortSignal): Promise<JsonObject | undefined> {
    const { transport } = this.#lease;
    // Withdrawn, or closed while the instance was being connected: nothing would ever answer.
    if (signal?.aborted || this.#isClosed || transport.isClosed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const settle = (response: JsonObject | undefined) => {
        this.#running.delete(key);
        release?.();
        resolve(response);
      };
      let idOnServer: number | undefined;
      const abandon = (reason: unknown) => {
        settle(undefined);
        if (idOnServer !== undefined) transport.cancel(idOnServer, reason);
      };
      this.#running.set(key, abandon);
      const release = signal && onAbort(signal, () => abandon(signal.reason));
      idOnServer = transport.request(this.#sink, message, settle);
    });
  }

  /** A request by this package, under a key that no CLI can use. `undefined`: refused, or the endpoint was closed. */
  async #ask(method: string, params?: JsonObject): Promise<JsonObject | undefined> {
    const key = Symbol(method);
    const response = await this.#forward(key, omitUndefined({ method, params }));
    return isJsonObject(response?.result) ? response.result : undefined;
  }
}
