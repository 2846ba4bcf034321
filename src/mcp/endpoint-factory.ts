import type { McpEndpointFactory } from '../control/mcp-endpoint.js';
import { InstanceEndpoint } from './instance-endpoint.js';
import type { McpSdkServerConfigWithInstance } from './mcp-server-config.js';
import { OwnServerEndpoint } from './own-server-endpoint.js';
import { definitionOf } from './server-definition.js';

/** By server, see {@link serverOf}. */
const factories = new WeakMap<object, McpEndpointFactory>();

/**
 * Chooses how a server runs, anew for each query: a server of `createSdkMcpServer` whose `instance`
 * nobody has read answers from its table, every other one through its MCP SDK instance.
 *
 * @returns the same factory for the same server, so that a server that is set again is known.
 */
export function createMcpEndpointFactory(
  config: McpSdkServerConfigWithInstance,
): McpEndpointFactory {
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
