import { deliver } from '../logging/log.js';
import { createToolInvoked } from '../state/index.js';
import type { BridgeInput } from './bridge-input.js';
import type { CallOutcome } from './call-outcome.js';
import type { BridgedCall } from './serve-call.js';

interface EndedCall extends CallOutcome {
  readonly callId: string | undefined;
  readonly durationMs: number;
}

/** Tells the session. A bus that fails takes the answer away from nobody. */
export function publishCall({ tool, args }: BridgedCall, ended: EndedCall, bridge: BridgeInput) {
  const { run } = bridge;
  const { result, text, callId, durationMs } = ended;
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
