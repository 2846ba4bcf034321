import type { DiagnosticListener } from '../diagnostics.js';
import { describeValue } from '../util/describe-value.js';
import { errorText } from '../util/error-text.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { LazySignal } from '../util/lazy-signal.js';
import { memberPath } from '../util/member-path.js';
import { boolean, number, object, oneOf, problemText, shape, string, type Validator } from '../util/validate.js';
import type { Callbacks, RegisteredHook } from './controller-options.js';
import type { HookInput } from './hook-types.js';
import {
  failure,
  type InboundHandler,
  type InboundOutcome,
  reportThrow,
  runCallback,
  success,
} from './inbound-handler.js';
import { checkResult, findLossWithin, findUnsentField, type ResultCheck } from './wire-form.js';

/** Answers `hook_callback` by the ids that `initialize` announced. An unusable result fails closed. */
export function hookCallbacks(
  { hooks, onHookError }: Pick<Callbacks, 'hooks' | 'onHookError'>,
  onDiagnostic: DiagnosticListener,
): InboundHandler {
  const byId: ReadonlyMap<unknown, RegisteredHook> = new Map(hooks.map((hook) => [hook.callbackId, hook]));
  return {
    handle: ({ callback_id: callbackId, input, tool_use_id: toolUseId }, context) => {
      const hook = byId.get(callbackId);
      if (hook === undefined) return failure(`No hook callback found for ID: ${idText(callbackId)}`);
      return runCallback(
        // The CLI's own object, unchanged; its wire contract is what makes the types true.
        () => hook.callback(input as HookInput, toolUseId as string | undefined, new LazySignal(context)),
        (result: unknown) => hookOutcome(result, hook, onDiagnostic),
        (thrown) => {
          const { callbackId, event } = hook;
          const message = reportThrow(onDiagnostic, nameOf(hook), thrown, { callbackId, event });
          return onHookError === 'deny' ? failClosed(event, message) : failure(message);
        },
      );
    },
    onUnserialisable: (request, reason) => {
      const event = byId.get(request.callback_id)?.event;
      return event === undefined ? failure(reason) : failClosed(event, reason);
    },
  };
}

function hookOutcome(result: unknown, hook: RegisteredHook, onDiagnostic: DiagnosticListener): InboundOutcome {
  const check = checkHookResult(result, hook.event);
  if (check.ok) return success(withoutAliases(check.answer));
  const { callbackId, event } = hook;
  const message = `${nameOf(hook)} gave a result that is not a hook output: ${check.problem}`;
  onDiagnostic({ code: 'callback_result_invalid', message, details: { callbackId, event } });
  return failClosed(event, message);
}

function nameOf({ event, callbackId }: RegisteredHook): string {
  return `The ${event} hook ${callbackId}`;
}

/** The peer's object may have a `toString` that is not a function. */
function idText(callbackId: unknown): string {
  return typeof callbackId === 'object' ? describeValue(callbackId) : String(callbackId);
}

/**
 * The answer that stops what the event guards. After an error answer to PreToolUse the CLI runs the tool
 * (`hook-error`), so an error answer is left to the events that guard nothing.
 */
function failClosed(event: string, message: string): InboundOutcome {
  switch (event) {
    case 'PreToolUse':
      return success({
        hookSpecificOutput: { hookEventName: event, permissionDecision: 'deny', permissionDecisionReason: message },
      });
    case 'PermissionRequest':
      return success({ hookSpecificOutput: { hookEventName: event, decision: { behavior: 'deny', message } } });
    case 'UserPromptSubmit':
      return success({ decision: 'block', reason: message });
    default:
      return failure(message);
  }
}

/**
 * Fields whose types the CLI checks; an answer that fails counts there as empty, and the tool runs (`hook-bad-shape`).
 */
const TOP_FIELDS: ReadonlyMap<string, Validator> = new Map([
  ['async', boolean],
  ['asyncTimeout', number],
  ['continue', boolean],
  ['suppressOutput', boolean],
  ['stopReason', string],
  ['decision', oneOf('approve', 'block')],
  ['systemMessage', string],
  ['terminalSequence', string],
  ['reason', string],
  ['hookSpecificOutput', object],
]);

const SPECIFIC_FIELDS: ReadonlyMap<string, Validator> = new Map([
  ['hookEventName', string],
  ['permissionDecision', oneOf('allow', 'deny', 'ask', 'defer')],
  ['permissionDecisionReason', string],
  ['updatedInput', object],
  ['additionalContext', string],
  ['decision', shape({ behavior: oneOf('allow', 'deny') }, ['behavior'])],
]);

/** Python-style spellings of two words that are reserved there (PY-206, PY-207). Top level only. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['async_', 'async'],
  ['continue_', 'continue'],
]);

/** At the top, where the CLI does not read them, so it would find no opinion and run the tool. */
const MISTAKEN: readonly string[] = ['permissionDecision', 'updatedInput', 'behavior', 'deny', 'block'];

/** Events that let something happen when the CLI finds no opinion in the answer. */
const GUARDS: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest', 'UserPromptSubmit']);

/**
 * Checks what a hook returned, in the form in which it will be sent. Nothing counts as `{}`, no opinion. Unknown fields
 * pass; a known field that is of a wrong type, or that JSON would leave out, makes the whole result bad. So does a decision
 * in a wrong place from a hook that guards: `{ behavior: 'deny' }` was meant to deny.
 */
function checkHookResult(result: unknown, event: string): ResultCheck {
  if (result === undefined || result === null) return { ok: true, answer: {} };
  const findWrong = (sent: JsonObject) => findWrongValue(sent) ?? (GUARDS.has(event) ? findMistaken(sent) : undefined);
  try {
    return checkResult(result, { accepts: isPlainObject, findUnsent, findWrong });
  } catch (thrown) {
    return { ok: false, problem: `it cannot be written as JSON: ${errorText(thrown)}` };
  }
}

function findMistaken(sent: JsonObject): string | undefined {
  if (sent.decision !== undefined || sent.hookSpecificOutput !== undefined) return undefined;
  const key = MISTAKEN.find((each) => each in sent);
  return key === undefined
    ? undefined
    : `${key} is no field of a hook output; use hookSpecificOutput.permissionDecision`;
}

function findWrongValue(sent: JsonObject): string | undefined {
  const answer = withoutAliases(sent);
  const wrong = findWrongField(answer, TOP_FIELDS, '');
  const specific = answer.hookSpecificOutput;
  if (wrong !== undefined || !isJsonObject(specific)) return wrong;
  if (specific.hookEventName === undefined) return 'hookSpecificOutput.hookEventName is missing';
  return findWrongField(specific, SPECIFIC_FIELDS, 'hookSpecificOutput');
}

/** False for arrays, maps, dates, errors and other objects that JSON would turn into something else. */
function isPlainObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && Object.prototype.toString.call(value) === '[object Object]';
}

/** A known field, or something in `hookSpecificOutput`, that the result has and its wire form lost. */
function findUnsent(result: JsonObject, sent: JsonObject): string | undefined {
  const field = findUnsentField(result, sent, TOP_FIELDS.keys()) ?? findUnsentField(result, sent, ALIASES.keys());
  const specific = result.hookSpecificOutput;
  const sentSpecific = sent.hookSpecificOutput;
  if (field !== undefined || !isJsonObject(specific) || !isJsonObject(sentSpecific)) return field;
  const inner = findUnsentField(specific, sentSpecific, SPECIFIC_FIELDS.keys());
  return inner === undefined ? findLossWithin(specific, 'hookSpecificOutput') : `hookSpecificOutput.${inner}`;
}

function withoutAliases(result: JsonObject): JsonObject {
  if (!('async_' in result) && !('continue_' in result)) return result;
  return Object.fromEntries(Object.entries(result).map(([key, value]) => [ALIASES.get(key) ?? key, value]));
}

/** The first known field of a wrong type, as a sentence. */
function findWrongField(
  value: JsonObject,
  validators: ReadonlyMap<string, Validator>,
  path: string,
): string | undefined {
  for (const key in value) {
    const field = value[key];
    if (field === undefined) continue;
    const problem = validators.get(key)?.(field, memberPath(path, key));
    if (problem !== undefined) return problemText(problem, '');
  }
  return undefined;
}
