import type { TokenCounts } from './usage.js';

/**
 * How the CLI's cost and that of the price table differ.
 *
 * - `equal`: by less than a millionth of a dollar.
 * - `price`: the CLI reckons with other prices, or with more than tokens (such as web searches).
 * - `no_price`: the table does not have the model.
 * - `no_report`: the CLI said no cost for these tokens.
 * - `unfinished`: the turn had no result, so the tokens are those of the messages, and too low.
 * - `part`: a sub-agent. Its tokens and its cost are also in the turns that ran meanwhile.
 */
export type Difference = 'equal' | 'price' | 'no_price' | 'no_report' | 'unfinished' | 'part';

/** One line of the ledger: a model in a turn, or a sub-agent in it. */
export interface LedgerEntry {
  /** `turn` entries add up to the whole; `subagent` entries say who used a part of it. */
  readonly kind: 'turn' | 'subagent';
  readonly tenant: string | undefined;
  readonly run: string;
  readonly sessionId: string | undefined;
  /** Counts from 1 in its run. Of a sub-agent: the turn in which it began. */
  readonly turn: number;
  readonly model: string;
  /** The `Agent` call of a sub-agent. */
  readonly toolUseId: string | undefined;
  readonly tokens: TokenCounts;
  /**
   * False: the tokens are those that the CLI reported for the turn, or those of the sub-agent's whole transcript. True:
   * they were counted in messages, and are too low.
   */
  readonly isEstimate: boolean;
  /**
   * US dollars as the CLI says; `undefined` when it said nothing. Of a sub-agent its part of what the CLI says of the
   * model, when the prices that the CLI reckons with follow from that; otherwise `undefined`.
   */
  readonly reportedUsd: number | undefined;
  /** US dollars by the price table; `undefined` without a price. */
  readonly computedUsd: number | undefined;
  /** `reportedUsd - computedUsd`. */
  readonly differenceUsd: number | undefined;
  readonly difference: Difference;
}

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export type PriceTable = Readonly<Record<string, ModelPrice>>;

const MILLION = 1_000_000;
const EQUAL_USD = 1e-6;

export function computedCost(tokens: TokenCounts, price: ModelPrice | undefined): number | undefined {
  if (price === undefined) return undefined;
  const { input, output, cacheRead, cacheWrite } = tokens;
  return (
    (input * price.input + output * price.output + cacheRead * price.cacheRead + cacheWrite * price.cacheWrite) /
    MILLION
  );
}

export function nameDifference(
  { kind, isEstimate }: Pick<LedgerEntry, 'kind' | 'isEstimate'>,
  reportedUsd: number | undefined,
  computedUsd: number | undefined,
): Difference {
  if (kind === 'subagent') return 'part';
  if (isEstimate) return 'unfinished';
  if (reportedUsd === undefined) return 'no_report';
  if (computedUsd === undefined) return 'no_price';
  return Math.abs(reportedUsd - computedUsd) < EQUAL_USD ? 'equal' : 'price';
}
