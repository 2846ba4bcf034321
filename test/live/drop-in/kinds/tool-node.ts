/** A workflow node whose tools come from what the user connected. */
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { say } from './say.js';

type ServerOptions = Parameters<typeof createSdkMcpServer>[0];
type Tools = NonNullable<ServerOptions['tools']>;

const connected = [
  { name: 'lookup', answer: (key: string) => `${key} is 42` },
  { name: 'shout', answer: (key: string) => key.toUpperCase() },
];
const tools: Tools = [];
for (const { name, answer } of connected) {
  tools.push(
    tool(name, `The node ${name}`, { key: z.string() }, async ({ key }) => {
      say(name, key);
      return { content: [{ type: 'text', text: answer(key) }] };
    }),
  );
}
const options: ServerOptions = { name: 'node', tools };
options.version = '1.2.3';

const run = query({
  prompt: 'Look it up.',
  options: {
    mcpServers: { node: createSdkMcpServer(options) },
    allowedTools: tools.map((each) => `mcp__node__${each.name}`),
  },
});
for await (const message of run) {
  if (message.type === 'result') say('result', message.subtype === 'success' ? message.result : message.errors);
}
