import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import { networkDecision } from '../isolation/network-policy.js';
import { serverToolNames } from '../options/server-tools.js';
import { namesOfTool } from '../options/tool-names.js';
import { type Session, ToolPermissions } from '../state/index.js';
import { type HookRun, logHookError, reachedLimit } from './hook-run.js';
import { checkPaths } from './path-check.js';
import { denial, deny, HookInputError, readToolCall, type ToolCall, type Verdict } from './tool-call.js';

/** A throw counts as a denial, by way of `safeHook()`. */
type Check = (call: ToolCall, run: HookRun) => Verdict | Promise<Verdict>;

/** In this order; the first objection counts. A path is rewritten only when nothing objects before. */
const CHECKS: readonly Check[] = [
  checkLimits,
  checkBlockedTools,
  checkSandboxEscape,
  checkNetwork,
  checkPaths,
  checkDurableCrons,
];

/** @throws {@link HookInputError}, and what a check throws: `safeHook()` makes a denial of both. */
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
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: verdict.updatedInput } };
}

async function firstVerdict(call: ToolCall, run: HookRun): Promise<Verdict> {
  for (const check of CHECKS) {
    const verdict = await check(call, run);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

async function checkLimits(_call: ToolCall, run: HookRun): Promise<Verdict> {
  if (run.budgetTracker !== undefined) await run.usageKnown?.();
  const limit = reachedLimit(run);
  return limit && deny(limit.reason, limit.logEvent);
}

/** The session's own tool policy, read at each call: it may change during the run. */
function checkBlockedTools(call: ToolCall, { session, bridgePrefix }: HookRun): Verdict {
  const by = blockedBy(session, namesOf(call, bridgePrefix));
  if (by === undefined) return undefined;
  const why = `The tool ${call.toolName} is blocked by the session policy`;
  // A rule such as `Bash(rm:*)` cannot be applied here, so it blocks the whole tool.
  return deny(by.includes('(') ? `${why}, which has \`${by}\`: the whole tool is blocked` : why);
}

/** Whether the policy, as it is now, blocks every call of a tool. */
export function isBlocked(session: Session, toolName: string, bridgePrefix: string): boolean {
  return blockedBy(session, namesOf({ toolName, toolInput: {} }, bridgePrefix)) !== undefined;
}

/** The first entry that blocks one of the names. */
function blockedBy(session: Session, names: readonly string[]): string | undefined {
  const blocked = session.query(ToolPermissions).latest()?.blocked ?? [];
  return blocked.find((entry) => covers(entry, names));
}

/** The names by which an entry may block the call. */
function namesOf(
  { toolName, toolInput }: Pick<ToolCall, 'toolName' | 'toolInput'>,
  bridgePrefix: string,
): readonly string[] {
  // A bridged tool also has the name it was defined with.
  if (toolName.startsWith(bridgePrefix)) return [toolName, toolName.slice(bridgePrefix.length)];
  const names = namesOfTool(toolName);
  // It runs a shell command, as Bash does.
  return toolName === 'Monitor' && 'command' in toolInput ? [...names, 'Bash'] : names;
}

/** Whether a denying entry is about one of the names. It may have wildcards, and other characters in a server's name. */
export function covers(entry: string, names: readonly string[]): boolean {
  const blocked = ruleName(entry);
  const forms = [blocked, ...serverToolNames(blocked).flatMap((name) => [name, `${name}__*`])];
  return forms.some((form) => {
    const source = form
      .replace(/[^\w*?]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replaceAll('?', '.');
    return names.some((name) => new RegExp(`^${source}$`, 's').test(name));
  });
}

/** The tool that a permission rule is about: `Bash(git:*)` is about `Bash`. */
export function ruleName(rule: string): string {
  return rule.replace(/\(.*/s, '').trim();
}

/** The CLI ignores the flag where it is not allowed. The denial tells the model why its command is confined. */
function checkSandboxEscape({ toolName, toolInput }: ToolCall, { isolation }: HookRun): Verdict {
  const isEscape =
    isolation !== undefined &&
    !isolation.allowUnsandboxedCommands &&
    // Bash, and every other tool of the CLI that runs commands.
    !toolName.startsWith('mcp__') &&
    // A model may write it as a string, and the CLI may accept that.
    [true, 'true'].includes(toolInput.dangerouslyDisableSandbox as boolean);
  return isEscape
    ? deny('Commands outside the sandbox are not allowed; run it without dangerouslyDisableSandbox')
    : undefined;
}

/** The CLI's web tools run outside of any sandbox, so the policy is enforced here or nowhere. */
function checkNetwork({ toolName, toolInput }: ToolCall, { isolation }: HookRun): Verdict {
  if (isolation === undefined) return undefined;
  const decision = networkDecision(isolation.networkPolicy, toolName, toolInput);
  return decision.allowed ? undefined : deny(decision.reason);
}

/** The CLI keeps a durable schedule in the working directory. A later start there would run it without any limit. */
function checkDurableCrons({ toolName, toolInput }: ToolCall, { isolation }: HookRun): Verdict {
  const isDurable =
    isolation !== undefined &&
    toolName === 'CronCreate' &&
    // Everything else the CLI may take for true.
    ![undefined, null, false, 'false'].includes(toolInput.durable as undefined);
  return isDurable ? deny('A durable schedule would outlive the run; create it without durable') : undefined;
}

/** Bookkeeping for the bridge: failures are logged and ignored. */
function queueCallId({ toolName, toolInput, toolUseId }: ToolCall, run: HookRun): void {
  if (toolUseId === undefined || !toolName.startsWith(run.bridgePrefix)) return;
  try {
    run.callIds.push(toolName.slice(run.bridgePrefix.length), toolInput, toolUseId);
  } catch (error) {
    logHookError(run.log, 'PreToolUse', error);
  }
}
