import type {
  McpCarrier,
  McpEndpoint,
  McpEndpointFactory,
  McpEndpointHost,
  McpServerManifest,
} from '../control/mcp-endpoint.js';
import type { JsonObject } from '../util/json.js';
import { InstanceEndpoint } from './instance-endpoint.js';
import type { McpSdkServerConfigWithInstance } from './mcp-server-config.js';
import { definitionOf, type ServerDefinition } from './server-definition.js';
import { ToolTableEndpoint } from './tool-table-endpoint.js';

/** By server, see {@link serverOf}. */
const factories = new WeakMap<object, McpEndpointFactory>();

/**
 * Chooses how a server runs, anew for each query: a server of `createSdkMcpServer` whose `instance` has not been read
 * answers from its table, every other one through its MCP SDK instance.
 * @returns the same factory for the same server, so that a server that is set again is known.
 */
export function createMcpEndpointFactory(config: McpSdkServerConfigWithInstance): McpEndpointFactory {
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
function serverOf(config: McpSdkServerConfigWithInstance): object {
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
