import { deliver } from '../logging/log.js';
import type { ServedResult, ServedTool, ToolServer } from '../runtime/agent-runtime.js';
import { createToolInvoked } from '../state/index.js';
import { type BridgedCall, type BridgeInput, type CallOutcome, callOutcome } from './call-outcome.js';

const VERSION = '1.0.0';
/** Without it, the CLI hides the tool behind its tool search when there are many tools. */
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

/** Answers a call and reports it, exactly once. Never rejects. */
async function serveCall(call: BridgedCall, bridge: BridgeInput): Promise<ServedResult> {
  const startedAt = performance.now();
  const callId = callIdOf(call, bridge);
  const outcome = await callOutcome(call, callId, bridge);
  publishCall(call, outcome, { callId, durationMs: performance.now() - startedAt }, bridge);
  return { content: [{ type: 'text', text: outcome.text }], isError: !outcome.result.success };
}

/** The id in the request, else the id of the oldest equal call that PreToolUse saw. */
function callIdOf({ tool, args, extra }: BridgedCall, { run }: BridgeInput): string | undefined {
  const named: unknown = extra._meta?.['claudecode/toolUseId'];
  if (typeof named !== 'string' || named === '') return run.callIds.take(tool.name, args);
  run.callIds.forget(named);
  return named;
}

/** A failing event bus never affects the tool result. */
function publishCall(
  { tool, args }: BridgedCall,
  { result, text }: CallOutcome,
  { callId, durationMs }: { readonly callId: string | undefined; readonly durationMs: number },
  { run }: BridgeInput,
): void {
  deliver(run.log, { handler: 'bus', type: 'toolInvoked' }, () =>
    run.session.eventBus.publish(
      createToolInvoked({
        adapter: run.adapterName,
        sessionId: run.session.sessionId,
        promptName: run.promptName,
        name: tool.name,
        params: args,
        result,
        success: result.success,
        error: result.success ? undefined : text,
        value: result.value,
        renderedOutput: text,
        callId,
        durationMs,
        source: 'bridge',
        resultSlice: tool.resultSlice,
      }),
    ),
  );
}
