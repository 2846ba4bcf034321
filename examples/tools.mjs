/** Two tools in this process: one with a zod schema and progress, one with a plain JSON Schema that fails. */
import { createSdkMcpServer, query, tool } from 'claudewire';
import { z } from 'zod';

const pages = tool(
  'pages',
  'How many pages a number of lines fills',
  { lines: z.number().describe('Number of lines') },
  async ({ lines }, { _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken;
    if (progressToken !== undefined) {
      const params = { progressToken, progress: 1, total: 2, message: 'counted' };
      await sendNotification({ method: 'notifications/progress', params });
    }
    return { content: [{ type: 'text', text: `${lines / 40} pages` }] };
  },
  { annotations: { readOnlyHint: true }, searchHint: 'length of a text', timeoutMs: 5000 },
);

const shelf = tool(
  'shelf',
  'Where a book stands',
  { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  async ({ title }) => {
    throw new Error(`No book called ${title}`);
  },
);

const library = createSdkMcpServer({ name: 'library', tools: [pages, shelf] });
const results = [];
for await (const message of query({
  prompt: 'How many pages do 180 lines fill, and where is Walden?',
  options: { mcpServers: { library }, allowedTools: ['mcp__library'] },
})) {
  if (message.type !== 'user' || typeof message.message.content === 'string') continue;
  for (const block of message.message.content) {
    if (block.type !== 'tool_result') continue;
    results.push(block.is_error === true);
    console.log(block.is_error ? 'error ' : 'result', JSON.stringify(block.content));
  }
}
if (results.join() !== 'false,true,true') process.exitCode = 1;
