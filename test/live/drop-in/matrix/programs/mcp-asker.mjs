/** An MCP server over stdio with one tool, which asks the user for a name before it answers. */
import { createInterface } from 'node:readline';

const SCHEMA = { type: 'object', properties: { name: { type: 'string', title: 'Your name' } }, required: ['name'] };
let call;

createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line)));

function receive({ id, method, params, result, error }) {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'asker', version: '1.0.0' } });
  } else if (method === 'tools/list') {
    answer(id, { tools: [{ name: 'greet', description: 'Greets the user', inputSchema: { type: 'object' } }] });
  } else if (method === 'tools/call') {
    call = id;
    const form = { mode: 'form', message: 'Who are you?', requestedSchema: SCHEMA };
    write({ id: 'ask', method: 'elicitation/create', params: form });
  } else if (method === undefined && id === 'ask') {
    answer(call, { content: [{ type: 'text', text: `The user answered ${JSON.stringify(result ?? error)}` }] });
  } else if (id !== undefined && method !== undefined) {
    answer(id, {});
  }
}

function answer(id, result) {
  write({ id, result });
}

function write(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
