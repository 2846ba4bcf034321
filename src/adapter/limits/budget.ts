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

/** What a budget allows in one dimension; `undefined`: no such limit. */
export function tokenLimit(budget: Budget, dimension: string): number | undefined {
  return isTokenDimension(dimension) ? budget[LIMIT_FIELDS[dimension]] : undefined;
}

function isTokenDimension(dimension: string): dimension is TokenDimension {
  return Object.hasOwn(LIMIT_FIELDS, dimension);
}

/** The first limit that is used up, or passed. */
export function reachedDimension(budget: Budget, consumed: TokenUsage): TokenDimension | undefined {
  const used = usedTokens(budget, consumed);
  return DIMENSIONS.find((each) => used[each] >= (tokenLimit(budget, each) ?? Infinity));
}

/** The first limit that was passed: more was used than it allows. */
export function passedDimension(budget: Budget, consumed: TokenUsage): TokenDimension | undefined {
  const used = usedTokens(budget, consumed);
  return DIMENSIONS.find((each) => used[each] > (tokenLimit(budget, each) ?? Infinity));
}

/** `15 of 5 total tokens`, or the dimension when it is not counted in tokens. */
export function limitText(budget: Budget, consumed: TokenUsage, dimension: string): string {
  const limit = tokenLimit(budget, dimension);
  if (limit === undefined || !isTokenDimension(dimension)) {
    return dimension === 'deadline' ? 'its deadline is over' : dimension;
  }
  return `${usedTokens(budget, consumed)[dimension]} of ${limit} ${dimension.replace('_', ' ')}`;
}
