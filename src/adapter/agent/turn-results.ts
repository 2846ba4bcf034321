import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import type { OutcomeKind, SDKResultMessage } from '../../index.js';
import { isFailedResult, outcomeOfResult } from '../../parser/result-outcome.js';
import { tokenCount } from '../../parser/token-usage.js';
import { NO_FACTS } from '../../parser/turn-facts.js';
import { errorText } from '../../util/error-text.js';
import { type JsonObject, omitUndefined } from '../../util/json.js';
import type { AgentModelUsage, AgentUsage, DoneEvent } from './agent-event.js';
import { objectField, textField } from './message-fields.js';

/** How the stream of messages ended. */
export type RunEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'interrupted' };

/** The content of a `result` message. */
export interface TurnResult {
  readonly status: DoneEvent['payload']['status'];
  /** For the `error` event. */
  readonly code: string;
  readonly text: string | undefined;
  readonly durationMs: number | undefined;
}

/** @param isInterruptRequested - One of our denials asked the CLI to end the turn. */
export function readResult(message: SDKResultMessage, isInterruptRequested: boolean): TurnResult {
  const fields: JsonObject = message;
  const subtype = textField(fields, 'subtype') ?? 'success';
  const { kind } = outcomeOfResult(message, NO_FACTS);
  const isOurs = isInterruptRequested && kind === 'interrupted';
  return {
    status: isFailedResult(message) ? failedStatus(kind, isOurs) : 'success',
    code: subtype === 'success' ? codeOfReason(fields) : subtype,
    // The CLI's text about an interruption is a diagnostic code.
    text: isOurs ? undefined : (textField(fields, 'result') ?? joinErrors(fields.errors)),
    durationMs: tokenCount(fields.duration_ms),
  };
}

/** A failure with the subtype `success` is named by its reason, such as `api_error`. */
function codeOfReason(fields: JsonObject): string {
  const reason = textField(fields, 'terminal_reason');
  return reason === undefined || reason === 'completed' ? 'error_result' : reason;
}

function failedStatus(kind: OutcomeKind, isOurs: boolean): TurnResult['status'] {
  if (isOurs) return 'interrupted';
  return kind === 'max_turns' || kind === 'max_budget' ? kind : 'error';
}

function joinErrors(errors: unknown): string | undefined {
  if (!Array.isArray(errors)) return undefined;
  const texts = errors.filter((each): each is string => typeof each === 'string' && each !== '');
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** The error of a stream that failed or has no result. */
export function failureOf(end: RunEnd): { readonly code: string; readonly message: string } {
  if (end.kind !== 'failed') return { code: 'MISSING_RESULT', message: 'Claude Code ended without a result' };
  const { error } = end;
  return { code: isClaudeSDKError(error) ? error.errorClass : 'SDK_STREAM_ERROR', message: errorText(error) };
}

type Counts = Omit<AgentModelUsage, 'costUsd'>;

/** Adds up the usage of the results of one run. */
export class UsageReader {
  #perTurn: Counts | undefined;
  #byModel: Readonly<Record<string, AgentModelUsage>> | undefined;
  #totalCostUsd: number | undefined;

  /** The per-model table and the cost of a result are running totals, its `usage` is for the turn alone. */
  onResult(result: JsonObject): void {
    this.#totalCostUsd = tokenCount(result.total_cost_usd) ?? this.#totalCostUsd;
    this.#byModel = modelTable(objectField(result, 'modelUsage')) ?? this.#byModel;
    const turn = counts(objectField(result, 'usage'));
    if (turn !== undefined) this.#perTurn = total([this.#perTurn ?? zero, turn]);
  }

  /** Token counts from the per-model table if it is complete, otherwise from `usage`. */
  usage(toolUses: number): AgentUsage {
    const byModel = this.#byModel;
    const counted = byModel === undefined ? this.#perTurn : total(Object.values(byModel));
    return {
      ...(counted ?? zero),
      toolUses,
      ...omitUndefined({ totalCostUsd: this.#totalCostUsd }),
      reported: counted !== undefined,
      ...omitUndefined({ byModel }),
    };
  }
}

const zero: Counts = { inputTokens: 0, outputTokens: 0 };

/** `undefined` unless input and output are known: an incomplete table would give wrong sums. */
function counts(object: JsonObject): Counts | undefined {
  const inputTokens = tokenCount(object.input_tokens);
  const outputTokens = tokenCount(object.output_tokens);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...omitUndefined({
      cacheReadTokens: tokenCount(object.cache_read_input_tokens),
      cacheWriteTokens: tokenCount(object.cache_creation_input_tokens),
    }),
  };
}

function modelTable(table: JsonObject): Record<string, AgentModelUsage> | undefined {
  const rows: [string, AgentModelUsage][] = [];
  for (const model of Object.keys(table)) {
    const row = objectField(table, model);
    const usage = counts(row);
    if (usage === undefined) return undefined;
    rows.push([model, { ...usage, ...omitUndefined({ costUsd: tokenCount(row.cost_usd) }) }]);
  }
  return rows.length === 0 ? undefined : Object.fromEntries(rows);
}

function total(list: readonly Counts[]): Counts {
  const add = (name: keyof Counts): number | undefined => {
    const known = list.map((each) => each[name]).filter((count) => count !== undefined);
    return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0);
  };
  return {
    inputTokens: add('inputTokens') ?? 0,
    outputTokens: add('outputTokens') ?? 0,
    ...omitUndefined({ cacheReadTokens: add('cacheReadTokens'), cacheWriteTokens: add('cacheWriteTokens') }),
  };
}
