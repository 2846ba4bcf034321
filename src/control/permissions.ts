import type { DiagnosticListener } from '../diagnostics.js';
import { describeValue } from '../util/describe-value.js';
import { errorText } from '../util/error-text.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { LazySignal } from '../util/lazy-signal.js';
import { array, boolean, nullOr, object, string } from '../util/validate.js';
import type { Callbacks, ControlPolicy } from './controller-options.js';
import { excerpt } from './envelope.js';
import {
  failure,
  type InboundContext,
  type InboundHandler,
  type InboundOutcome,
  reportThrow,
  runCallback,
  SILENT,
  success,
} from './inbound-handler.js';
import type { CanUseToolOptions, PermissionUpdate } from './permission-types.js';
import { checkResult, findLoss, findUnsentField, type ResultCheck } from './wire-form.js';

/**
 * Answers `can_use_tool`. Anything but a clear allow is a deny. A result that is not JSON is an error answer, which the
 * CLI takes as a denial (TS-119).
 */
export function permissions(
  { canUseTool, onHookError }: Pick<Callbacks, 'canUseTool' | 'onHookError'>,
  { fillDenyMessage }: Pick<ControlPolicy, 'fillDenyMessage'>,
  onDiagnostic: DiagnosticListener,
): InboundHandler {
  if (canUseTool === undefined) return { handle: () => failure('canUseTool callback is not provided.') };
  const refuse = (request: JsonObject, message: string): InboundOutcome =>
    onHookError === 'deny' ? deny(message, request) : failure(message);
  const reportResult = (message: string, details: JsonObject): void =>
    onDiagnostic({ code: 'callback_result_invalid', message, details });

  const toOutcome = (result: unknown, request: JsonObject, input: string | undefined): InboundOutcome => {
    if (result === null) return SILENT;
    const details = { toolName: excerpt(request.tool_name) };
    let check: ResultCheck;
    try {
      check = checkResult(result, { accepts: isJsonObject, findUnsent: unsentField, findWrong });
    } catch (thrown) {
      const reason = `The result of canUseTool cannot be written as JSON: ${errorText(thrown)}`;
      reportResult(reason, details);
      return refuse(request, reason);
    }
    if (!check.ok) {
      const message = `canUseTool must return {behavior: 'allow', updatedInput?: object}, {behavior: 'deny', message: string} or null; ${check.problem}`;
      reportResult(message, details);
      return deny(message, request);
    }
    const answer: JsonObject = { ...check.answer, toolUseID: request.tool_use_id };
    // Releases before 2.1.207 refuse an allow without it; newer ones take it for the same.
    if (answer.behavior === 'allow' && input !== undefined) answer.updatedInput ??= JSON.parse(input);
    if (answer.behavior === 'deny' && fillDenyMessage) answer.message ??= '';
    return success(answer);
  };

  return {
    handle: (request, context) => {
      // A copy, because the callback may change the object that it is given.
      const input: string | undefined = JSON.stringify(request.input);
      return runCallback(
        // The peer's own values: a missing tool name or input reaches the callback as undefined.
        () =>
          canUseTool(
            request.tool_name as string,
            request.input as Record<string, unknown>,
            toCallbackOptions(request, context),
          ),
        (result: unknown) => toOutcome(result, request, input),
        (thrown) => {
          const details = { toolName: excerpt(request.tool_name) };
          return refuse(request, reportThrow(onDiagnostic, 'canUseTool', thrown, details));
        },
      );
    },
    onUnserialisable: refuse,
  };
}

function deny(message: string, request: JsonObject): InboundOutcome {
  return success({ behavior: 'deny', message, toolUseID: request.tool_use_id });
}

/**
 * The request's snake_case fields as the callback's options. The first twelve are always there as keys, the rest only
 * when the request has them (TS-113). Values are the CLI's own, unchecked.
 */
function toCallbackOptions(request: JsonObject, context: InboundContext): CanUseToolOptions {
  const options: JsonObject = Object.assign<object, JsonObject>(new LazySignal(context), {
    suggestions: toSuggestions(request.permission_suggestions),
    blockedPath: request.blocked_path,
    decisionReason: request.decision_reason,
    title: request.title,
    displayName: request.display_name,
    description: request.description,
    defaultToNo: request.default_to_no,
    suppressAlwaysAllowRule: request.suppress_always_allow_rule,
    toolUseID: request.tool_use_id,
    agentID: request.agent_id,
    requestId: context.requestId,
  });
  const server = request.mcp_server;
  if (isJsonObject(server)) options.mcpServer = { name: server.name, source: server.source };
  if (request.decision_reason_type !== undefined) options.decisionReasonType = request.decision_reason_type;
  if (request.requires_user_interaction !== undefined) {
    options.requiresUserInteraction = request.requires_user_interaction;
  }
  const rule = request.matched_ask_rule;
  if (isJsonObject(rule)) {
    options.matchedAskRule = { source: rule.source, toolName: rule.tool_name, ruleContent: rule.rule_content };
  }
  // The CLI's wire contract is what makes the field types true; they are passed on, not checked.
  return options as unknown as CanUseToolOptions;
}

/** `null` is an empty list (PY-224). */
function toSuggestions(value: unknown): PermissionUpdate[] | undefined {
  return value === null ? [] : (value as PermissionUpdate[] | undefined);
}

const FIELDS = ['behavior', 'message', 'interrupt', 'updatedInput', 'updatedPermissions'] as const;

function unsentField(result: JsonObject, answer: JsonObject): string | undefined {
  return (
    findUnsentField(result, answer, FIELDS) ??
    findLoss(result.updatedInput, 'updatedInput') ??
    findLoss(result.updatedPermissions, 'updatedPermissions')
  );
}

/** What each answer may have, by its behavior. `null` is the same as absent. */
const OPTIONAL_FIELDS = {
  allow: Object.entries({ updatedInput: nullOr(object), updatedPermissions: nullOr(array) }),
  deny: Object.entries({ message: nullOr(string), interrupt: nullOr(boolean) }),
};

function findWrong(answer: JsonObject): string | undefined {
  const { behavior } = answer;
  if (behavior !== 'allow' && behavior !== 'deny') {
    return `it returned an object with behavior ${describeValue(behavior)}`;
  }
  for (const [name, validator] of OPTIONAL_FIELDS[behavior]) {
    const problem = validator(answer[name], name);
    if (problem === undefined) continue;
    return `it returned ${behavior === 'deny' ? 'a deny' : 'an allow'} with ${name} ${problem.got}`;
  }
  return undefined;
}
