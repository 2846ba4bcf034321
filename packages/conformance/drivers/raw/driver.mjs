#!/usr/bin/env node
/**
 * A driver with no SDK behind it: it starts the CLI and writes the frames by hand. It shows that the scenarios ask
 * for the protocol and not for one SDK's ways, and what a driver is made of (docs/conformance.md walks through it).
 *
 *   node driver.mjs
 */
import { serve, Unsupported } from '../kit/serve.mjs';
import { normal, Session } from './session.mjs';

/** Method to the control request behind it: subtype, names of the arguments, and the field the caller gets. */
const METHODS = {
  interrupt: ['interrupt', []],
  setModel: ['set_model', ['model']],
  setPermissionMode: ['set_permission_mode', ['mode']],
  setMaxThinkingTokens: ['set_max_thinking_tokens', ['max_thinking_tokens']],
  applyFlagSettings: ['apply_flag_settings', ['settings']],
  mcpServerStatus: ['mcp_status', [], 'mcpServers'],
  reconnectMcpServer: ['mcp_reconnect', ['serverName']],
  toggleMcpServer: ['mcp_toggle', ['serverName', 'enabled']],
  rewindFiles: ['rewind_files', ['user_message_id']],
  stopTask: ['stop_task', ['task_id']],
  getContextUsage: ['get_context_usage', []],
};
/** The answer to `initialize` is kept: these ask for a field of it, or for all. */
const OF_INITIALIZE = {
  initializationResult: undefined,
  supportedCommands: 'commands',
  supportedModels: 'models',
  supportedAgents: 'agents',
  accountInfo: 'account',
};
const FEATURES = [
  ...['query', 'query-stream', 'stderr', 'pause', 'hooks', 'can_use_tool', 'elicitation'],
  ...['callback-abort', 'parallel-callbacks', 'query:methods', 'query:close', 'messages:frames'],
  ...['environment:replaced', 'environment:node', 'system-prompt:initialize'],
  ...['prompt:blocks', 'initialize', 'initialize:pipelined', 'agents:initialize', 'environment:version', 'error:kinds'],
  ...['messages:ids', 'messages:figures'],
  ...['callback:tool-use-id', 'callback:unknown-fields', 'callback:permission-context'],
  ...[...Object.keys(METHODS), ...Object.keys(OF_INITIALIZE)].map((method) => `call:${method}`),
];

async function call(session, { method, args = [] }) {
  if (method in OF_INITIALIZE) {
    const answer = await session.initialized;
    const field = OF_INITIALIZE[method];
    return field === undefined ? answer : answer[field];
  }
  if (!(method in METHODS)) throw new Unsupported(`method ${method}`);
  const [subtype, names, field] = METHODS[method];
  if (args.length > names.length) throw new Unsupported(`further arguments of ${method}`);
  const given = Object.fromEntries(names.map((name, at) => [name, args[at]]));
  const answer = await session.request({ subtype, ...given });
  return field === undefined ? answer : answer?.[field];
}

await serve({ driver: 'raw', sdk: 'none', version: '1', language: 'javascript', features: FEATURES }, (write) => {
  const sessions = new Map();
  /** One function for each command of the protocol. */
  const commands = {
    start(_, command) {
      const { mode, run = 'main' } = command;
      if (mode !== 'query') throw new Unsupported('a client');
      const tell = (what, fields) => write({ event: 'observed', run, what, ...fields });
      const session = new Session(command, tell);
      session.start(command);
      sessions.set(run, session);
    },
    send: (session, { content, fields }) => session.send(content, fields),
    end_input: (session) => session.endInput(),
    call,
    pause: (session) => session.pause(),
    resume: (session) => session.resume(),
    close: (session) => void session.close(),
    cue: (session, { name }) => session.cue(name),
    async finish() {
      const all = [...sessions.values()];
      sessions.clear();
      await Promise.all(all.map((session) => session.close()));
    },
  };
  return {
    async handle(command) {
      const { command: name, run = 'main' } = command;
      if (commands[name] === undefined) throw new Unsupported(`command ${name}`);
      return commands[name](sessions.get(run), command);
    },
    errorOf: normal,
  };
});
