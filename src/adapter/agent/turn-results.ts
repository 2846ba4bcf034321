import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { AgentModelUsage, AgentUsage, DoneEvent } from './agent-event.js';
import { countField, field, objectField, textField } from './message-fields.js';

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

const ABORTED = /^aborted_/;

/** @param isInterruptRequested - One of our denials asked the CLI to end the turn. */
export function readResult(message: JsonObject, isInterruptRequested: boolean): TurnResult {
  const subtype = textField(message, 'subtype') ?? 'success';
  const reason = textField(message, 'terminal_reason', 'terminalReason');
  const isError =
    field(message, 'is_error', 'isError') === true ||
    // Releases without `terminal_reason` sent no flag with these.
    subtype.startsWith('error_');
  const isOurs = isInterruptRequested && ABORTED.test(reason ?? '');
  return {
    status: !isError ? 'success' : isOurs ? 'interrupted' : statusOf(subtype),
    // A failure with `success` is named by the reason, such as `api_error`.
    code: subtype === 'success' ? (reason ?? 'error_result') : subtype,
    // The CLI's text about an interruption is a diagnostic code.
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

/** The error of a stream that failed or has no result. */
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

const INPUT = ['inputTokens', 'input_tokens'] as const;
const OUTPUT = ['outputTokens', 'output_tokens'] as const;
const CACHE_READ = ['cacheReadInputTokens', 'cache_read_input_tokens'] as const;
const CACHE_WRITE = ['cacheCreationInputTokens', 'cache_creation_input_tokens'] as const;
const COST = ['costUSD', 'costUsd', 'cost_usd'] as const;

type Counts = Omit<AgentUsage, 'toolUses' | 'reported' | 'byModel' | 'totalCostUsd'>;

/** Adds up the usage of the results of one run. */
export class UsageReader {
  #perTurn: Counts | undefined;
  #byModel: Readonly<Record<string, AgentModelUsage>> | undefined;
  #totalCostUsd: number | undefined;

  /** The per-model table and the cost of a result are running totals, its `usage` is for the turn alone. */
  onResult(result: JsonObject): void {
    this.#totalCostUsd = countField(result, 'total_cost_usd', 'totalCostUsd') ?? this.#totalCostUsd;
    this.#byModel = modelTable(field(result, 'modelUsage', 'model_usage')) ?? this.#byModel;
    const turn = counts(objectField(result, 'usage'));
    if (turn !== undefined) this.#perTurn = sum([this.#perTurn ?? zero, turn]);
  }

  /** Token counts from the per-model table if it is complete, otherwise from `usage`. */
  usage(toolUses: number): AgentUsage {
    const byModel = this.#byModel;
    const counted = byModel === undefined ? this.#perTurn : sum(Object.values(byModel));
    return {
      ...(counted ?? zero),
      toolUses,
      ...(this.#totalCostUsd === undefined ? {} : { totalCostUsd: this.#totalCostUsd }),
      reported: counted !== undefined,
      ...(byModel === undefined ? {} : { byModel }),
    };
  }
}

const zero: Counts = { inputTokens: 0, outputTokens: 0 };

/** `undefined` unless input and output are known: an incomplete table would give wrong sums. */
function counts(object: JsonObject): Counts | undefined {
  const inputTokens = countField(object, ...INPUT);
  const outputTokens = countField(object, ...OUTPUT);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...optional('cacheReadTokens', countField(object, ...CACHE_READ)),
    ...optional('cacheWriteTokens', countField(object, ...CACHE_WRITE)),
  };
}

function modelTable(value: unknown): Record<string, AgentModelUsage> | undefined {
  if (!isJsonObject(value)) return undefined;
  const rows: [string, AgentModelUsage][] = [];
  for (const [model, entry] of Object.entries(value)) {
    const row = isJsonObject(entry) ? counts(entry) : undefined;
    if (row === undefined) return undefined;
    const cost = isJsonObject(entry) ? countField(entry, ...COST) : undefined;
    rows.push([model, { ...row, ...optional('costUsd', cost) }]);
  }
  return rows.length === 0 ? undefined : Object.fromEntries(rows);
}

function sum(list: readonly Counts[]): Counts {
  const add = (name: keyof Counts): number | undefined =>
    list.some((each) => each[name] !== undefined)
      ? list.reduce((total, each) => total + (each[name] ?? 0), 0)
      : undefined;
  return {
    inputTokens: add('inputTokens') ?? 0,
    outputTokens: add('outputTokens') ?? 0,
    ...optional('cacheReadTokens', add('cacheReadTokens')),
    ...optional('cacheWriteTokens', add('cacheWriteTokens')),
  };
}

function optional<Name extends string>(name: Name, value: number | undefined): { [N in Name]?: number } {
  // For the compiler, a computed key is any string.
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: number };
}
