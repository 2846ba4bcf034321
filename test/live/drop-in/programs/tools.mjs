/** An in-process tool server: numbers, an error of each kind, an image, a resource, and a server instance. */
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { say } from './say.mjs';

let stderr = '';

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const lab = createSdkMcpServer({
  name: 'lab',
  version: '1.2.3',
  instructions: 'Ask the lab for sums and pictures.',
  alwaysLoad: true,
  tools: [
    tool(
      'add',
      'Adds two numbers',
      { a: z.number().describe('the first'), b: z.number().int().optional() },
      async ({ a, b = 1 }, extra) => {
        say('add', {
          a,
          b,
          extra: Object.keys(extra)
            .filter((key) => extra[key] !== undefined)
            .sort(),
        });
        return { content: [{ type: 'text', text: String(a + b) }] };
      },
      { annotations: { readOnlyHint: true, title: 'Add' } },
    ),
    tool('fail', 'Always throws', {}, async () => {
      throw new Error('The lab is closed.');
    }),
    tool('refuse', 'Answers with an error', {}, async () => ({
      isError: true,
      content: [{ type: 'text', text: 'Not today.' }],
    })),
    tool('picture', 'Gives a picture', { size: z.enum(['small', 'large']) }, async () => ({
      content: [
        { type: 'text', text: 'Here it is.' },
        { type: 'image', data: DOT, mimeType: 'image/png' },
      ],
    })),
    tool('note', 'Gives a resource', {}, async () => ({
      content: [{ type: 'resource', resource: { uri: 'lab://note', mimeType: 'text/plain', text: 'A note.' } }],
    })),
  ],
});

say('server', { type: lab.type, name: lab.name, keys: Object.keys(lab).sort() });
const run = query({
  prompt: 'Use the lab.',
  options: {
    mcpServers: { lab },
    allowedTools: ['mcp__lab__*'],
    strictMcpConfig: true,
    stderr: (data) => {
      stderr += data;
    },
  },
});
for await (const message of run) {
  say('message', message);
  if (message.type === 'system' && message.subtype === 'init') {
    say('status', await run.mcpServerStatus());
  }
}
say('stderr', stderr);
