import { usableTexts } from '../util/json.js';
import { type ApiFailureKind, apiFailureKind } from './api-failure.js';
import type { SDKResultMessage, TerminalReason } from './message.js';
import type { Outcome, OutcomeKind } from './outcome-types.js';
import { fieldsOf } from './read-message.js';
import { tokenCount } from './token-usage.js';
import type { TurnFacts } from './turn-facts.js';
import { progressAt } from './turn-progress.js';

/** On every outcome of a result. */
type Common = { readonly message: string; readonly result: SDKResultMessage };

/** Kinds that need no field of their own. */
type PlainKind = Exclude<OutcomeKind, 'crashed'>;

/** The compiler compares it with the union. `not_started` is not here: it is retryable after one error only. */
const RETRYABLE: Readonly<Record<Extract<Outcome, { readonly retryable: true }>['kind'], true>> = {
  rate_limited: true,
  overloaded: true,
  server_error: true,
  connection_failed: true,
  structured_output_failed: true,
  idle_timeout: true,
};

type FieldsOf<K extends OutcomeKind> = Omit<Extract<Outcome, { readonly kind: K }>, 'kind' | 'retryable'>;

/** Builds an outcome. @param retryable - Only for `not_started`, which may be both. */
export function toOutcome<K extends OutcomeKind>(kind: K, fields: FieldsOf<K>, retryable = kind in RETRYABLE): Outcome {
  // RETRYABLE has the literal that the union asks for; the compiler does not follow the pairing by name.
  return { kind, retryable, ...fields } as unknown as Outcome;
}

/** Reads a result. Every field is looked at with care: an odd result gets an outcome, never a throw. */
export function outcomeOfResult(result: SDKResultMessage, turn: TurnFacts): Outcome {
  return isFailedResult(result) ? failure(result, turn) : success(result, turn);
}

/** Releases before `terminal_reason` sent `is_error: false` with the error subtypes (seen with 2.0.0). */
export function isFailedResult(result: SDKResultMessage): boolean {
  const { subtype } = fieldsOf(result);
  return result.is_error || (typeof subtype === 'string' && subtype.startsWith('error_'));
}

function success(result: SDKResultMessage, turn: TurnFacts): Outcome {
  const text: unknown = result.subtype === 'success' ? result.result : undefined;
  const common = { message: typeof text === 'string' ? text : '', result };
  if (result.terminal_reason === 'tool_deferred') {
    const call = result.subtype === 'success' ? result.deferred_tool_use : undefined;
    return toOutcome('deferred', { ...common, ...(call === undefined ? {} : { deferredToolUse: call }) });
  }
  if (result.subtype === 'success' && result.structured_output !== undefined) {
    // Also when a hook stopped the turn right after: what was asked for is there.
    return toOutcome('completed', { ...common, structuredOutput: result.structured_output });
  }
  const reason = BY_REASON.get(result.terminal_reason);
  if (reason === 'interrupted') return interrupted(result);
  if (reason === 'hook_stopped' || turn.isStoppedByHook) return toOutcome('hook_stopped', common);
  if (turn.isRefused || result.stop_reason === 'refusal') return toOutcome('refused', common);
  const cut = CUT_OFF.get(result.stop_reason);
  if (cut !== undefined) return toOutcome(cut.kind, { message: cut.message, result });
  if (turn.expectsStructuredOutput && result.terminal_reason === 'completed') {
    return toOutcome('structured_output_failed', common);
  }
  return toOutcome('completed', common);
}

/** By `stop_reason`: a turn that the CLI calls a success, although its answer is not complete. */
const CUT_OFF: ReadonlyMap<string | null, { readonly kind: PlainKind; readonly message: string }> = new Map([
  ['max_tokens', { kind: 'max_output_tokens', message: 'The answer was cut off at the output limit' }],
  [
    'model_context_window_exceeded',
    { kind: 'context_overflow', message: 'The answer was cut off: the context window is full' },
  ],
  ['pause_turn', { kind: 'incomplete', message: 'The model paused the turn, and Claude Code did not continue it' }],
]);

/** The CLI's own text for it is a diagnostic code. */
function interrupted(result: SDKResultMessage): Outcome {
  return toOutcome('interrupted', { message: 'The turn was interrupted', result });
}

/** The kinds that `subtype` names by itself. */
const BY_SUBTYPE: ReadonlyMap<string, PlainKind> = new Map([
  ['error_max_turns', 'max_turns'],
  ['error_max_budget_usd', 'max_budget'],
  ['error_max_structured_output_retries', 'structured_output_failed'],
]);

/** The kinds that `terminal_reason` names by itself. */
const BY_REASON: ReadonlyMap<TerminalReason | undefined, PlainKind> = new Map([
  ['aborted_streaming', 'interrupted'],
  ['aborted_tools', 'interrupted'],
  ['max_turns', 'max_turns'],
  ['budget_exhausted', 'max_budget'],
  ['structured_output_retry_exhausted', 'structured_output_failed'],
  ['hook_stopped', 'hook_stopped'],
  ['stop_hook_prevented', 'hook_stopped'],
  ['prompt_too_long', 'context_overflow'],
  ['blocking_limit', 'context_overflow'],
  ['rapid_refill_breaker', 'context_overflow'],
  ['image_error', 'invalid_request'],
]);

function failure(result: SDKResultMessage, turn: TurnFacts): Outcome {
  const common = { message: resultErrorText({ ...result }), result };
  const { subtype, terminal_reason: reason } = result;
  const kind = BY_SUBTYPE.get(subtype) ?? kindOfReason(result);
  if (kind === 'interrupted') return interrupted(result);
  if (kind !== undefined) return toOutcome(kind, common);
  if (reason === undefined && turn.isInterrupted) return interrupted(result);
  if (reason === undefined && isFailedStart(result, turn)) return notStarted(result, common);
  if (turn.isRefused || result.stop_reason === 'refusal') return toOutcome('refused', common);
  if (result.subtype === 'success') return apiFailure(result, turn, common);
  return toOutcome('failed', common);
}

/** A request that is too large is filed under images, also when its text is. */
function kindOfReason(result: SDKResultMessage): PlainKind | undefined {
  const { terminal_reason: reason } = result;
  const isText = reason === 'image_error' && /^prompt is too long/i.test(resultErrorText({ ...result }));
  return isText ? 'context_overflow' : BY_REASON.get(reason);
}

/**
 * A start that failed reports a zeroed result without a reason why the turn ended: there was none. A CLI that crashes in
 * a turn reports the same behind what has run.
 */
function isFailedStart(result: SDKResultMessage, { progress }: TurnFacts): boolean {
  if (result.subtype !== 'error_during_execution') return false;
  const isStart = result.startup_failure_reason !== undefined || result.num_turns === 0;
  return isStart && progressAt(result, progress) === 'none';
}

function notStarted(result: SDKResultMessage, common: Common): Outcome {
  const reason = result.subtype === 'success' ? undefined : result.startup_failure_reason;
  return toOutcome('not_started', { ...common, ...(reason === undefined ? {} : { reason }) });
}

function apiFailure(
  result: Extract<SDKResultMessage, { subtype: 'success' }>,
  turn: TurnFacts,
  common: Common,
): Outcome {
  const kind = apiFailureKind({
    assistantError: turn.assistantError,
    status: tokenCount(result.api_error_status),
    errorType: result.api_error_type,
    apiError: result.api_error,
    cutBy: turn.cutBy ?? result.stop_reason,
    text: common.message,
  });
  return kind === 'rate_limited'
    ? rateLimited(turn, common)
    : toOutcome(kind, { ...common, ...retryAfter(kind, turn) });
}

function rateLimited(turn: TurnFacts, common: Common): Outcome {
  const resetsAtMs = (turn.limitResetsAt ?? Number.NaN) * 1000;
  const resetsAt = new Date(resetsAtMs);
  if (Number.isNaN(resetsAt.getTime())) return toOutcome('rate_limited', { ...common, ...lastDelay(turn) });
  const retryAfterMs = Math.max(0, resetsAtMs - Date.now());
  return toOutcome('rate_limited', { ...common, resetsAt, retryAfterMs });
}

function retryAfter(kind: ApiFailureKind, turn: TurnFacts): { retryAfterMs?: number } {
  const passes = kind === 'overloaded' || kind === 'server_error' || kind === 'connection_failed';
  return passes ? lastDelay(turn) : {};
}

function lastDelay(turn: TurnFacts): { retryAfterMs?: number } {
  return turn.lastRetryDelayMs === undefined ? {} : { retryAfterMs: turn.lastRetryDelayMs };
}

/**
 * What an error result says, as one line: its `errors`, else its `result`, else the subtype, else the HTTP status, else
 * `unknown error`. No field is required or trusted.
 */
export function resultErrorText(result: Readonly<Record<string, unknown>>): string {
  const texts = usableTexts(result.errors);
  if (texts.length > 0) return texts.join('; ');
  const [text] = usableTexts(result.result);
  if (text !== undefined) return text;
  const { subtype, api_error_status: status } = result;
  if (typeof subtype === 'string' && subtype !== '' && subtype !== 'success') return subtype;
  if (typeof status === 'number') return `API error (HTTP ${status})`;
  return 'unknown error';
}
