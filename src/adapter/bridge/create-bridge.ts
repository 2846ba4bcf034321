import type { ServedTool, ToolServer } from '../runtime/agent-runtime.js';
import type { BridgeInput } from './bridge-input.js';
import { serveCall } from './serve-call.js';

const VERSION = '1.0.0';
/** Else the CLI hides the tool from the model behind its tool search when many tools are on. */
const ALWAYS_LOAD = { 'anthropic/alwaysLoad': true } as const;

/** The prompt's tools as an in-process MCP server; `undefined` when none of them has a handler. */
export function createBridge(input: BridgeInput): ToolServer | undefined {
  const { bridgeName, run } = input;
  const tools = input.tools.flatMap((tool): ServedTool[] => {
    const { name, description, handler, inputSchema } = tool;
    if (handler === undefined) return [];
    run.log.debug('bridge.tool_registered', { toolName: name });
    return [
      {
        name,
        description,
        inputSchema,
        _meta: ALWAYS_LOAD,
        call: (args, extra) => serveCall({ tool, handler, args, extra }, input),
      },
    ];
  });
  if (tools.length === 0) return undefined;
  run.log.info('bridge.mcp_server_created', { serverName: bridgeName, toolCount: tools.length });
  return { name: bridgeName, version: VERSION, tools };
}
