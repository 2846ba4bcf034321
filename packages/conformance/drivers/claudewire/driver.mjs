#!/usr/bin/env node
/**
 * Driver for claudewire.
 *
 *   node driver.mjs [--sdk PATH] [--client]
 *
 * With `--client` it has no query, and the kit maps queries onto its client. PATH is the entry file of the package under test (`dist/index.js`); without it, `claudewire` is imported by name.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { serveTypeScriptSdk, WAYS } from '../official-surface/serve-typescript-sdk.mjs';

const { values } = parseArgs({ options: { sdk: { type: 'string' }, client: { type: 'boolean', default: false } } });
const sdk = await import(values.sdk === undefined ? 'claudewire' : pathToFileURL(resolve(values.sdk)).href);

const CALLS = [
  ...['applyFlagSettings', 'accountInfo', 'backgroundTasks', 'getContextUsage', 'initializationResult'],
  ...['cancelAsyncMessage', 'getHooksListing', 'getSettings', 'listPermissionRules'],
  ...['interrupt', 'mcpServerStatus', 'readFile', 'readMcpResource', 'reconnectMcpServer', 'reinitialize'],
  ...['reloadOutputStyles', 'reloadPlugins', 'reloadSkills', 'rewindFiles', 'seedReadState', 'setMaxThinkingTokens'],
  ...['setMcpPermissionModeOverride', 'setMcpServers', 'setModel', 'setPermissionMode', 'stopTask', 'streamInput'],
  ...['supportedAgents', 'supportedCommands', 'supportedModels', 'toggleMcpServer', 'updateSettings', 'request'],
];
/** The client awaits the answer to `initialize`. */
const OF_A_QUERY = ['query:native', 'initialize:pipelined'];
const FEATURES = [
  ...['query', 'query-stream', 'client', 'abort', 'break', 'pause', 'stderr', 'hooks', 'can_use_tool', 'mcp'],
  ...['elicitation', 'dialog', 'session_store', 'session_store:seed', 'session_store:callbacks', 'sessions'],
  ...['callback-abort', 'callback:in-order', 'parallel-callbacks', 'mcp:manifests'],
  ...WAYS.filter((way) => !(values.client && OF_A_QUERY.includes(way))),
  ...['controlTimeoutMs', 'deadlineMs', 'exitGraceMs', 'idleTimeoutMs', 'incompleteStream'].map(option),
  ...['initializeTimeoutMs', 'loadTimeoutMs', 'maxBufferBytes', 'maxQueuedBytes', 'onHookError'].map(option),
  ...CALLS.map((method) => `call:${method}`),
];

const KINDS = {
  aborted: 'aborted',
  executable_not_found: 'not_found',
  executable_launch_failed: 'launch',
  connection_failed: 'launch',
  query_closed: 'closed',
  not_connected: 'closed',
  process_error: 'process_exit',
  process_exited_nonzero: 'process_exit',
  process_killed_by_signal: 'process_exit',
  error_result: 'result',
  frame_invalid: 'json',
  frame_too_large: 'frame_too_large',
  message_invalid: 'parse',
  control_request_failed: 'control',
  control_request_timeout: 'timeout',
  initialize_timeout: 'timeout',
  idle_timeout: 'timeout',
  deadline_exceeded: 'timeout',
  session_store_timeout: 'timeout',
  invalid_option: 'invalid_option',
};

await serveTypeScriptSdk(
  { driver: 'claudewire', sdk: 'claudewire', version: sdk.VERSION, language: 'typescript', features: FEATURES },
  {
    ...(values.client ? {} : { query: sdk.query }),
    makeClient: (options) => new sdk.ClaudeClient(options),
    clientNames: { initializationResult: 'getServerInfo' },
    makeServer: (name, version, tools) =>
      sdk.createSdkMcpServer({
        name,
        ...(version === undefined ? {} : { version }),
        tools: tools.map(({ name: tool, description, inputSchema, handler, ...extras }) =>
          sdk.tool(tool, description, inputSchema ?? { type: 'object' }, handler, extras),
        ),
      }),
    functions: sdk,
    classify: (error) => ({
      kind: KINDS[error.errorClass] ?? 'other',
      ...(typeof error.exitCode === 'number' ? { exit_code: error.exitCode } : {}),
      ...(typeof error.errorCode === 'string' ? { error_code: error.errorCode } : {}),
      ...(typeof error.signal === 'string' ? { signal: error.signal } : {}),
    }),
  },
);

function option(name) {
  return `option:${name}`;
}
