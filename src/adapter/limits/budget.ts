import type { TokenUsage } from '../../parser/token-usage.js';
import { describeValue } from '../../util/describe-value.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { havingMethods, type MakeError, readFields } from '../options/read-fields.js';
import type { Deadline } from './deadline.js';

/** The field of each dimension that is counted in tokens. */
const LIMIT_FIELDS = {
  total_tokens: 'maxTotalTokens',
  input_tokens: 'maxInputTokens',
  output_tokens: 'maxOutputTokens',
} as const;

export type TokenDimension = keyof typeof LIMIT_FIELDS;
export type BudgetDimension = TokenDimension | 'usd' | 'deadline';

/** A limit of a budget, and what was used of it. */
export interface LimitUse {
  readonly dimension: BudgetDimension;
  readonly consumed: TokenUsage;
  /** Tokens, or US dollars for `usd`. `undefined` when it is not known. */
  readonly limit: number | undefined;
  /** Such as `1500 of 1000 total tokens`. */
  readonly text: string;
}

const DIMENSIONS = Object.keys(LIMIT_FIELDS) as readonly TokenDimension[];
export const TOKEN_LIMITS = Object.values(LIMIT_FIELDS);
const FIELDS = ['deadline', ...TOKEN_LIMITS, 'countCachedTokens'];

export interface BudgetLimits {
  readonly deadline?: Deadline | undefined;
  /** Input and output together. */
  readonly maxTotalTokens?: number | undefined;
  readonly maxInputTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Cache reads and writes count as input. @defaultValue false */
  readonly countCachedTokens?: boolean | undefined;
}

/** Its fields are named as the caller wrote them. */
const budgetError: MakeError = (message, fields, options) =>
  new AdapterConfigError(
    message,
    fields.map((field) => field.replace(/^Budget\./, '')),
    options,
  );

/** What one or more evaluations may use. Share a `BudgetTracker` to count several of them together. */
export class Budget {
  readonly deadline: Deadline | undefined;
  readonly maxTotalTokens: number | undefined;
  readonly maxInputTokens: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly countCachedTokens: boolean;

  /** @throws {@link AdapterConfigError} no limit, one that is not a positive whole number, or an unknown field. */
  constructor(limits: BudgetLimits) {
    const read = readFields(limits, 'Budget', FIELDS, budgetError);
    for (const field of TOKEN_LIMITS) {
      const value: unknown = limits[field];
      if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) continue;
      throw new AdapterConfigError(
        `\`${field}\` of a Budget must be a positive whole number of tokens, got ${describeValue(value)}`,
        [field],
        { hint: 'Leave it out for no limit.' },
      );
    }
    const { deadline } = limits;
    read.check('deadline', havingMethods('a Deadline', 'remainingMs'));
    if (deadline === undefined && TOKEN_LIMITS.every((field) => limits[field] === undefined)) {
      throw new AdapterConfigError('A Budget needs at least one limit', ['deadline', ...TOKEN_LIMITS]);
    }
    this.deadline = deadline;
    this.maxTotalTokens = limits.maxTotalTokens;
    this.maxInputTokens = limits.maxInputTokens;
    this.maxOutputTokens = limits.maxOutputTokens;
    this.countCachedTokens = read.boolean('countCachedTokens', false);
  }
}

/** Tokens that were used of a budget, in each of its dimensions. */
export function usedTokens(
  { countCachedTokens }: Pick<Budget, 'countCachedTokens'>,
  { inputTokens = 0, outputTokens = 0, cachedTokens = 0 }: TokenUsage,
): Record<TokenDimension, number> {
  const input = inputTokens + (countCachedTokens ? cachedTokens : 0);
  return { total_tokens: input + outputTokens, input_tokens: input, output_tokens: outputTokens };
}

/** The first limit that is used up, or passed. */
export function reachedDimension(budget: Budget, consumed: TokenUsage): TokenDimension | undefined {
  const used = usedTokens(budget, consumed);
  return DIMENSIONS.find((each) => used[each] >= (budget[LIMIT_FIELDS[each]] ?? Infinity));
}

/** The first limit that was passed: more was used than it allows. */
export function passedDimension(budget: Budget, consumed: TokenUsage): TokenDimension | undefined {
  const used = usedTokens(budget, consumed);
  return DIMENSIONS.find((each) => used[each] > (budget[LIMIT_FIELDS[each]] ?? Infinity));
}

export function limitUse(budget: Budget, consumed: TokenUsage, dimension: BudgetDimension): LimitUse {
  if (dimension === 'deadline') return { dimension, consumed, limit: undefined, text: 'its deadline is over' };
  const limit = dimension === 'usd' ? undefined : budget[LIMIT_FIELDS[dimension]];
  if (dimension === 'usd' || limit === undefined) return { dimension, consumed, limit, text: dimension };
  const used = usedTokens(budget, consumed)[dimension];
  return { dimension, consumed, limit, text: `${used} of ${limit} ${dimension.replace('_', ' ')}` };
}
