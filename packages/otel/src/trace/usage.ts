import type { Attributes } from '@opentelemetry/api';
import type { QueryContext } from 'claudewire';
import { ATTR, OWN } from '../conventions.js';
import { countsOfUsage, type FiguresByModel, NO_TOKENS, sum, type TokenCounts } from '../ledger/usage.js';

/** Tokens of one or more answers. */
export interface Tokens {
  /** All input: uncached, read from the cache and written to it, as the conventions want it. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Of the API's `usage`. */
export function tokensOf(usage: Readonly<Record<string, unknown>>): Tokens {
  return tokensOfCounts(countsOfUsage(usage) ?? NO_TOKENS);
}

/** Of counted tokens. */
export function tokensOfCounts({ input, output, cacheRead, cacheWrite }: TokenCounts): Tokens {
  return { input: input + cacheRead + cacheWrite, output, cacheRead, cacheWrite };
}

/** @param isFinal - Whether the output is complete: a partial count is left out, it would be wrong. */
export function usageAttributes({ input, output, cacheRead, cacheWrite }: Tokens, isFinal: boolean): Attributes {
  return {
    [ATTR.USAGE_INPUT_TOKENS]: input,
    [ATTR.USAGE_CACHE_READ_INPUT_TOKENS]: cacheRead,
    [ATTR.USAGE_CACHE_CREATION_INPUT_TOKENS]: cacheWrite,
    ...(isFinal ? { [ATTR.USAGE_OUTPUT_TOKENS]: output } : {}),
  };
}

/** What the CLI reports of a turn, sub-agents included. */
export function figuresAttributes(models: FiguresByModel): Attributes {
  const figures = [...models.values()];
  const costs = figures.map(({ costUsd }) => costUsd);
  return {
    ...usageAttributes(tokensOfCounts(figures.reduce<TokenCounts>(sum, NO_TOKENS)), true),
    ...(costs.includes(undefined) ? {} : { [OWN.COST]: costs.reduce<number>((all, cost = 0) => all + cost, 0) }),
  };
}

/** Of the whole run, sub-agents included, when the CLI reported it. */
export function runUsage({ summary }: QueryContext): Attributes {
  const { inputTokens, outputTokens, cachedTokens = 0 } = summary?.usage ?? {};
  if (inputTokens === undefined || outputTokens === undefined || summary?.costUsd === undefined) return {};
  return { [ATTR.USAGE_INPUT_TOKENS]: inputTokens + cachedTokens, [ATTR.USAGE_OUTPUT_TOKENS]: outputTokens };
}
