import type { Attributes } from '@opentelemetry/api';
import { ATTR } from '../conventions.js';
import { countsOfUsage, NO_TOKENS, type TokenCounts } from '../ledger/usage.js';

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
