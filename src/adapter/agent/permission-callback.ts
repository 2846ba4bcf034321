import type { CanUseTool, CanUseToolOptions, PermissionResult } from '../../index.js';
import { describeValue } from '../../util/describe-value.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject } from '../../util/json.js';
import { untilAborted } from '../../util/race.js';
import type { Log } from '../logging/log.js';
import type { AgentPermissionRequest, OnPermissionRequest } from './agent-types.js';
import type { PermissionPlan } from './permission-plan.js';
import { denialText, unapprovedText } from './policy-hooks.js';

interface PermissionCallbackContext {
  readonly onPermissionRequest: OnPermissionRequest | undefined;
  /** Aborts when the run is aborted or over. */
  readonly signal: AbortSignal;
  readonly sessionId: () => string;
  /** Called for every call that needs a decision, also when there is no handler. */
  readonly onQuestion: (request: AgentPermissionRequest) => void;
  readonly onRefused: (toolUseId: string) => void;
  /** Called when a denial also ends the turn. */
  readonly onInterrupt: () => void;
  readonly log: Log;
}

/** Answers the CLI's permission questions by the policy. Never throws: anything that is not clearly an allow denies. */
export function permissionCallback(plan: PermissionPlan, context: PermissionCallbackContext): CanUseTool {
  return async (toolName, input, options) => {
    const result = await decide(plan, context, toolName, input, options);
    if (result.behavior === 'deny') {
      context.onRefused(options.toolUseID ?? '');
      if (result.interrupt === true) context.onInterrupt();
    }
    return result;
  };
}

async function decide(
  plan: PermissionPlan,
  context: PermissionCallbackContext,
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
): Promise<PermissionResult> {
  const { onPermissionRequest } = context;
  const level = plan.levelOf(toolName, input);
  if (level === 'deny') return deny(denialText(plan, toolName, input));
  const isHandlers = level === 'ask' || (level === undefined && onPermissionRequest !== undefined);
  if (!isHandlers) return { behavior: 'allow', updatedInput: input };
  const request = requestOf(plan, context, toolName, input, options);
  context.onQuestion(request);
  if (onPermissionRequest === undefined) {
    return deny(unapprovedText(toolName));
  }
  return asked(onPermissionRequest, request, [context.signal, options.signal], context.log);
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
    log.error('permission.handler_error', {
      toolName,
      error: errorText(error),
      errorType: error instanceof Error ? error.name : typeof error,
    });
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
    if (behavior === 'allow' && isJsonObject(updatedInput)) {
      return { ...decision, updatedInput } as PermissionResult;
    }
    if (behavior === 'deny' && typeof message === 'string') {
      return { ...decision, message } as PermissionResult;
    }
  }
  log.error('permission.handler_error', {
    toolName,
    error: `the handler must return 'allow', 'deny' or {behavior}; got ${describeValue(decision)}`,
    errorType: 'TypeError',
  });
  return deny(`${toolName} was not approved: the permission handler gave no decision`);
}

function requestOf(
  plan: PermissionPlan,
  context: PermissionCallbackContext,
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
): AgentPermissionRequest {
  const reason = options.decisionReason || options.title || options.description;
  return {
    toolName,
    toolUseId: options.toolUseID ?? '',
    input,
    ...(reason === undefined || reason === '' ? {} : { reason }),
    capability: plan.capabilityOf(toolName, input),
    sessionId: context.sessionId(),
    ...(options.agentID === undefined ? {} : { agentId: options.agentID }),
    suggestions: options.suggestions ?? [],
  };
}

function deny(message: string): PermissionResult & { behavior: 'deny' } {
  return { behavior: 'deny', message };
}
