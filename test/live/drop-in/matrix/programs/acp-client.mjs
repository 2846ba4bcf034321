/** An editor's end of the Agent Client Protocol, over the stdio of an agent. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { outcome, say } from './say.mjs';

const packages = fileURLToPath(new URL('../node_modules', import.meta.url));

/**
 * Starts an agent, and prints all that it sends.
 *
 * @param {string} script of the agent, below `node_modules`
 */
export function startAgent(script) {
  const agent = spawn(process.execPath, [join(packages, script)], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => agent.once('close', (code, signal) => resolve({ code, signal })));
  const waiting = new Map();
  let nextId = 1;
  const editor = {
    /** Answers a question for permission: the kind of the option to take. */
    decision: 'reject_once',
    /** Told each update. */
    onUpdate: () => {},
    /** Sends a request, and prints what comes of it. */
    async request(method, params) {
      const answer = await outcome(() => send(method, params));
      say(`answer: ${method}`, answer);
      return answer.value;
    },
    notify: (method, params) => write({ method, params }),
    /** As editors do: not every agent ends with its input. */
    async end() {
      agent.stdin.end();
      agent.kill('SIGTERM');
      say('end', await ended);
    },
  };

  createInterface({ input: agent.stdout }).on('line', (line) => receive(JSON.parse(line)));
  return editor;

  function send(method, params) {
    const id = nextId;
    nextId += 1;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      write({ id, method, params });
    });
  }

  function write(message) {
    agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  function receive({ id, method, params, result, error }) {
    if (method === undefined) {
      const { resolve, reject } = waiting.get(id);
      if (error === undefined) resolve(result);
      else reject(error);
    } else if (method === 'session/request_permission') {
      say('permission', params);
      const option = params.options.find(({ kind }) => kind === editor.decision);
      write({ id, result: { outcome: { outcome: 'selected', optionId: option.optionId } } });
    } else if (id !== undefined) {
      say('unexpected request', { method, params });
      write({ id, error: { code: -32601, message: 'Not here' } });
    } else if (method === 'session/update') {
      say(`update: ${params.update.sessionUpdate}`, params);
      editor.onUpdate(params.update);
    } else {
      say('notification', { method, params });
    }
  }
}
