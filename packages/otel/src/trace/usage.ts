import type { Attributes } from '@opentelemetry/api';
import { ATTR } from '../conventions.js';

/** Tokens of one or more answers. */
export interface Tokens {
  /** All input: uncached, read from the cache and written to it, as the conventions want it. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;

/** Of the API's `usage`. */
export function tokensOf(usage: Readonly<Record<string, unknown>>): Tokens {
  const cacheRead = count(usage.cache_read_input_tokens);
  const cacheWrite = count(usage.cache_creation_input_tokens);
  return {
    input: count(usage.input_tokens) + cacheRead + cacheWrite,
    output: count(usage.output_tokens),
    cacheRead,
    cacheWrite,
  };
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
