import { isClaudeSDKError } from '../../../errors/claude-sdk-error.js';
import { errorText } from '../../../util/error-text.js';
import type { JsonObject } from '../../../util/json.js';
import type { DoneEvent } from '../agent-event.js';
import { countField, field, textField } from './fields.js';

/** How the stream of messages came to its end. */
export type RunEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'interrupted' };

/** What a `result` message says. */
export interface TurnResult {
  readonly status: DoneEvent['payload']['status'];
  /** For the `error` event. */
  readonly code: string;
  readonly text: string | undefined;
  readonly durationMs: number | undefined;
}

const ABORTED = /^aborted_/;

/** @param isInterruptRequested - a denial of ours asked the CLI to end the turn */
export function readResult(message: JsonObject, isInterruptRequested: boolean): TurnResult {
  const subtype = textField(message, 'subtype') ?? 'success';
  const reason = textField(message, 'terminal_reason', 'terminalReason');
  const isError =
    field(message, 'is_error', 'isError') === true ||
    // Releases before `terminal_reason` sent no flag with these.
    subtype.startsWith('error_');
  const isOurs = isInterruptRequested && ABORTED.test(reason ?? '');
  return {
    status: !isError ? 'success' : isOurs ? 'interrupted' : statusOf(subtype),
    // `success` names no failure; the reason does, such as `api_error`.
    code: subtype === 'success' ? (reason ?? 'error_result') : subtype,
    // What the CLI says about an interruption is a diagnostic code.
    text: isOurs ? undefined : (textField(message, 'result') ?? joined(message.errors)),
    durationMs: countField(message, 'duration_ms', 'durationMs'),
  };
}

function statusOf(subtype: string): TurnResult['status'] {
  if (subtype === 'error_max_turns') return 'max_turns';
  return subtype === 'error_max_budget_usd' ? 'max_budget' : 'error';
}

function joined(errors: unknown): string | undefined {
  if (!Array.isArray(errors)) return undefined;
  const texts = errors.filter((each): each is string => typeof each === 'string' && each !== '');
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** Names what ended a stream that has no result, or that broke off. */
export function failureOf(end: RunEnd): { readonly code: string; readonly message: string } {
  if (end.kind !== 'failed') {
    return { code: 'MISSING_RESULT', message: 'Claude Code ended without a result' };
  }
  const { error } = end;
  return {
    code: isClaudeSDKError(error) ? error.errorClass : 'SDK_STREAM_ERROR',
    message: errorText(error),
  };
}
