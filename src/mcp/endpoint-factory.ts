import type { McpEndpointFactory } from '../control/mcp-endpoint.js';
import { InstanceEndpoint } from './instance-endpoint.js';
import type { McpSdkServerConfigWithInstance } from './mcp-server-config.js';
import { OwnServerEndpoint } from './own-server-endpoint.js';
import { definitionOf } from './server-definition.js';

/**
 * Chooses how a server runs, anew for each query: a server of `createSdkMcpServer` whose `instance`
 * nobody has read answers from its table, every other one through its MCP SDK instance.
 */
export function createMcpEndpointFactory(
  config: McpSdkServerConfigWithInstance,
): McpEndpointFactory {
  return (host) => {
    const definition = definitionOf(config);
    return definition !== undefined && definition.existingInstance === undefined
      ? new OwnServerEndpoint(definition, host)
      : new InstanceEndpoint(config.instance, config.name, host.sendToPeer);
  };
}
