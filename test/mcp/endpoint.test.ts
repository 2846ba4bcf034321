import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createSdkMcpServer } from '../../src/mcp/create-sdk-mcp-server.js';
import { createMcpEndpointFactory } from '../../src/mcp/endpoint-factory.js';
import type { SdkMcpServerInstance } from '../../src/mcp/server-instance.js';
import { type ContractServer, describeEndpointContract } from './endpoint-contract.js';

describeEndpointContract('from the tool table', (server) => createMcpEndpointFactory(createSdkMcpServer(server)));

describeEndpointContract('through an McpServer of the caller', (server) =>
  createMcpEndpointFactory({ type: 'sdk', name: server.name, instance: handMade(server) }),
);

describeEndpointContract('through the instance of our own server', (server) =>
  // A spread reads `instance`.
  createMcpEndpointFactory({ ...createSdkMcpServer(server) }),
);

function handMade({ name, instructions, tools }: ContractServer): McpServer {
  const server = new McpServer(
    { name, version: '1.0.0' },
    { capabilities: tools === undefined ? {} : { tools: {} }, ...(instructions === undefined ? {} : { instructions }) },
  );
  // `registerTool` infers from zod types; here the types are those of the table.
  const register = server.registerTool.bind(server) as unknown as SdkMcpServerInstance['registerTool'];
  for (const { name, description, inputSchema, annotations, _meta, handler } of tools ?? []) {
    register(name, { description, inputSchema, annotations, _meta }, handler);
  }
  return server;
}
