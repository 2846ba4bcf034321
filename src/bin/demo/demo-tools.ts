import { setImmediate as messagesBefore } from 'node:timers/promises';
import {
  type CanUseTool,
  createSdkMcpServer,
  type HookCallback,
  type McpSdkServerConfigWithInstance,
  tool,
} from '../../index.js';
import type { DemoListener } from './demo-events.js';

export const LINES_PER_PAGE = 40;
/** The reason that the model gets for everything that is refused. */
export const DENIED = 'The demo allows only commands that read.';
/** One command of a few that only read, with plain words behind it: no operators, no quotes, no substitution. */
const READ_ONLY_COMMAND = /^(cat|date|echo|head|ls|pwd|tail|wc)( [\w./-]+)*$/;

const OWN_TOOL = 'mcp__demo__pages';

/*
 * A callback runs as soon as the CLI asks, while messages that came before may still wait for the loop
 * that shows them. Each callback lets that loop go first (`messagesBefore`), so that the order on the screen is the CLI's.
 */

/** An MCP server in this process, with one tool. */
export function demoServer(emit: DemoListener): McpSdkServerConfigWithInstance {
  const pages = tool(
    'pages',
    `How many pages a number of lines fills, at ${LINES_PER_PAGE} lines a page`,
    {
      type: 'object',
      properties: { lines: { type: 'number', minimum: 0 } },
      required: ['lines'],
    },
    async ({ lines }) => {
      await messagesBefore();
      const text = `${Number(lines) / LINES_PER_PAGE} pages`;
      emit({ type: 'in_process_tool', name: 'pages', result: text });
      return { content: [{ type: 'text', text }] };
    },
    { annotations: { readOnlyHint: true }, alwaysLoad: true },
  );
  return createSdkMcpServer({ name: 'demo', version: '1.0.0', tools: [pages] });
}

/** Allows the demo's own tool and commands that only read, in every session; refuses everything else. */
export function permissionPolicy(emit: DemoListener): CanUseTool {
  return async (toolName, input) => {
    await messagesBefore();
    const allowed = reasonToAllow(toolName, input);
    const reason = allowed ?? DENIED;
    const decision = allowed === undefined ? 'deny' : 'allow';
    emit({ type: 'permission', tool: toolName, input, decision, reason });
    return decision === 'allow'
      ? { behavior: 'allow', updatedInput: input }
      : { behavior: 'deny', message: reason };
  };
}

function reasonToAllow(toolName: string, input: Record<string, unknown>): string | undefined {
  if (toolName === OWN_TOOL) return 'it is the demo’s own';
  const command = toolName === 'Bash' ? input.command : undefined;
  return typeof command === 'string' && READ_ONLY_COMMAND.test(command)
    ? 'the command only reads'
    : undefined;
}

/** Watches every tool call, and has no opinion. */
export function watchingHook(emit: DemoListener): HookCallback {
  return async (input) => {
    await messagesBefore();
    if (input.hook_event_name === 'PreToolUse') {
      emit({ type: 'hook', event: input.hook_event_name, tool: String(input.tool_name) });
    }
    return {};
  };
}
