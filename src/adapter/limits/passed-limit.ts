import type { TokenUsage } from '../../usage/token-usage.js';
import type { Budget } from './budget.js';

/** The dimensions that are counted in tokens. */
export type TokenDimension = 'total_tokens' | 'input_tokens' | 'output_tokens';

/** Tokens that were used of a budget, in each of its dimensions. */
export function usedTokens(
  { countCachedTokens }: Pick<Budget, 'countCachedTokens'>,
  { inputTokens = 0, outputTokens = 0, cachedTokens = 0 }: TokenUsage,
): Record<TokenDimension, number> {
  const input = inputTokens + (countCachedTokens ? cachedTokens : 0);
  return { total_tokens: input + outputTokens, input_tokens: input, output_tokens: outputTokens };
}

/** What a budget allows in one dimension; `undefined`: no such limit. */
export function tokenLimit(budget: Budget, dimension: string): number | undefined {
  switch (dimension) {
    case 'total_tokens':
      return budget.maxTotalTokens;
    case 'input_tokens':
      return budget.maxInputTokens;
    case 'output_tokens':
      return budget.maxOutputTokens;
    default:
      return undefined;
  }
}

/** The first limit that is used up, or passed. */
export function reachedDimension(budget: Budget, consumed: TokenUsage): TokenDimension | undefined {
  const used = usedTokens(budget, consumed);
  const dimensions = ['total_tokens', 'input_tokens', 'output_tokens'] as const;
  return dimensions.find((each) => used[each] >= (tokenLimit(budget, each) ?? Infinity));
}

/** `15 of 5 total tokens`, or the dimension when that is no number of tokens. */
export function limitText(budget: Budget, consumed: TokenUsage, dimension: string): string {
  const limit = tokenLimit(budget, dimension);
  if (limit === undefined) return dimension === 'deadline' ? 'its deadline is over' : dimension;
  const used = usedTokens(budget, consumed)[dimension as TokenDimension];
  return `${used} of ${limit} ${dimension.replace('_', ' ')}`;
}
