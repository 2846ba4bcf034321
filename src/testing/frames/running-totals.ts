import { isDeepStrictEqual } from 'node:util';
import type { SDKResultMessage } from '../../index.js';

type Models = SDKResultMessage['modelUsage'];
type Row = Models[string];

const TURN_COST_USD = 0.001;
const TURN_API_MS = 10;

/** The fields of a result that count, as far as a script gives them. */
export type GivenTotals = Partial<
  Pick<
    SDKResultMessage,
    'usage' | 'total_cost_usd' | 'modelUsage' | 'duration_api_ms' | 'model_usage_since_last_result'
  >
>;
type Totals = Required<Omit<GivenTotals, 'usage'>>;

/** What results count up over the turns of a session, while their `usage` is of one turn. */
export class RunningTotals {
  #costUsd = 0;
  #apiMs = 0;
  #models: Models = {};

  /** A new session. */
  reset(): void {
    [this.#costUsd, this.#apiMs, this.#models] = [0, 0, {}];
  }

  /** The totals with one more turn of `model`, or of no model: that turn is free. What is given stays. */
  next(model: string | undefined, usage: SDKResultMessage['usage'], given: GivenTotals): Totals {
    const before = this.#models;
    const [ownCost, ownMs] = model === undefined ? [0, 0] : [TURN_COST_USD, TURN_API_MS];
    const { total_cost_usd: cost = this.#costUsd + ownCost, duration_api_ms: apiMs = this.#apiMs + ownMs } = given;
    const turnCost = given.total_cost_usd === undefined ? ownCost : cost - this.#costUsd;
    const turn: Models = model === undefined ? {} : { [model]: rowOf(usage, turnCost) };
    const sum = Object.entries(turn).map(([name, row]) => [name, combined(row, before[name], 1)] as const);
    const { modelUsage: models = { ...before, ...Object.fromEntries(sum) } } = given;
    const since = given.modelUsage === undefined ? turn : added(models, before);
    [this.#costUsd, this.#apiMs, this.#models] = [cost, apiMs, models];
    return {
      total_cost_usd: cost,
      duration_api_ms: apiMs,
      modelUsage: models,
      model_usage_since_last_result: given.model_usage_since_last_result ?? since,
    };
  }
}

const rowOf = (usage: Partial<SDKResultMessage['usage']> | undefined, costUSD: number): Row => ({
  inputTokens: usage?.input_tokens ?? 0,
  outputTokens: usage?.output_tokens ?? 0,
  cacheReadInputTokens: usage?.cache_read_input_tokens ?? 0,
  cacheCreationInputTokens: usage?.cache_creation_input_tokens ?? 0,
  webSearchRequests: usage?.server_tool_use?.web_search_requests ?? 0,
  costUSD,
  contextWindow: 200_000,
  maxOutputTokens: 32_000,
});

/** The counts of the row with those of another added to them, or taken away. */
function combined(row: Row, other: Partial<Row> | undefined, sign: 1 | -1): Row {
  const counts = Object.entries(row).map(([name, value]: [string, unknown]) => {
    const isLimit = name === 'contextWindow' || name === 'maxOutputTokens';
    const more: unknown = Reflect.get(other ?? {}, name);
    return [name, isLimit || typeof value !== 'number' ? value : value + sign * (typeof more === 'number' ? more : 0)];
  });
  return { ...row, ...Object.fromEntries(counts) };
}

/** The rows that changed, as far as they did. */
function added(models: Models, before: Models): Models {
  const changed = Object.entries(models).filter(([name, row]) => !isDeepStrictEqual(row, before[name]));
  return Object.fromEntries(changed.map(([name, row]) => [name, combined(row, before[name], -1)]));
}
