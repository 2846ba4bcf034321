import type { HookState } from './hook-run.js';

export function createHookState(): HookState {
  return {
    stopReason: undefined,
    toolCount: 0,
    limitStop: undefined,
    structuredOutput: undefined,
    denials: [],
    toolsUsed: new Map(),
  };
}
