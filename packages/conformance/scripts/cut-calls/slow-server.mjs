/** An MCP server over stdio with one tool, `work`: it runs the shell command that it is given, and says what that printed. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const inputSchema = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'slow', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'work', description: 'Runs a command.', inputSchema }] }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'tools/call') {
    const child = spawn('sh', ['-c', params.arguments.command], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (data) => (text += data));
    child.once('close', (code) => say({ id, result: { content: [{ type: 'text', text }], isError: code !== 0 } }));
    return;
  }
  const answer = answers[method]?.(params);
  say(answer === undefined ? { id, error: { code: -32601, message: 'no such method' } } : { id, result: answer });
});
