import { createSdkMcpServer } from '@anthropic-ai/claude-agent-sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/** What programs do with the MCP SDK's server behind `instance`. */

const { instance } = createSdkMcpServer({ name: 'server' });

const added = instance.registerTool(
  'add',
  { description: 'Adds', inputSchema: { a: z.number(), b: z.number() } },
  async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
);
added.disable();
instance.registerTool('now', { description: 'The time' }, async () => ({
  content: [{ type: 'text', text: new Date().toISOString() }],
}));
instance.tool('old', 'Old form', { word: z.string() }, async ({ word }) => ({
  content: [{ type: 'text', text: word }],
}));
instance.registerResource('page', 'page://one', { mimeType: 'text/plain' }, async (uri) => ({
  contents: [{ uri: uri.href, text: 'one' }],
}));
instance.registerResource('any', new ResourceTemplate('page://{id}', { list: undefined }), {}, async (uri, { id }) => ({
  contents: [{ uri: uri.href, text: String(id) }],
}));
instance.registerPrompt('greet', { argsSchema: { who: z.string() } }, ({ who }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }],
}));
instance.server.setRequestHandler(ListToolsRequestSchema, async (request) => ({
  tools: [],
  nextCursor: request.params?.cursor,
}));

export async function connect(): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([instance.connect(near), client.connect(far)]);
  instance.sendToolListChanged();
  return client;
}
