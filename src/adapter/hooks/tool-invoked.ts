import { deliver } from '../logging/log.js';
import { createToolInvoked } from '../state/index.js';
import type { ToolCall } from './hook-input.js';
import type { HookRun } from './hook-run.js';
import { limitOf } from './limit-of.js';
import { renderedOutput } from './rendered-output.js';

/** How a native call ended. */
export interface ToolOutcome {
  /** As the CLI gave it. */
  readonly result: unknown;
  readonly success: boolean;
  readonly error?: string | undefined;
}

/** Tells the session. A bus that fails takes nothing away from the hook, but for the limits it reports. */
export function publishToolInvoked(call: ToolCall, outcome: ToolOutcome, run: HookRun): void {
  const { toolName, toolInput, toolUseId, input } = call;
  const { duration_ms: durationMs, agent_id: agentId } = input;
  run.log.debug('hook.tool_invoked', { toolName, success: outcome.success, callId: toolUseId });
  let limit: unknown;
  const publish = () =>
    run.session.eventBus.publish(
      createToolInvoked({
        adapter: run.adapterName,
        sessionId: run.session.sessionId,
        promptName: run.promptName,
        name: toolName,
        params: toolInput,
        result: outcome.result,
        success: outcome.success,
        error: outcome.error,
        renderedOutput: renderedOutput(outcome.result),
        callId: toolUseId,
        durationMs: typeof durationMs === 'number' ? durationMs : undefined,
        source: 'native',
        agentId: typeof agentId === 'string' ? agentId : undefined,
      }),
    );
  deliver(run.log, { handler: 'bus', type: 'toolInvoked' }, () => {
    try {
      return publish();
    } catch (error) {
      if (limitOf(error) === undefined) throw error;
      limit = error;
      return undefined;
    }
  });
  if (limit !== undefined) throw limit;
}
