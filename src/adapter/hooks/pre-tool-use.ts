import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import { checkBlockedTools } from './checks/blocked-tools.js';
import type { Check, Verdict } from './checks/check.js';
import { checkDurableCrons } from './checks/durable-crons.js';
import { checkLimits } from './checks/limits.js';
import { checkNetwork } from './checks/network.js';
import { checkPaths } from './checks/paths.js';
import { checkSandboxEscape } from './checks/sandbox-escape.js';
import { denial } from './denial.js';
import { HookInputError, readToolCall, type ToolCall } from './hook-input.js';
import { logHookError } from './hook-log.js';
import type { HookRun } from './hook-run.js';

/** In this order; the first objection counts. A path is rewritten only when nothing objects before. */
const CHECKS: readonly Check[] = [
  checkLimits,
  checkBlockedTools,
  checkSandboxEscape,
  checkNetwork,
  checkPaths,
  checkDurableCrons,
];

/** @throws {@link HookInputError}, and what a check throws: the safe wrapper makes a denial of both. */
export async function preToolUse(
  input: unknown,
  run: HookRun,
  toolUseId: string | undefined,
): Promise<SyncHookJSONOutput> {
  const call = readToolCall(input, toolUseId);
  if (call === undefined) throw new HookInputError('PreToolUse came without a tool name');
  const verdict = await firstVerdict(call, run);
  if (verdict?.kind === 'deny') {
    run.log.warn(verdict.logEvent, { toolName: call.toolName });
    return denial(verdict.reason);
  }
  queueCallId(call, run);
  if (verdict === undefined) return {};
  run.log.debug('hook.path_rewritten', { toolName: call.toolName, field: verdict.field });
  // No decision: the new input applies without one, and rewriting approves nothing.
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: verdict.updatedInput },
  };
}

async function firstVerdict(call: ToolCall, run: HookRun): Promise<Verdict> {
  for (const check of CHECKS) {
    const verdict = await check(call, run);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** Bookkeeping for the bridge: a failure here stands in nobody's way. */
function queueCallId({ toolName, toolInput, toolUseId }: ToolCall, run: HookRun): void {
  if (toolUseId === undefined || !toolName.startsWith(run.bridgePrefix)) return;
  try {
    run.callIds.push(toolName.slice(run.bridgePrefix.length), toolInput, toolUseId);
  } catch (error) {
    logHookError(run.log, 'PreToolUse', error);
  }
}
