/** An MCP server on stdio with one tool, which appends its argument to a file. `node echo-server.mjs FILE`. */
import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const [file = ''] = process.argv.slice(2);
const server = new McpServer({ name: 'echo', version: '1.0.0' });
server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => {
  appendFileSync(file, `${text}\n`);
  return { content: [{ type: 'text', text }] };
});
await server.connect(new StdioServerTransport());
