import type {
  McpCarrier,
  McpEndpoint,
  McpEndpointHost,
  McpServerManifest,
} from '../control/mcp-endpoint.js';
import type { JsonObject } from '../util/json.js';
import { InstanceEndpoint } from './instance-endpoint.js';
import type { ServerDefinition } from './server-definition.js';
import { ToolTableEndpoint } from './tool-table-endpoint.js';

/**
 * One query's view of a server made by `createSdkMcpServer`: the table, until somebody reads the
 * server's `instance`; from then on the instance. What began in the table ends there.
 */
export class OwnServerEndpoint implements McpEndpoint {
  readonly #table: ToolTableEndpoint;
  readonly #stopWatching: () => void;
  #instance: InstanceEndpoint | undefined;

  constructor(definition: ServerDefinition, host: McpEndpointHost) {
    this.#table = new ToolTableEndpoint(definition, host);
    this.#stopWatching = definition.watchInstance((instance) => {
      // At once, not with the next message: `sendToolListChanged` reaches nobody before.
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
