/** An MCP server over stdio with one tool, `ask`, which asks the user for a name. For `port-checks-answers.mjs`. */
import { createInterface } from 'node:readline';

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const QUESTION = 1000;
const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
let call;

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'side', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: [{ name: 'ask', description: 'Asks for a name.', inputSchema: { type: 'object', properties: {} } }],
  }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === 'tools/call') {
    call = id;
    say({ id: QUESTION, method: 'elicitation/create', params: { message: 'Your name?', requestedSchema: schema } });
  } else if (id === QUESTION && method === undefined) {
    const text = `answered with ${JSON.stringify(result ?? error)}`;
    say({ id: call, result: { content: [{ type: 'text', text }] } });
  } else if (id !== undefined) {
    const answer = answers[method]?.(params);
    say(answer === undefined ? { id, error: { code: -32601, message: 'no such method' } } : { id, result: answer });
  }
});
