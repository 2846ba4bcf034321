/** An MCP server over stdio that tells the weather of cities that exist. */
import { createInterface } from 'node:readline';

const INPUT = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line)));

function receive({ id, method, params }) {
  if (id === undefined) return;
  write({ jsonrpc: '2.0', id, result: RESULTS[method]?.(params) ?? {} });
}

const RESULTS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'weather', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: [{ name: 'forecast', description: 'Tells the weather of a city', inputSchema: INPUT }],
  }),
  'tools/call': ({ arguments: { city } }) => ({
    content: [{ type: 'text', text: city === 'Nowhere' ? 'No such city.' : `${city}: clear` }],
    isError: city === 'Nowhere',
  }),
};

function write(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
