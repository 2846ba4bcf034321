/** An editor that speaks the Agent Client Protocol with an agent over its stdio, and says what it hears. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { outcome, say } from './say.mjs';

const packages = fileURLToPath(new URL('../node_modules', import.meta.url));

/**
 * Starts an agent.
 *
 * @param {string} script of the agent, below `node_modules`
 */
export function startEditor(script) {
  const agent = spawn(process.execPath, [join(packages, script)], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => agent.once('close', (code, signal) => resolve({ code, signal })));
  const waiting = new Map();
  const heard = new Set();
  const listeners = [];
  const toolCalls = new Map();
  let nextId = 1;
  const editor = {
    /** What the editor does when the agent says something. */
    onUpdate: () => {},
    /** Its answers to the agent's requests, by method. */
    answers: { 'session/request_permission': () => ({ outcome: { outcome: 'cancelled' } }) },
    notify: (method, params) => write({ method, params }),
    /** Sends a request, and says what comes of it. */
    async step(method, params) {
      const answer = await outcome(() => request(method, params));
      say(`answer: ${method}`, answer);
      return answer.value;
    },
    prompt: (sessionId, text) => editor.step('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    /** Resolves when an update of a kind has come, at once if it has. */
    heard: (kind) => (heard.has(kind) ? undefined : new Promise((resolve) => listeners.push({ kind, resolve }))),
    /** Ends the agent as editors do: not every one ends with its input, so there may be a signal too. */
    async end(signal) {
      for (const call of toolCalls.values()) say('tool call', call);
      agent.stdin.end();
      if (signal !== undefined) agent.kill(signal);
      say('end', await ended);
    },
  };
  createInterface({ input: agent.stdout }).on('line', (line) => receive(JSON.parse(line)));
  return editor;

  function request(method, params) {
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
      return;
    }
    if (id !== undefined) {
      say(`asked: ${method}`, params);
      const answer = editor.answers[method];
      write(
        answer === undefined ? { id, error: { code: -32601, message: 'Not here' } } : { id, result: answer(params) },
      );
      return;
    }
    if (method !== 'session/update') {
      say('notification', { method, params });
      return;
    }
    const kind = params.update.sessionUpdate;
    const { toolCallId } = params.update;
    // Whether a question for permission or the model's stream is heard first is the clock's business: the whole counts.
    if (toolCallId === undefined) say(`update: ${kind}`, params);
    else toolCalls.set(toolCallId, { ...toolCalls.get(toolCallId), ...params.update, sessionUpdate: undefined });
    heard.add(kind);
    for (const listener of listeners) if (listener.kind === kind) listener.resolve();
    editor.onUpdate(params.update);
  }
}

/** Chooses the option of a kind, such as `allow_once`. */
export function choose(kind) {
  return ({ options }) => {
    const option = options.find((entry) => entry.kind === kind);
    return {
      outcome: option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option.optionId },
    };
  };
}
