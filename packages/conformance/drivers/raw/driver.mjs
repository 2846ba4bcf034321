#!/usr/bin/env node
/**
 * A driver with no SDK behind it: it starts the CLI and writes the frames by hand. It shows that the scenarios ask
 * for the protocol and not for one SDK's ways, and what a driver is made of (docs/conformance.md walks through it).
 *
 *   node driver.mjs
 */
import { serve, Unsupported } from '../kit/driver-kit.mjs';
import { Session } from './session.mjs';

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
  ...['callback-abort', 'parallel-callbacks', 'hooks:throws', 'hooks:raw'],
  ...['hooks:unknown-event', 'can_use_tool:throws', 'can_use_tool:raw', 'elicitation:throws'],
  ...['query:native', 'query:text', 'query:methods', 'query:close', 'messages:frames'],
  ...['environment:replaced', 'environment:node', 'system-prompt:initialize'],
  ...['prompt:blocks', 'initialize', 'initialize:pipelined', 'agents:initialize', 'environment:version', 'error:kinds'],
  ...['messages:ids', 'messages:figures', 'answers:shown'],
  ...['callback:tool-use-id', 'callback:unknown-fields', 'callback:permission-context'],
  ...[...Object.keys(METHODS), ...Object.keys(OF_INITIALIZE)].map((method) => `call:${method}`),
];

async function call(session, method, args) {
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

await serve({
  hello: { driver: 'raw', sdk: 'none', version: '1', language: 'javascript', features: FEATURES },
  hasQuery: true,
  session(start) {
    if (start.mode === 'client') throw new Unsupported('a client');
    const session = new Session(start);
    session.start(start);
    return {
      send: (content, fields) => session.send(content, fields),
      endInput: () => session.endInput(),
      receive: () => session.receive(),
      call: (method, args) => call(session, method, args),
      disconnect: () => session.close(),
    };
  },
  classify: ({ normal = { kind: 'other' } }) => normal,
});
