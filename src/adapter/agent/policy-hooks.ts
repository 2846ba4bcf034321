import type { HookCallback, HookCallbackMatcher, HookInput } from '../../index.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Log } from '../logging/log.js';
import type { PermissionPlan } from './permission-plan.js';

/** In seconds, as on the wire. The tool does not run when a PreToolUse hook times out. */
const TIMEOUT_S = 30;

interface PolicyHookContext {
  /** Called with the id of each denied call. */
  readonly onRefused: (toolUseId: string) => void;
  readonly log: Log;
}

/**
 * The PreToolUse hooks that enforce a policy where the CLI would not ask: under allow rules, in permissive modes, in a
 * sandbox. A hook that fails denies.
 */
export function policyHooks(plan: PermissionPlan, context: PolicyHookContext): HookCallbackMatcher[] {
  const { hookDenials, hookAsks, hookByInput } = plan;
  return [
    ...(hookDenials.length === 0 ? [] : [matcherFor(hookDenials, denying(plan, context))]),
    ...(hookAsks.length === 0 ? [] : [matcherFor(hookAsks, asking(plan, context))]),
    ...(hookByInput.length === 0 ? [] : [matcherFor(hookByInput, judgingInput(plan, context))]),
  ];
}

/**
 * The WorktreeCreate hook of a policy that denies writing. The CLI leaves the making of worktrees to such a hook, and
 * this one makes none. It is needed because the definition of an agent can ask for a worktree, unseen in the call.
 */
export function worktreeHooks({ deniesWrites }: PermissionPlan): HookCallbackMatcher[] {
  return deniesWrites ? [{ hooks: [() => ({})], timeout: TIMEOUT_S }] : [];
}

function matcherFor(tools: readonly string[], hook: HookCallback): HookCallbackMatcher {
  // The CLI reads it as names or as a pattern and may match more, so the hooks check the name again.
  const matcher = tools.map((name) => name.replace(/[^\w-]/g, '\\$&')).join('|');
  return { matcher, hooks: [hook], timeout: TIMEOUT_S, onFailure: 'block' };
}

function denying(plan: PermissionPlan, context: PolicyHookContext): HookCallback {
  return guarded(context, (toolName) =>
    plan.levelOf(toolName) === 'deny' ? { decision: 'deny', reason: denialText(plan, toolName) } : undefined,
  );
}

function asking(plan: PermissionPlan, context: PolicyHookContext): HookCallback {
  return guarded(context, (toolName) => (plan.levelOf(toolName) === 'ask' ? { decision: 'ask' } : undefined));
}

/** The CLI never asks about these tools, so `ask` without a handler is a denial. */
function judgingInput(plan: PermissionPlan, context: PolicyHookContext): HookCallback {
  return guarded(context, (toolName, input) => {
    const level = plan.levelOf(toolName, input);
    if (level === 'deny') return { decision: 'deny', reason: denialText(plan, toolName, input) };
    // A tool at `ask` whatever its input has the other hook.
    if (level !== 'ask' || level === plan.levelOf(toolName)) return undefined;
    if (plan.hasHandler) return { decision: 'ask' };
    return { decision: 'deny', reason: unapprovedText(toolName) };
  });
}

type Verdict = { readonly decision: 'deny' | 'ask'; readonly reason?: string };

/** Contains every failure inside: a policy check that fails denies. */
function guarded(
  { onRefused, log }: PolicyHookContext,
  judge: (toolName: string, input: JsonObject) => Verdict | undefined,
): HookCallback {
  return (input, toolUseId) => {
    let verdict: Verdict | undefined;
    try {
      verdict = judge(toolNameIn(input), toolInputIn(input));
    } catch (error) {
      log.error('hook.error', {
        error: errorText(error),
        errorType: error instanceof Error ? error.name : typeof error,
        hookEvent: 'PreToolUse',
      });
      verdict = { decision: 'deny', reason: 'Hook failed' };
    }
    if (verdict === undefined) return {};
    if (verdict.decision === 'deny') onRefused(toolUseId ?? '');
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: verdict.decision,
        ...(verdict.reason === undefined ? {} : { permissionDecisionReason: verdict.reason }),
      },
    };
  };
}

function toolNameIn(input: HookInput): string {
  const name: unknown = 'tool_name' in input ? input.tool_name : undefined;
  if (typeof name !== 'string') throw new TypeError('PreToolUse came without a tool name');
  return name;
}

function toolInputIn(input: HookInput): JsonObject {
  const given: unknown = 'tool_input' in input ? input.tool_input : undefined;
  return isJsonObject(given) ? given : {};
}

/** The text for the model. */
export function denialText(plan: PermissionPlan, toolName: string, input?: JsonObject): string {
  return `The permission policy denies ${plan.capabilityOf(toolName, input) ?? 'this'}: ${toolName} was not run`;
}

/** The text for the model where nobody can be asked. */
export function unapprovedText(toolName: string): string {
  return `${toolName} needs approval, and nobody is there to give it`;
}
