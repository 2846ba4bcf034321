/** Plays an editor: speaks the Agent Client Protocol with the agent whose script is given, over its stdio. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { outcome, say } from '../programs/say.mjs';

const packages = fileURLToPath(new URL('../node_modules', import.meta.url));
const cwd = process.cwd();
const agent = spawn(process.execPath, [join(packages, process.argv[2])], { stdio: ['pipe', 'pipe', 'ignore'] });
const ended = new Promise((resolve) => agent.once('close', (code, signal) => resolve({ code, signal })));
const waiting = new Map();
const heard = new Set();
const listeners = [];
let nextId = 1;
/** What the editor does when the agent says something. */
let onUpdate = () => {};
let decide = () => ({ outcome: 'cancelled' });

createInterface({ input: agent.stdout }).on('line', (line) => receive(JSON.parse(line)));

await step('initialize', {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
});
// A suggestion is a further model call that the next prompt may or may not overtake.
const _meta = { claudeCode: { options: { promptSuggestions: false } } };
const { value: session } = await step('session/new', { cwd, mcpServers: [], _meta });
const { sessionId } = session;
await sent('available_commands_update');

await prompt('Say hello.');
decide = choose('allow_once');
await prompt('Make a file.');
decide = choose('reject_once');
await prompt('Make another file.');
decide = choose('allow_always');
await prompt('Make a third file.');
onUpdate = (update) => {
  if (update.sessionUpdate === 'agent_message_chunk') notify('session/cancel', { sessionId });
};
await prompt('Tell me a long story.');
onUpdate = () => {};
await step('session/set_mode', { sessionId, modeId: 'acceptEdits' });
await step('session/set_config_option', { sessionId, configId: 'model', value: 'haiku' });
await prompt('Still there?');
await prompt('/compact');
await step('session/list', { cwd });
await step('session/fork', { sessionId, cwd, mcpServers: [], _meta });
await step('session/close', { sessionId });
await step('session/load', { sessionId, cwd, mcpServers: [], _meta });
await prompt('After loading.');
await step('session/close', { sessionId });
await step('session/resume', { sessionId, cwd, mcpServers: [], _meta });
await prompt('After resuming.');
await step('session/load', { sessionId: '00000000-0000-4000-8000-000000000000', cwd, mcpServers: [] });
await step('session/delete', { sessionId });
agent.stdin.end();
say('end', await ended);

function prompt(text) {
  return step('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
}

async function step(method, params) {
  const answer = await outcome(() => request(method, params));
  say(`answer: ${method}`, answer);
  return answer;
}

function request(method, params) {
  const id = nextId;
  nextId += 1;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    write({ id, method, params });
  });
}

function notify(method, params) {
  write({ method, params });
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
  if (method === 'session/request_permission') {
    say('permission', params);
    write({ id, result: { outcome: decide(params) } });
    return;
  }
  if (id !== undefined) {
    say('unexpected request', { method, params });
    write({ id, error: { code: -32601, message: 'Not here' } });
    return;
  }
  if (method !== 'session/update') {
    say('notification', { method, params });
    return;
  }
  say(`update: ${params.update.sessionUpdate}`, params);
  heard.add(params.update.sessionUpdate);
  for (const { kind, resolve } of listeners) if (kind === params.update.sessionUpdate) resolve();
  onUpdate(params.update);
}

function choose(kind) {
  return ({ options }) => {
    const option = options.find((entry) => entry.kind === kind);
    return option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option.optionId };
  };
}

/** Resolves when an update of a kind has come, at once if it has. */
function sent(kind) {
  if (heard.has(kind)) return undefined;
  return new Promise((resolve) => listeners.push({ kind, resolve }));
}
