#!/usr/bin/env node
/**
 * Driver for the official TypeScript SDK, installed without its binary: the player is its CLI.
 *
 *   node driver.mjs
 */
import { readFileSync } from 'node:fs';
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import * as z from 'zod';
import { serveTypeScriptSdk, WAYS } from '../official-surface/serve-typescript-sdk.mjs';

/** Its `package.json` is not among the package's exports. */
const { version } = JSON.parse(
  readFileSync(new URL('package.json', import.meta.resolve('@anthropic-ai/claude-agent-sdk')), 'utf8'),
);

const CALLS = `accountInfo applyFlagSettings backgroundTasks getContextUsage initializationResult interrupt
  mcpServerStatus readFile readMcpResource reconnectMcpServer reinitialize reloadOutputStyles reloadPlugins reloadSkills
  rewindFiles seedReadState setMaxThinkingTokens setMcpPermissionModeOverride setMcpServers setModel setPermissionMode
  stopTask streamInput supportedAgents supportedCommands supportedModels toggleMcpServer updateSettings`.split(/\s+/);
const FEATURES = `query query-stream abort break pause stderr hooks can_use_tool mcp elicitation dialog session_store
  session_store:seed session_store:callbacks sessions callback-abort parallel-callbacks mcp:manifests
  option:loadTimeoutMs`.split(/\s+/);

const KINDS = {
  aborted: 'aborted',
  executable_not_found: 'not_found',
  executable_launch_failed: 'launch',
  query_closed: 'closed',
  process_error: 'process_exit',
  process_exited_nonzero: 'process_exit',
  process_killed_by_signal: 'process_exit',
  error_result: 'result',
  control_request_failed: 'control',
  initialize_timeout: 'timeout',
};

await serveTypeScriptSdk(
  {
    driver: 'official-ts',
    sdk: '@anthropic-ai/claude-agent-sdk',
    version,
    language: 'typescript',
    features: [...FEATURES, ...WAYS, ...CALLS.map((method) => `call:${method}`)],
  },
  {
    query: sdk.query,
    makeServer: (name, serverVersion, tools) =>
      sdk.createSdkMcpServer({
        name,
        ...(serverVersion === undefined ? {} : { version: serverVersion }),
        tools: tools.map(({ name: tool, description, inputSchema, handler, ...extras }) =>
          sdk.tool(tool, description, shapeOf(inputSchema), handler, extras),
        ),
      }),
    functions: sdk,
    classify: (error) => ({
      kind: kindOf(error),
      ...(typeof error.exitCode === 'number' ? { exit_code: error.exitCode } : {}),
      ...(typeof error.errorCode === 'string' ? { error_code: error.errorCode } : {}),
      ...(typeof error.signal === 'string' ? { signal: error.signal } : {}),
    }),
  },
);

function kindOf(error) {
  if (error instanceof sdk.AbortError) return 'aborted';
  const known = KINDS[error.errorClass];
  if (known !== undefined) return known;
  // Some of its errors have no class, only their text.
  if (/closed before response|not ready for writing|terminated process/i.test(error.message)) {
    return 'closed';
  }
  return 'other';
}

/** Its tools take zod shapes, and no JSON Schema. */
function shapeOf({ properties = {}, required = [] } = {}) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const type = z.fromJSONSchema(schema);
      return [name, required.includes(name) ? type : type.optional()];
    }),
  );
}
