import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';

/** The answer of PreToolUse that keeps the tool from running; the model reads the reason. */
export function denial(reason: string): SyncHookJSONOutput {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  };
}
