import type { ToolCall } from './hook-input.js';
import type { HookRun, HookState } from './hook-run.js';

/** A call has ended, whoever reports it. */
export function countCall({ toolName, toolUseId }: ToolCall, run: HookRun, state: HookState): void {
  state.toolCount += 1;
  state.toolsUsed.set(toolName, (state.toolsUsed.get(toolName) ?? 0) + 1);
  if (toolUseId !== undefined) run.callIds.forget(toolUseId);
}
