import {
  createSdkMcpServer,
  type McpSdkServerConfigWithInstance,
  type McpServerConfig,
  type Options,
} from '@anthropic-ai/claude-agent-sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
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

/** The same of servers that are typed by name. */

export function createCalculator(): McpSdkServerConfigWithInstance {
  return createSdkMcpServer({ name: 'calculator' });
}

export async function connectNamed(): Promise<string | undefined> {
  const server = createCalculator();
  const [near] = InMemoryTransport.createLinkedPair();
  server.instance
    .registerTool('late', { description: 'Added late' }, async () => ({ content: [] }))
    .update({ title: 'Late' });
  server.instance.server.onclose = () => server.instance.close();
  server.instance.server.setRequestHandler(ListToolsRequestSchema, async (request, { sendNotification, signal }) => {
    if (!signal.aborted) await sendNotification({ method: 'notifications/tools/list_changed' });
    return { tools: [], nextCursor: request.params?.cursor };
  });
  await server.instance.connect(near);
  return server.instance.server.getClientVersion()?.name;
}

export const isAsked = (config: McpServerConfig): boolean =>
  'instance' in config && config.instance.server.getClientCapabilities()?.elicitation !== undefined;

export function isConnected(options: Options): boolean {
  const server = options.mcpServers?.calculator;
  return server?.type === 'sdk' && server.instance.isConnected();
}

export async function question({ instance }: McpSdkServerConfigWithInstance): Promise<unknown> {
  const { action, content } = await instance.server.elicitInput({
    message: 'Which one?',
    requestedSchema: { type: 'object', properties: { id: { type: 'string' } } },
  });
  if (action === 'accept') return content?.id;
  const said = await instance.server.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'Which one?' } }],
    maxTokens: 100,
  });
  return said.content.type === 'text' ? said.content.text : (await instance.server.listRoots()).roots[0]?.uri;
}

/** A server of the program's own. */
const own = new McpServer({ name: 'own', version: '1' });
export const options: Options = { mcpServers: { own: { type: 'sdk', name: 'own', instance: own } } };
export const named: McpSdkServerConfigWithInstance = { type: 'sdk', name: 'own', instance: own };
named.instance = new McpServer({ name: 'other', version: '1' });
