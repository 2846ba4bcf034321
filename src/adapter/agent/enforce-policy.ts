import type { CanUseTool, HookCallback, HookCallbackMatcher, PermissionResult } from '../../index.js';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject, omitUndefined } from '../../util/json.js';
import { untilAborted } from '../../util/race.js';
import { errorFields, type Log } from '../logging/log.js';
import type { AgentPermissionRequest, OnPermissionRequest } from './agent-types.js';
import type { PermissionPlan } from './permission-plan.js';

/* A policy is enforced twice: by hooks, where the CLI would not ask, and by the callback, where it does. */

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
  const denying: Judge = (toolName) =>
    plan.levelOf(toolName) === 'deny' ? { decision: 'deny', reason: denialText(plan, toolName) } : undefined;
  const asking: Judge = (toolName) => (plan.levelOf(toolName) === 'ask' ? { decision: 'ask' } : undefined);
  const byInput: Judge = (toolName, input) => {
    const level = plan.levelOf(toolName, input);
    if (level === 'deny') return { decision: 'deny', reason: denialText(plan, toolName, input) };
    // A tool at `ask` whatever its input has the other hook.
    if (level !== 'ask' || level === plan.levelOf(toolName)) return undefined;
    // The CLI never asks about these tools, so `ask` without a handler is a denial.
    return plan.hasHandler ? { decision: 'ask' } : { decision: 'deny', reason: unapprovedText(toolName) };
  };
  return [
    ...matchersFor(plan.hookDenials, guarded(context, denying)),
    ...matchersFor(plan.hookAsks, guarded(context, asking)),
    ...matchersFor(plan.hookByInput, guarded(context, byInput)),
  ];
}

/**
 * The WorktreeCreate hook of a policy that denies writing. The CLI leaves the making of worktrees to such a hook, and
 * this one makes none. It is needed because the definition of an agent can ask for a worktree, unseen in the call.
 */
export function worktreeHooks({ deniesWrites }: PermissionPlan): HookCallbackMatcher[] {
  return deniesWrites ? [{ hooks: [async () => ({})], timeout: TIMEOUT_S }] : [];
}

function matchersFor(tools: readonly string[], hook: HookCallback): HookCallbackMatcher[] {
  if (tools.length === 0) return [];
  // The CLI reads it as names or as a pattern and may match more, so the hooks check the name again.
  const matcher = tools.map((name) => name.replace(/[^\w*-]/g, '\\$&').replace('*', '.*')).join('|');
  return [{ matcher, hooks: [hook], timeout: TIMEOUT_S, onFailure: 'block' }];
}

type Verdict = { readonly decision: 'deny' | 'ask'; readonly reason?: string };
type Judge = (toolName: string, input: JsonObject) => Verdict | undefined;

/** Contains every failure inside: a policy check that fails denies. */
function guarded({ onRefused, log }: PolicyHookContext, judge: Judge): HookCallback {
  return async (input, toolUseId) => {
    let verdict: Verdict | undefined;
    try {
      const { tool_name: name, tool_input: toolInput } = input as { tool_name?: unknown; tool_input?: unknown };
      if (typeof name !== 'string') throw new TypeError('PreToolUse came without a tool name');
      verdict = judge(name, isJsonObject(toolInput) ? toolInput : {});
    } catch (error) {
      log.error('hook.error', { ...errorFields(error), hookEvent: 'PreToolUse' });
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

/** The text for the model. */
function denialText(plan: PermissionPlan, toolName: string, input?: JsonObject): string {
  return `The permission policy denies ${plan.capabilityOf(toolName, input) ?? 'this'}: ${toolName} was not run`;
}

/** The text for the model where nobody can be asked. */
function unapprovedText(toolName: string): string {
  return `${toolName} needs approval, and nobody is there to give it`;
}

interface PermissionCallbackContext extends PolicyHookContext {
  readonly onPermissionRequest: OnPermissionRequest | undefined;
  /** Aborts when the run is aborted or over. */
  readonly signal: AbortSignal;
  readonly sessionId: () => string;
  /** Called for every call that needs a decision, also when there is no handler. */
  readonly onQuestion: (request: AgentPermissionRequest) => void;
  /** Called when a denial also ends the turn. */
  readonly onInterrupt: () => void;
}

/** Answers the CLI's permission questions by the policy. Never throws: anything that is not clearly an allow denies. */
export function permissionCallback(plan: PermissionPlan, context: PermissionCallbackContext): CanUseTool {
  const { onPermissionRequest, onRefused, onInterrupt, log } = context;
  const decide = async (...[toolName, input, options]: Parameters<CanUseTool>): Promise<PermissionResult> => {
    const level = plan.levelOf(toolName, input);
    if (level === 'deny') return deny(denialText(plan, toolName, input));
    const isHandlers = level === 'ask' || (level === undefined && onPermissionRequest !== undefined);
    if (!isHandlers) return { behavior: 'allow', updatedInput: input };
    const reason = options.decisionReason || options.title || options.description;
    const request: AgentPermissionRequest = {
      toolName,
      toolUseId: options.toolUseID ?? '',
      input,
      capability: plan.capabilityOf(toolName, input),
      sessionId: context.sessionId(),
      ...omitUndefined({ reason: reason || undefined, agentId: options.agentID }),
      suggestions: options.suggestions ?? [],
    };
    context.onQuestion(request);
    if (onPermissionRequest === undefined) return deny(unapprovedText(toolName));
    return asked(onPermissionRequest, request, [context.signal, options.signal], log);
  };
  return async (toolName, input, options) => {
    const result = await decide(toolName, input, options);
    if (result.behavior === 'deny') {
      onRefused(options.toolUseID ?? '');
      if (result.interrupt === true) onInterrupt();
    }
    return result;
  };
}

/** Asks the handler. Aborted, it is not waited for. */
async function asked(
  onPermissionRequest: OnPermissionRequest,
  request: AgentPermissionRequest,
  signals: readonly AbortSignal[],
  log: Log,
): Promise<PermissionResult> {
  const { toolName } = request;
  const withdrawn = new AbortController();
  const giveUp = (): PermissionResult => {
    withdrawn.abort();
    return deny(`${toolName} was not decided about: the question was withdrawn`);
  };
  try {
    const decision: unknown = await untilAborted(
      signals,
      () => onPermissionRequest(request, { signal: withdrawn.signal }),
      giveUp,
    );
    return resultOf(decision, request, log);
  } catch (error) {
    log.error('permission.handler_error', { toolName, ...errorFields(error) });
    return deny(`${toolName} was not approved: the permission handler failed`);
  }
}

function resultOf(decision: unknown, request: AgentPermissionRequest, log: Log): PermissionResult {
  const { toolName, input } = request;
  if (decision === 'allow') return { behavior: 'allow', updatedInput: input };
  if (decision === 'deny') return deny(`${toolName} was not approved`);
  if (isJsonObject(decision)) {
    const { behavior, updatedInput = input, message = `${toolName} was not approved` } = decision;
    // The SDK checks the other fields of the decision before it sends them.
    if (behavior === 'allow' && isJsonObject(updatedInput)) return { ...decision, behavior, updatedInput };
    if (behavior === 'deny' && typeof message === 'string') return { ...decision, behavior, message };
  }
  log.error('permission.handler_error', {
    toolName,
    error: `the handler must return 'allow', 'deny' or {behavior}; got ${describeValue(decision)}`,
    errorType: 'TypeError',
  });
  return deny(`${toolName} was not approved: the permission handler gave no decision`);
}

function deny(message: string): PermissionResult & { behavior: 'deny' } {
  return { behavior: 'deny', message };
}
